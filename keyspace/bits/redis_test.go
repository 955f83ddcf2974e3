package bits_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupedb/troupe/keyspace/bits"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// TestAgainstRedis sends random streams of commands to a real redis-server
// too. Replies must be the same bytes in both protocols, and what is made
// known the same.
func TestAgainstRedis(t *testing.T) {
	redis := shardtest.DialRedis(t, "--notify-keyspace-events", "EA")
	events := redis.Subscribe("__keyevent@*")
	bits.EachSeed(t, 4, func(t *testing.T, rng *rand.Rand) {
		for range 40 {
			r := &trial{
				t: t, rng: rng, redis: redis, events: events, encoder: resp.V2,
				world: shardtest.New(t, 1+rng.IntN(3), families...), long: []int{2, 12, 80}[rng.IntN(3)],
			}
			if rng.IntN(2) == 0 {
				r.encoder = resp.V3
			}
			r.run(500)
		}
	})
}

// trial is one stream, against both.
type trial struct {
	t       *testing.T
	rng     *rand.Rand
	world   *shardtest.World
	redis   *shardtest.Redis
	events  *shardtest.Events
	encoder resp.Encoder
	long    int // bytes that strings have, about
}

// run makes and sends so many commands, some at a time, and compares.
func (r *trial) run(commands int) {
	r.redis.Ask([][][]byte{words("HELLO", fmt.Sprint(r.encoder.Proto())), words("FLUSHALL")})
	r.events.Until(r.redis)
	const together = 50
	for range commands / together {
		var sent [][][]byte
		for range together {
			argv := r.command()
			sent = append(sent, argv, words("GET", string(argv[1])))
			if len(argv) > 2 {
				sent = append(sent, words("GET", string(argv[2])))
			}
		}
		var made []string
		for i, want := range r.redis.Ask(sent) {
			got := r.world.Exchange(sent[i], r.encoder)
			if !bytes.Equal(got, want) {
				r.t.Fatalf("%.200q (RESP%d): %.300q, from Redis %.300q", sent[i], r.encoder.Proto(), got, want)
			}
			for _, e := range r.world.Events {
				made = append(made, "0 "+e.Name+" "+e.Key)
			}
		}
		if told := r.events.Until(r.redis); !slices.Equal(made, told) {
			r.t.Fatalf("made known: %q\nby Redis: %q", made, told)
		}
	}
}

func words(list ...string) (argv [][]byte) {
	for _, word := range list {
		argv = append(argv, []byte(word))
	}
	return argv
}

// pick is one of the words.
func (r *trial) pick(list ...string) string { return list[r.rng.IntN(len(list))] }

func (r *trial) key() string {
	if r.rng.IntN(40) == 0 {
		return "h"
	}
	return r.pick("a", "b", "c", "d", "none")
}

