package set_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/set"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/resp"
)

// TestAgainstRedis sends random streams of commands to a real redis-server
// too. Replies must be the same, in both protocols, but for the order of a
// set's members and for what is chosen at random, of which the shape is
// compared and, where it is removed, which then is removed there as well. The
// limits of our forms are changed while it goes on, since no form may make a
// difference; which form a set has is the conversion tests' matter. What is made
// known of the keys must be the same, and in the same order.
func TestAgainstRedis(t *testing.T) {
	redis := shardtest.DialRedis(t, "--notify-keyspace-events", "EA")
	told := redis.Subscribe("__keyevent@*")
	set.EachSeed(t, 4, func(t *testing.T, rng *rand.Rand) {
		for range 60 {
			r := newTrial(t, redis, rng)
			told.Until(redis)
			r.run(800)
			if events := told.Until(redis); !slices.Equal(events, r.made) {
				t.Fatalf("%d events, of Redis %d, first differing at %s", len(r.made), len(events), firstDifference(r.made, events))
			}
		}
	})
}

// firstDifference is where two lists begin to differ.
func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("%d: %s, of Redis %s", i, got[i], want[i])
		}
	}
	return "the end of one"
}

// trial is one stream, against both.
type trial struct {
	t       *testing.T
	rng     *rand.Rand
	world   *shardtest.World
	redis   *shardtest.Redis
	encoder resp.Encoder
	keys    []string
	members int
	numbers bool
	made    []string // the events of our side, as shardtest.Events tells them
}

func newTrial(t *testing.T, redis *shardtest.Redis, rng *rand.Rand) *trial {
	r := &trial{
		t: t, rng: rng, redis: redis, encoder: resp.V2, keys: []string{"a", "b", "c", "d"},
		world:   shardtest.New(t, 1+rng.IntN(3), &set.Commands, &str.Commands),
		members: []int{3, 12, 40, 200}[rng.IntN(4)],
		numbers: rng.IntN(2) == 0,
	}
	hello := "HELLO 2"
	if rng.IntN(2) == 0 {
		r.encoder, hello = resp.V3, "HELLO 3"
	}
	r.ask(words(strings.Fields(hello)...))
	r.ask(words("FLUSHALL"))
	return r
}

// ask sends a command to redis-server alone.
func (r *trial) ask(argv [][]byte) []byte { return r.redis.Ask([][][]byte{argv})[0] }

func (r *trial) run(commands int) {
	for range commands {
		if r.rng.IntN(50) == 0 {
			s := r.world.Settings
			s.SetIntsetEntries = []int{512, 30, 5, 0}[r.rng.IntN(4)]
			s.SetPackedEntries = []int{128, 20, 3, 0}[r.rng.IntN(4)]
			s.SetPackedValue = []int{64, 10, 3}[r.rng.IntN(3)]
		}
		argv := r.command()
		got := r.exchange(argv)
		if string(argv[0]) == "SPOP" {
			r.popped(argv, got)
			continue
		}
		if want := r.ask(argv); !r.same(argv, got, want) {
			r.t.Fatalf("%.200q (RESP%d): %.300q, from Redis %.300q", argv, r.encoder.Proto(), got, want)
		}
	}
	for _, key := range r.keys {
		if got, want := r.exchange(words("SMEMBERS", key)), r.ask(words("SMEMBERS", key)); !r.same(words("SMEMBERS"), got, want) {
			r.t.Fatalf("%s holds %.300q at the end, in Redis %.300q", key, got, want)
		}
	}
}

// exchange runs a command on our side. What other families do is done here.
func (r *trial) exchange(argv [][]byte) []byte {
	var reply []byte
	if string(argv[0]) == "DEL" {
		reply = r.encoder.Append(nil, within(r.world, func(tx *keyspace.Tx) resp.Reply {
			return resp.Flag(tx.Delete(argv[1], "del"))
		}))
	} else {
		reply = r.world.Exchange(argv, r.encoder)
	}
	for _, e := range r.world.Events {
		name := e.Name
		if name == "spop" {
			name = "srem" // which is what Redis is sent in its place
		}
		r.made = append(r.made, fmt.Sprintf("%d %s %s", e.DB, name, e.Key))
	}
	return reply
}

// popped checks what we have popped: in Redis it must be there, and then go.
func (r *trial) popped(argv [][]byte, got []byte) {
	r.t.Helper()
	reply, _, err := resp.Decode(got)
	if err != nil || reply.IsError() || reply.IsNull() || reply.Kind() != resp.Text && len(reply.Items()) == 0 {
		if want := r.ask(argv); !bytes.Equal(got, want) {
			r.t.Fatalf("%.200q (RESP%d): %.300q, from Redis %.300q", argv, r.encoder.Proto(), got, want)
		}
		return
	}
	list := sorted(reply)
	if reply.Kind() == resp.Text {
		list = []string{reply.Str()}
	}
	if want := fmt.Sprintf(":%d\r\n", len(list)); string(r.ask(words(append([]string{"SREM", string(argv[1])}, list...)...))) != want {
		r.t.Fatalf("%.200q: popped %.300q, not all of which Redis has", argv, list)
	}
	key := string(argv[1])
	left, want := r.exchange(words("SCARD", key)), r.ask(words("SCARD", key))
	if !bytes.Equal(left, want) {
		r.t.Fatalf("%.200q: %q are left, in Redis %q", argv, left, want)
	}
	if len(argv) == 3 && string(argv[2]) != fmt.Sprint(len(list)) && string(left) != ":0\r\n" {
		r.t.Fatalf("%.200q: popped %d, and some were left", argv, len(list))
	}
}

