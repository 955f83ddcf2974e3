package list_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/list"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/resp"
)

// TestAgainstRedis sends random streams of commands to a real redis-server
// too. Replies must be the same bytes, in both protocols, whatever the size of
// blocks, and so must be what keyspace notifications tell.
func TestAgainstRedis(t *testing.T) {
	redis := shardtest.DialRedis(t, "--notify-keyspace-events", "KEA")
	events := redis.Subscribe("__keyevent@*")
	list.EachSeed(t, 4, func(t *testing.T, rng *rand.Rand) {
		for range 60 {
			newTrial(t, redis, events, rng).run(600)
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
	keys    []string
	texts   int
	pushes  int // elements pushed at once, at most
}

func newTrial(t *testing.T, redis *shardtest.Redis, events *shardtest.Events, rng *rand.Rand) *trial {
	r := &trial{
		t: t, rng: rng, redis: redis, events: events, encoder: resp.V2, keys: []string{"a", "b", "c"},
		world:  shardtest.New(t, 1+rng.IntN(3), &list.Commands, &str.Commands),
		texts:  []int{2, 10, 50}[rng.IntN(3)],
		pushes: []int{1, 5, 40}[rng.IntN(3)],
	}
	hello := "HELLO 2"
	if rng.IntN(2) == 0 {
		r.encoder, hello = resp.V3, "HELLO 3"
	}
	size := []int{1, 2, 3, 7, 128, -1, -2, -5}[rng.IntN(8)]
	r.world.Settings.ListPackedSize = size
	for _, line := range []string{hello, "FLUSHALL", fmt.Sprintf("CONFIG SET list-max-listpack-size %d", size)} {
		argv, _ := resp.SplitLine([]byte(line))
		r.redis.Ask([][][]byte{argv})
	}
	r.events.Until(r.redis)
	return r
}

// run makes and sends so many commands, some at a time, and compares.
func (r *trial) run(commands int) {
	const together = 50
	for range commands / together {
		var sent [][][]byte
		for range together {
			sent = append(sent, r.command())
		}
		var got []string
		for i, reply := range r.redis.Ask(sent) {
			if ours := r.exchange(sent[i]); !bytes.Equal(ours, reply) && !isTimeUp(sent[i], ours, reply) {
				r.t.Fatalf("%.200q (blocks of %d, RESP%d): %.300q, from Redis %.300q",
					sent[i], r.world.Settings.ListPackedSize, r.encoder.Proto(), ours, reply)
			}
			for _, e := range r.world.Events {
				got = append(got, fmt.Sprint(e.DB, " ", e.Name, " ", e.Key))
			}
		}
		if want := r.events.Until(r.redis); !slices.Equal(got, want) {
			r.t.Fatalf("%.5000q\nevents: %q\n Redis: %q", sent, got, want)
		}
	}
}

// isTimeUp reports whether a move has waited in Redis, which has its own answer
// to that: nobody can wait here, as in a transaction.
func isTimeUp(argv [][]byte, got, want []byte) bool {
	name := string(argv[0])
	return (name == "BLMOVE" || name == "BRPOPLPUSH") && string(got) == "$-1\r\n" && string(want) == "*-1\r\n"
}

// exchange runs a command on our side. What other families do is done here.
func (r *trial) exchange(argv [][]byte) []byte {
	if string(argv[0]) != "DEL" {
		return r.world.Exchange(argv, r.encoder)
	}
	return r.encoder.Append(nil, within(r.world, func(tx *keyspace.Tx) resp.Reply {
		return resp.Flag(tx.Delete(argv[1], "del"))
	}))
}

// pick is one of the words.
func (r *trial) pick(list ...string) string { return list[r.rng.IntN(len(list))] }

func (r *trial) key() string { return r.pick(r.keys...) }

func (r *trial) text() string {
	if r.rng.IntN(30) == 0 {
		return r.pick("", "\x00\r\n\xff", strings.Repeat("t", 126), strings.Repeat("t", 127), strings.Repeat("t", 128), "-0", "007",
			strings.Repeat("u", 3000), strings.Repeat("v", 9000), "9223372036854775807")
	}
	return fmt.Sprint(r.rng.IntN(r.texts))
}

func (r *trial) index() string {
	if r.rng.IntN(20) == 0 {
		return r.pick("9223372036854775807", "-9223372036854775808", "9223372036854775808", "x", "", "1.5", "-0", "+1")
	}
	most := []int{3, 20, 200}[r.rng.IntN(3)]
	return fmt.Sprint(r.rng.IntN(2*most) - most)
}

func (r *trial) count() string {
	if r.rng.IntN(20) == 0 {
		return r.pick("0", "-1", "9223372036854775807", "9223372036854775808", "x", "")
	}
	return fmt.Sprint(r.rng.IntN(5))
}

func (r *trial) side() string {
	return r.pick("LEFT", "RIGHT", "left", "RIGHT", "LEFT", "RIGHT", "LEFT", "RIGHT", "UP")
}

// timeout is one that is over soon, since nobody feeds who waits here.
func (r *trial) timeout() string {
	return r.pick("0.001", "0.001", "0.002", "1e-3", "-1", "x", "nan", "inf")
}

// command is a random command on one of few keys.
func (r *trial) command() [][]byte {
	switch key := r.key(); r.rng.IntN(44) {
	case 0, 1:
		return words(r.pick("LPUSHX", "RPUSHX"), key, r.text(), r.text())
	case 2, 3, 4, 5:
		return words(r.pick("LPOP", "RPOP"), key)
	case 6, 7:
		return words(r.pick("LPOP", "RPOP"), key, r.count())
	case 8:
		return words("LLEN", key)
	case 9, 10:
		return words("LINDEX", key, r.index())
	case 11, 12, 13:
		return words("LSET", key, r.index(), r.text())
	case 14, 15, 16:
		return words("LINSERT", key, r.pick("BEFORE", "AFTER", "before", "after", "BEFORE", "x"), r.text(), r.text())
	case 17, 18, 19, 20:
		return words("LRANGE", key, r.index(), r.index())
	case 21, 22, 23:
		return words("LREM", key, r.pick("0", "1", "-1", "2", "-2", "5", "-5", r.index()), r.text())
	case 24:
		return words("LTRIM", key, r.pick("0", "1", "3", "-1000", r.index()), r.pick("-1", "-2", "-5", "500", r.index()))
	case 25, 26:
		return r.lpos(key)
	case 27, 28, 29:
		return words("LMOVE", key, r.key(), r.side(), r.side())
	case 30:
		return words("RPOPLPUSH", key, r.key())
	case 31, 32:
		return r.lmpop()
	case 33:
		return r.blocking(key)
	case 34:
		if r.rng.IntN(4) == 0 {
			return words("DEL", key)
		}
		return words("GET", key)
	case 35:
		if r.rng.IntN(8) == 0 {
			return words("SET", key, "text")
		}
	}
	line := []string{r.pick("LPUSH", "RPUSH"), r.key()}
	for range 1 + r.rng.IntN(r.pushes) {
		line = append(line, r.text())
	}
	return words(line...)
}

func (r *trial) lpos(key string) [][]byte {
	line := []string{"LPOS", key, r.text()}
	for range r.rng.IntN(4) {
		line = append(line, r.pick("RANK", "COUNT", "MAXLEN"), r.pick("0", "1", "2", "-1", "-2", r.index()))
	}
	if r.rng.IntN(20) == 0 {
		line = append(line, r.pick("RANK", "COUNT", "x"))
	}
	return words(line...)
}

func (r *trial) lmpop() [][]byte {
	line := []string{"LMPOP", r.pick("1", "2", "2", "3", "0", "-1", "4", "x"), r.key(), r.key(), r.side()}
	if r.rng.IntN(2) == 0 {
		line = append(line, "COUNT", r.count())
	}
	if r.rng.IntN(20) == 0 {
		line = append(line, r.pick("COUNT", "x"))
	}
	return words(line...)
}

// blocking is a command that may wait, on keys that mostly exist.
func (r *trial) blocking(key string) [][]byte {
	switch r.rng.IntN(5) {
	case 0:
		return words("BLMOVE", key, r.key(), r.side(), r.side(), r.timeout())
	case 1:
		return words("BRPOPLPUSH", key, r.key(), r.timeout())
	case 2:
		return words("BLMPOP", r.timeout(), r.pick("1", "2", "0", "x", "3"), key, r.key(), r.side())
	}
	return words(r.pick("BLPOP", "BRPOP"), r.key(), r.key(), r.timeout())
}

func words(list ...string) (argv [][]byte) {
	for _, word := range list {
		argv = append(argv, []byte(word))
	}
	return argv
}