// place is a number around the ends of a string, in bytes or bits, or none.
func (r *trial) place(size int) string {
	if r.rng.IntN(40) == 0 {
		return r.pick("x", "", "1.5", "-0", "+1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "4294967296", "#1")
	}
	return fmt.Sprint(r.rng.IntN(2*size) - size/2)
}

func (r *trial) offset() string {
	if r.rng.IntN(30) == 0 {
		return r.place(8 * r.long)
	}
	return fmt.Sprint(r.rng.IntN(8 * r.long))
}

func (r *trial) text() string {
	if r.rng.IntN(3) == 0 {
		return fmt.Sprint(r.rng.Int64() >> r.rng.IntN(64))
	}
	b := bytes.Repeat([]byte{byte(-r.rng.IntN(2))}, r.rng.IntN(2*r.long))
	for range r.rng.IntN(8) {
		if len(b) > 0 {
			b[r.rng.IntN(len(b))] = byte(r.rng.Uint32())
		}
	}
	return string(b)
}

// command is a random command on one of few keys.
func (r *trial) command() [][]byte {
	key := r.key()
	switch r.rng.IntN(24) {
	case 0, 1:
		if key != "h" && key != "none" {
			return words("SET", key, r.text())
		}
		return words("HSET", "h", "f", "v")
	case 2, 3:
		return words("GET", key)
	case 4:
		return words(r.pick("DEL", "TTL", "STRLEN"), r.pick("a", "b", "c", "d"))
	case 5, 6, 7:
		return words("SETBIT", key, r.offset(), r.pick("0", "1", "1", "0", "1", "0", "2", "x"))
	case 8, 9:
		return words("GETBIT", key, r.offset())
	case 10, 11, 12:
		return words(r.ranged("BITCOUNT", key)...)
	case 13, 14, 15:
		return words(r.ranged("BITPOS", key, r.pick("0", "1", "0", "1", "0", "1", "0", "1", "2", "x"))...)
	case 16, 17, 18:
		return words(r.combined()...)
	}
	return words(r.fields(key)...)
}

// ranged adds a range, now and then a wrong one.
func (r *trial) ranged(line ...string) []string {
	size, unit := r.long, r.pick("BYTE", "byte", "BIT", "bit", "BIT", "bits")
	if unit[1]|0x20 == 'i' {
		size *= 8
	}
	line = append(line, []string{r.place(size), r.place(size), unit, "more"}[:r.rng.IntN(5)]...)
	return line
}

func (r *trial) combined() []string {
	line := []string{"BITOP", r.pick("AND", "OR", "XOR", "NOT", "and", "Not", "NAND"), r.key(), r.key()}
	if line[1] == "AND" || r.rng.IntN(3) > 0 {
		for range r.rng.IntN(4) {
			line = append(line, r.key())
		}
	}
	return line
}

func (r *trial) fields(key string) []string {
	line := []string{"BITFIELD", key}
	if r.rng.IntN(6) == 0 {
		line[0] = "BITFIELD_RO"
	}
	for range r.rng.IntN(5) {
		switch r.rng.IntN(5) {
		case 0:
			line = append(line, "OVERFLOW", r.pick("WRAP", "SAT", "FAIL", "sat", "fail", "fails"))
			continue
		case 1:
			line = append(line, "SET")
		case 2:
			line = append(line, "INCRBY")
		default:
			line = append(line, r.pick("GET", "get", "GET", "GET", "GETS"))
		}
		verb := line[len(line)-1]
		line = append(line, r.encoding(), r.fieldOffset())
		switch n := r.number(); {
		case verb == "SET" && n == "-9223372036854775808": // which Redis takes for a large number
		case verb == "SET" || verb == "INCRBY":
			line = append(line, n)
		}
	}
	if r.rng.IntN(20) == 0 {
		line = line[:2+r.rng.IntN(len(line)-1)]
	}
	// A string that grows for operations that all overflow is not told of by
	// Redis, so the first one here does not.
	if line[0] == "BITFIELD" && slices.ContainsFunc(line, func(w string) bool { return w == "FAIL" || w == "fail" }) {
		line = slices.Insert(line, 2, "SET", "u1", fmt.Sprint(16*r.long*64-1), "1", "SET", "u1", fmt.Sprint(16*r.long*64-1), "0")
	}
	return line
}

func (r *trial) encoding() string {
	if r.rng.IntN(40) == 0 {
		return r.pick("u64", "i65", "u0", "i0", "8", "", "u", "u08", "U8", "u-1", "i8x")
	}
	return r.pick("i64", "u63", "u1", "i1", "u8", "i8", fmt.Sprint("u", 1+r.rng.IntN(63)), fmt.Sprint("i", 1+r.rng.IntN(64)))
}

func (r *trial) fieldOffset() string {
	if r.rng.IntN(3) == 0 {
		return "#" + fmt.Sprint(r.rng.IntN(r.long))
	}
	return r.offset()
}

func (r *trial) number() string {
	if r.rng.IntN(20) == 0 {
		return r.pick("x", "", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1.5")
	}
	return fmt.Sprint(r.rng.Int64() >> (1 + r.rng.IntN(63)) * (1 - 2*r.rng.Int64N(2)))
}
