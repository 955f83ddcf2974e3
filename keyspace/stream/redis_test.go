package stream_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/keyspace/stream"
	"github.com/troupedb/troupe/resp"
)

var seedFlag, seedsFlag = stream.SeedFlag, stream.SeedsFlag

// eachSeed runs a random test with each of the seeds asked for.
func eachSeed(t *testing.T, sequence uint64, test func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	for i := range *seedsFlag {
		seed := *seedFlag + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			test(t, rand.New(rand.NewPCG(seed, sequence)))
		})
	}
}

// The examples are what Redis does too.
func TestExamplesAgainstRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	for _, spec := range stream.Commands.Specs() {
		redis.Play(spec.Examples)
	}
}

// TestAgainstRedis sends random commands to a real redis-server too. Replies
// must be the same bytes, in both protocols, but for how long ago things were,
// and so must be what keyspace notifications tell.
func TestAgainstRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t, "--notify-keyspace-events", "KEA")
	events := redis.Subscribe("__keyevent@*")
	eachSeed(t, 1, func(t *testing.T, rng *rand.Rand) {
		for range 40 {
			newTrial(t, redis, events, rng).run(600)
		}
	})
}

// trial is one run, against both.
type trial struct {
	t       *testing.T
	rng     *rand.Rand
	world   *shardtest.World
	redis   *shardtest.Redis
	events  *shardtest.Events
	encoder resp.Encoder
	time    int // that new entries have, which rises
	block   int
	byID    bool // trims by ID happen: Redis then keeps blocks that are empty for a while
}

