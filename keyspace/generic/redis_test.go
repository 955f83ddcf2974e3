package generic_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var (
	seedFlag   = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")
	trialsFlag = flag.Int("trials", 100, "how many random streams are compared with redis-server")
)

// TestAgainstRedis sends random streams of the commands on strings and keys to
// a real redis-server too, and to keyspaces of 1, 2 and 16 shards. Replies must
// be the same bytes in both protocols, but for the order of KEYS and SCAN, for
// what is chosen at random, and for what time has passed. What keyspace
// notifications tell must be the same, and in the end what all keys hold.
func TestAgainstRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	redis.Ask(words("DEBUG SET-ACTIVE-EXPIRE 0", "CONFIG SET notify-keyspace-events KEA"))
	told := redis.Subscribe("__keyevent@*")
	t.Logf("-seed %d", *seedFlag)
	for n := range *trialsFlag {
		rng := rand.New(rand.NewPCG(*seedFlag, uint64(n)))
		stream := newStream(rng)
		var commands [][][]byte
		for range 1000 {
			commands = append(commands, stream.next())
		}
		commands = append(commands, words(epilogue()...)...)
		proto := 2 + rng.IntN(2)
		redis.Ask(words(fmt.Sprint("HELLO ", proto), "SELECT 0", "FLUSHALL"))
		told.Until(redis) // of the trial before
		now := time.Now().UnixMilli()
		replies := redis.Ask(commands)
		events := told.Until(redis)
		for _, shards := range []int{1, 2, 16} {
			w := shardtest.New(t, shards, families...)
			w.Now = now
			compare(t, w, trial{commands, replies, events, resp.EncoderFor(proto)})
		}
		if t.Failed() {
			t.Fatalf("trial %d differs", n)
		}
	}
}

// words splits command lines.
func words(lines ...string) (commands [][][]byte) {
	for _, line := range lines {
		argv, _ := resp.SplitLine([]byte(line))
		commands = append(commands, argv)
	}
	return commands
}

// epilogue asks for everything.
func epilogue() (lines []string) {
	for db := range 3 {
		lines = append(lines, fmt.Sprint("SELECT ", db), "DBSIZE")
		for _, key := range testKeys {
			key = strconv.Quote(key)
			lines = append(lines, "TYPE "+key, "OBJECT ENCODING "+key, "GET "+key, "HGETALL "+key, "PEXPIRETIME "+key)
		}
	}
	return lines
}

// trial is a stream of commands and what redis-server made of it.
type trial struct {
	commands [][][]byte
	replies  [][]byte
	events   []string
	encoder  resp.Encoder
}

func compare(t *testing.T, w *shardtest.World, r trial) {
	t.Helper()
	var events []string
	differences := 0
	for i, argv := range r.commands {
		got := exchange(w, argv, r.encoder)
		for _, e := range w.Events {
			events = append(events, fmt.Sprintf("%d %s %s", e.DB, e.Name, e.Key))
		}
		if !alike(argv, got, r.replies[i]) {
			t.Errorf("%d shards, command %d: %.300q\n     got %.300q\nRedis has %.300q", len(w.Shards), i, argv, got, r.replies[i])
			if differences++; differences > 3 {
				return
			}
		}
	}
	for i := range max(len(events), len(r.events)) {
		if got, want := some(events, i), some(r.events, i); got[0] != want[0] {
			t.Errorf("%d shards, event %d: got %.200q, Redis has %.200q", len(w.Shards), i, got, want)
			return
		}
	}
}

// some are events from the ith on.
func some(events []string, i int) []string {
	return append(slices.Clone(events[min(i, len(events)):min(i+4, len(events))]), "none")
}

// exchange is a command's reply; a SCAN is walked to its end.
func exchange(w *shardtest.World, argv [][]byte, encoder resp.Encoder) []byte {
	reply := w.Exchange(argv, encoder)
	if !command.EqualFold(argv[0], "SCAN") || reply[0] != '*' {
		return reply
	}
	var keys []resp.Reply
	for {
		r, _, _ := resp.Decode(reply)
		keys = append(keys, r.Items()[1].Items()...)
		cursor := r.Items()[0].Str()
		if cursor == "0" {
			return encoder.Append(nil, resp.Array(resp.BulkString("0"), resp.Array(keys...)))
		}
		next := append([][]byte{argv[0], []byte(cursor)}, argv[2:]...)
		reply = w.Exchange(next, encoder)
	}
}

// alike compares replies, as exactly as the command allows.
func alike(argv [][]byte, got, want []byte) bool {
	if bytes.Equal(got, want) {
		return true
	}
	a, _, errA := resp.Decode(got)
	b, _, errB := resp.Decode(want)
	if errA != nil || errB != nil || a.Kind() != b.Kind() {
		return false
	}
	switch name := strings.ToUpper(string(argv[0])); name {
	case "RANDOMKEY":
		return true
	case "KEYS", "HGETALL":
		return sorted(a) == sorted(b)
	case "SCAN":
		return a.Kind() == resp.List && a.Items()[0].Str() == b.Items()[0].Str() && sorted(a.Items()[1]) == sorted(b.Items()[1])
	case "OBJECT":
		// Redis shares small integers, but not those that COPY makes, and all
		// keys that hold the same one have its idle time.
		return a.Kind() == resp.Number
	case "TTL", "EXPIRETIME":
		return a.Kind() == resp.Number && near(a.Int(), b.Int(), second)
	case "PTTL", "PEXPIRETIME":
		return near(a.Int(), b.Int(), millisecond)
	}
	return false
}

// The units of times, in milliseconds; farTime is beyond what a deadline is kept
// exactly for, streamTime as long as a stream may take.
const (
	millisecond = 1
	second      = 1000
	farTime     = 72_000_000_000_000
	streamTime  = 10_000
)

// near compares times, which may differ by as long as a stream takes.
func near(a, b, unit int64) bool {
	if far := int64(farTime / unit); a > far && b > far {
		return true
	}
	return a >= 0 && b >= 0 && max(a-b, b-a) <= streamTime/unit
}

func sorted(r resp.Reply) string {
	var list []string
	for _, item := range r.Items() {
		list = append(list, resp.Format(item))
	}
	sort.Strings(list)
	return strings.Join(list, " ")
}