// same reports whether two replies are the same, but for what may differ.
func (r *trial) same(argv [][]byte, got, want []byte) bool {
	if bytes.Equal(got, want) {
		return true
	}
	a, _, errA := resp.Decode(got)
	b, _, errB := resp.Decode(want)
	if errA != nil || errB != nil || a.Kind() != b.Kind() || len(a.Items()) != len(b.Items()) {
		return false
	}
	switch string(argv[0]) {
	case "SRANDMEMBER":
		return a.Kind() == resp.Text || a.Kind() == resp.List
	case "SSCAN":
		return len(a.Items()) == 2 && a.Items()[0].Str() == b.Items()[0].Str() &&
			fmt.Sprint(sorted(a.Items()[1])) == fmt.Sprint(sorted(b.Items()[1]))
	case "SMEMBERS", "SINTER", "SUNION", "SDIFF":
		return len(a.Items()) > 0 && fmt.Sprint(sorted(a)) == fmt.Sprint(sorted(b))
	}
	return false
}

func (r *trial) pick(list ...string) string { return list[r.rng.IntN(len(list))] }

func (r *trial) key() string {
	if r.rng.IntN(40) == 0 {
		return r.pick("nokey", "text")
	}
	return r.keys[r.rng.IntN(len(r.keys))]
}

func (r *trial) member() string {
	if r.rng.IntN(60) == 0 {
		return r.pick("", "\x00\r\n\xff", strings.Repeat("m", 64), strings.Repeat("m", 65), strings.Repeat("m", 300),
			"01", "-0", "+1", " 1", "9223372036854775807", "-9223372036854775808", "9223372036854775808")
	}
	n := r.rng.IntN(r.members)
	switch {
	case r.numbers && n%10 == 9:
		return fmt.Sprint(int64(n) << 40)
	case r.numbers && n%10 == 8:
		return fmt.Sprint(-n * 1000)
	case r.numbers:
		return fmt.Sprint(n)
	}
	return fmt.Sprint("m", n)
}

// some is a few of what make makes.
func (r *trial) some(most int, make func() string) (list []string) {
	for range 1 + r.rng.IntN(most) {
		list = append(list, make())
	}
	return list
}

// command is one of the family's, or one that makes something else of a key.
func (r *trial) command() [][]byte {
	switch n := r.rng.IntN(34); {
	case n < 9:
		return words(append([]string{"SADD", r.key()}, r.some(8, r.member)...)...)
	case n < 12:
		return words(append([]string{"SREM", r.key()}, r.some(8, r.member)...)...)
	case n < 13:
		return words("SISMEMBER", r.key(), r.member())
	case n < 14:
		return words(append([]string{"SMISMEMBER", r.key()}, r.some(5, r.member)...)...)
	case n < 16:
		return words("SMOVE", r.key(), r.key(), r.member())
	case n < 17:
		return words(r.pick("SCARD", "SMEMBERS"), r.key())
	case n < 19:
		return words(append([]string{"SPOP", r.key()}, r.count()...)...)
	case n < 21:
		return words(append([]string{"SRANDMEMBER", r.key()}, r.count()...)...)
	case n < 24:
		return words(append([]string{r.pick("SINTER", "SUNION", "SDIFF")}, r.some(4, r.key)...)...)
	case n < 26:
		return words(append([]string{r.pick("SINTERSTORE", "SUNIONSTORE", "SDIFFSTORE"), r.key()}, r.some(4, r.key)...)...)
	case n < 28:
		return r.intercard()
	case n < 30:
		return r.scan()
	case n < 31:
		return words("DEL", r.key())
	case n < 32:
		return words("SET", "text", "v")
	}
	return words(r.pick("SADD", "SCARD", "SPOP", "SRANDMEMBER", "SMOVE", "SINTERSTORE", "SUNION", "SINTERCARD", "SSCAN"), r.key())
}

// count is what may follow the key of SPOP and SRANDMEMBER. Counts that make
// Redis send for as long as it takes are left out.
func (r *trial) count() []string {
	switch r.rng.IntN(4) {
	case 0:
		return nil
	case 1:
		return []string{r.pick("x", "0", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1 ", "")}
	case 2:
		return r.some(2, func() string { return "3" })
	}
	return []string{fmt.Sprint(r.rng.IntN(20) - 5)}
}

func (r *trial) intercard() [][]byte {
	keys := r.some(3, r.key)
	line := append([]string{"SINTERCARD", fmt.Sprint(len(keys))}, keys...)
	switch r.rng.IntN(5) {
	case 0:
		line = append(line, "LIMIT", r.pick("0", "1", "3", "-1", "x", "9223372036854775807"))
	case 1:
		line = append(line, r.pick("LIMIT", "limit", "x"))
	case 2:
		line[1] = r.pick("0", "-1", "x", "5", "9223372036854775807")
	}
	return words(line...)
}

// scan is one that comes in one step in Redis too, whatever its form is there.
func (r *trial) scan() [][]byte {
	line := []string{"SSCAN", r.key(), "0", "COUNT", "100000"}
	switch r.rng.IntN(8) {
	case 0:
		line = append(line, "MATCH", r.pick("m1*", "*", "", "m?", "[^m]*", "*7", "\\*"))
	case 1:
		line = append(line, r.pick("MATCH", "COUNT", "NOVALUES"))
	case 2:
		line = append(line, "COUNT", r.pick("0", "-1", "x", "9223372036854775807"))
	case 3:
		line[2] = r.pick("x", " 0", "18446744073709551616", "1.5")
	}
	return words(line...)
}