func newTrial(t *testing.T, redis *shardtest.Redis, events *shardtest.Events, rng *rand.Rand) *trial {
	r := &trial{
		t: t, rng: rng, redis: redis, events: events, encoder: resp.V2, time: 1, byID: rng.IntN(2) == 0,
		world: shardtest.New(t, 1+rng.IntN(3), &stream.Commands, &str.Commands),
		block: []int{1, 2, 3, 10, 100, 0}[rng.IntN(6)],
	}
	hello := "HELLO 2"
	if rng.IntN(2) == 0 {
		r.encoder, hello = resp.V3, "HELLO 3"
	}
	r.world.Settings.StreamBlockEntries, r.world.Settings.StreamBlockBytes = r.block, 0
	for _, line := range []string{hello, "FLUSHALL", fmt.Sprintf("CONFIG SET stream-node-max-entries %d stream-node-max-bytes 0", r.block)} {
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
			ours := r.timeless(sent[i], r.world.Exchange(sent[i], r.encoder))
			if reply = r.timeless(sent[i], reply); !bytes.Equal(ours, reply) {
				at := 0
				for at < min(len(ours), len(reply)) && ours[at] == reply[at] {
					at++
				}
				at = max(0, at-100)
				r.t.Fatalf("%.6000q\n%.200q (blocks of %d, RESP%d) from byte %d:\n  %.500q, from Redis\n  %.500q",
					sent[:i], sent[i], r.block, r.encoder.Proto(), at, ours[at:], reply[at:])
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

// The places where replies tell of times: how long ago a delivery was, how long
// a consumer has been idle, and when either was.
var (
	agoInPending = regexp.MustCompile(`:\d+(\r\n:-?\d+\r\n)`)
	idle         = regexp.MustCompile(`idle\r\n:\d+`)
	blocks       = regexp.MustCompile(`(keys|nodes)\r\n:\d+`)
	times        = regexp.MustCompile(`:\d{8,}`)
)

// timeless takes the times out of a reply.
func (r *trial) timeless(argv [][]byte, reply []byte) []byte {
	switch {
	case string(argv[0]) == "XPENDING" && len(argv) > 3:
		return agoInPending.ReplaceAll(reply, []byte(":0$1"))
	case string(argv[0]) == "XINFO":
		if r.byID {
			reply = blocks.ReplaceAll(reply, nil)
		}
		return times.ReplaceAll(idle.ReplaceAll(reply, []byte("idle")), []byte(":time"))
	}
	return reply
}

// pick is one of the words.
func (r *trial) pick(list ...string) string { return list[r.rng.IntN(len(list))] }

func (r *trial) key() string      { return r.pick("a", "b") }
func (r *trial) group() string    { return r.pick("g", "g", "h", "none") }
func (r *trial) consumer() string { return r.pick("ada", "grace", "barbara") }

// id is one that there may be.
func (r *trial) id() string {
	if r.rng.IntN(25) == 0 {
		return r.pick("-", "+", "$", ">", "**", "", "x", "1-", "-1", "1-x", "18446744073709551615", "18446744073709551615-18446744073709551615",
			"18446744073709551616", "0", "0-0", "00012", " 3", "+4", "4-+1", "4--01", "4- 1", "3-*", "3-\x00x", strings.Repeat("0", 127)+"5")
	}
	return fmt.Sprintf("%d-%d", r.rng.IntN(r.time+1), r.rng.IntN(3))
}

func (r *trial) count() string {
	if r.rng.IntN(15) == 0 {
		return r.pick("0", "-1", "9223372036854775807", "x", "")
	}
	return fmt.Sprint(1 + r.rng.IntN(6))
}

func (r *trial) bound() string { return r.pick("", "", "(") + r.id() }

// maybe is the words, or none.
func (r *trial) maybe(list ...string) []string {
	if r.rng.IntN(3) > 0 {
		return nil
	}
	return list
}

func join(lists ...[]string) (argv [][]byte) {
	for _, list := range lists {
		for _, word := range list {
			argv = append(argv, []byte(word))
		}
	}
	return argv
}

func line(words ...string) []string { return words }

// trim is what is said of trimming.
func (r *trial) trim() []string {
	approx := []string{}
	if r.rng.IntN(2) == 0 {
		approx = line(r.pick("~", "~", "=", "x"))
	}
	of := line(r.pick("MAXLEN", "maxlen"))
	bound := line(fmt.Sprint(r.rng.IntN(40)))
	if r.byID && r.rng.IntN(2) == 0 {
		of, bound = line("MINID"), line(r.id())
	}
	return slices.Concat(of, approx, bound, r.maybe("LIMIT", r.count()))
}

// fields are those of a new entry: mostly named alike.
func (r *trial) fields() (list []string) {
	if r.rng.IntN(4) > 0 {
		return line("name", fmt.Sprint(r.rng.IntN(1000)), "age", r.pick("", "5", strings.Repeat("x", r.rng.IntN(300))))
	}
	for range 1 + r.rng.IntN(3) {
		list = append(list, r.pick("name", "age", "x", ""), r.pick("1", "two", "\x00\r\n"))
	}
	return list
}

// added is the ID of a new entry.
func (r *trial) added() string {
	r.time += r.rng.IntN(3)
	switch r.rng.IntN(12) {
	case 0:
		return r.id()
	case 1, 2, 3:
		return fmt.Sprintf("%d-*", r.time)
	}
	return fmt.Sprintf("%d-%d", r.time, r.rng.IntN(3))
}

// command is a random command on one of few keys.
func (r *trial) command() [][]byte {
	switch key := r.key(); r.rng.IntN(50) {
	case 0, 1, 2:
		return join(line(r.pick("XRANGE", "XREVRANGE"), key, r.bound(), r.bound()), r.maybe("COUNT", r.count()))
	case 3, 4:
		return join(line(r.pick("XRANGE", "xrange"), key, "-", "+"))
	case 5:
		return join(line("XREVRANGE", key, "+", "-"), r.maybe("COUNT", r.count()))
	case 6:
		return join(line("XLEN", key))
	case 7, 8, 9:
		return join(line("XDEL", key, r.id()), r.maybe(r.id(), r.id()))
	case 10:
		return join(line("XTRIM", key), r.trim())
	case 11, 12:
		return join(line("XREAD"), r.maybe("COUNT", r.count()), r.maybe("BLOCK", r.pick("1", "1", "-1", "x")), line("STREAMS", key, r.key(), r.id(), r.pick("$", r.id())))
	case 13, 14:
		return join(line("XGROUP", "CREATE", key, r.group(), r.pick("$", "0", r.id())), r.maybe("MKSTREAM"), r.maybe("ENTRIESREAD", r.pick("0", "5", "-1", "-2", "x")))
	case 15:
		return join(line("XGROUP", "SETID", key, r.group(), r.pick("$", "0", r.id())), r.maybe("ENTRIESREAD", r.pick("0", "5", "-1", "-2", "x")))
	case 16:
		if r.rng.IntN(4) > 0 {
			return join(line("XGROUP", r.pick("CREATECONSUMER", "DELCONSUMER"), key, r.group(), r.consumer()))
		}
		return join(line("XGROUP", "DESTROY", key, r.group()))
	case 17, 18, 19, 20, 21, 22:
		return join(line("XREADGROUP", "GROUP", r.group(), r.consumer()), r.maybe("COUNT", r.count()), r.maybe(r.pick("NOACK", "x")), line("STREAMS", key, ">"))
	case 23, 24:
		return join(line("XREADGROUP", "GROUP", r.group(), r.consumer()), r.maybe("COUNT", r.count()), r.maybe("BLOCK", "1"), line("STREAMS", key, r.key(), r.id(), r.pick(">", r.id())))
	case 25, 26, 27:
		return join(line("XACK", key, r.group(), r.id()), r.maybe(r.id(), r.id()))
	case 28:
		return join(line("XPENDING", key, r.group()))
	case 29, 30:
		return join(line("XPENDING", key, r.group()), r.maybe("IDLE", r.pick("0", "100000", "x")), line(r.pick("-", r.bound()), r.pick("+", r.bound()), r.count()), r.maybe(r.consumer()))
	case 31, 32, 33:
		return join(line("XCLAIM", key, r.group(), r.consumer(), r.pick("0", "0", "0", "100000", "-1", "x"), r.id(), r.id()), r.maybe("FORCE"), r.maybe("JUSTID"),
			r.maybe("IDLE", "0"), r.maybe("RETRYCOUNT", r.count()), r.maybe("LASTID", r.id()), r.maybe("TIME", "9999999999999"))
	case 34, 35:
		return join(line("XAUTOCLAIM", key, r.group(), r.consumer(), r.pick("0", "0", "100000", "x"), r.pick("-", r.bound())), r.maybe("COUNT", r.count()), r.maybe("JUSTID"))
	case 36, 37:
		return join(line("XINFO", "STREAM", key), r.maybe("FULL"))
	case 38:
		return join(line("XINFO", "STREAM", key, "FULL", "COUNT", r.count()))
	case 39:
		return join(line("XINFO", "GROUPS", key))
	case 40:
		return join(line("XINFO", "CONSUMERS", key, r.group()))
	case 41:
		if r.rng.IntN(4) == 0 {
			return join(line("XSETID", key, r.id()), r.maybe("ENTRIESADDED", r.pick("3", "10", "-1", "x")), r.maybe("MAXDELETEDID", r.id()))
		}
	case 42:
		if r.rng.IntN(8) == 0 {
			return join(line("SET", key, "text"))
		}
	}
	return join(line("XADD", r.key()), r.maybe("NOMKSTREAM"), r.maybeTrim(), line(r.added()), r.fields())
}

func (r *trial) maybeTrim() []string {
	if r.rng.IntN(6) > 0 {
		return nil
	}
	return r.trim()
}
