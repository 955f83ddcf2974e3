package zset_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/zset"
	"github.com/troupedb/troupe/resp"
)

// TestAgainstRedis sends random streams of commands to a real redis-server
// too. Replies must be the same bytes, in both protocols, but for the order in
// which ZSCAN lists a large sorted set and for what is chosen at random, of
// which only the shape is compared. After each command the encodings must be
// the same, and so must be the keyspace notifications.
func TestAgainstRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	events := redis.Subscribe("__keyevent@*")
	zset.EachSeed(t, 4, func(t *testing.T, rng *rand.Rand) {
		for range 25 {
			r := newTrial(t, redis, rng)
			events.Until(redis)
			r.run(events, 800)
		}
	})
}

// trial is one stream, against both.
type trial struct {
	t       *testing.T
	rng     *rand.Rand
	world   *shardtest.World
	redis   *shardtest.Redis
	encoder resp.Encoder
	keys    []string // of sorted sets with any scores
	members int
	scores  int
	events  []string // of our side, since they were compared
}

// Beside the keys of a trial there are one whose scores are all alike, for
// ranges of texts, and two sets.
const (
	alike = "l{a}"
	setA  = "s{a}"
	setB  = "t{a}"
)

func newTrial(t *testing.T, redis *shardtest.Redis, rng *rand.Rand) *trial {
	r := &trial{
		t: t, rng: rng, redis: redis, encoder: resp.V2, keys: []string{"a", "b{a}", "c{a}"},
		world:   newWorld(t, 1+rng.IntN(3)),
		members: []int{3, 12, 40, 200}[rng.IntN(4)],
		scores:  []int{1, 3, 20, 1000}[rng.IntN(4)],
	}
	hello := "HELLO 2"
	if rng.IntN(2) == 0 {
		r.encoder, hello = resp.V3, "HELLO 3"
	}
	entries := []int{128, 128, 8, 1, 0}[rng.IntN(5)]
	value := []int{64, 64, 10, 3}[rng.IntN(4)]
	r.world.Settings.SortedSetPackedEntries, r.world.Settings.SortedSetPackedValue = entries, value
	r.ask(hello)
	r.ask("FLUSHALL")
	r.ask("CONFIG SET notify-keyspace-events EA")
	r.ask(fmt.Sprintf("CONFIG SET zset-max-listpack-entries %d zset-max-listpack-value %d", entries, value))
	return r
}

// ask sends a line to redis-server alone.
func (r *trial) ask(line string) string {
	argv, _ := resp.SplitLine([]byte(line))
	return string(r.redis.Ask([][][]byte{argv})[0])
}

// run makes and sends so many commands, some at a time, and compares.
func (r *trial) run(events *shardtest.Events, commands int) {
	const together = 50
	for range commands / together {
		var sent [][][]byte
		for range together {
			argv := r.command()
			sent = append(sent, argv, words("OBJECT", "ENCODING", string(argv[1])))
		}
		replies := r.redis.Ask(sent)
		for i := 0; i < len(sent); i += 2 {
			r.compare(sent[i], replies[i], replies[i+1])
		}
		if want := events.Until(r.redis); !slices.Equal(r.events, want) {
			r.t.Fatalf("%.2000q made known %q, in Redis %q", sent, r.events, want)
		}
		r.events = nil
	}
}

func (r *trial) compare(argv [][]byte, want, encodingReply []byte) {
	r.t.Helper()
	key := string(argv[1])
	before := encoding(r.world, key)
	got := r.exchange(argv)
	for _, e := range r.world.Events {
		r.events = append(r.events, fmt.Sprint(e.DB, " ", e.Name, " ", e.Key))
	}
	wantEncoding := ""
	if reply, _, _ := resp.Decode(encodingReply); !reply.IsError() {
		wantEncoding = reply.Str()
	}
	if after := encoding(r.world, key); after != wantEncoding && isOurs(wantEncoding) {
		r.t.Fatalf("after %.300q the encoding is %q, of Redis %q", argv, after, wantEncoding)
	}
	if bytes.Equal(got, want) {
		return
	}
	if !bytes.Equal(unsigned(got), unsigned(want)) && !sameShape(argv, before, got, want) {
		r.t.Fatalf("%.300q (%s, RESP%d): %.300q, from Redis %.300q", argv, before, r.encoder.Proto(), got, want)
	}
}

// unsigned is a reply in which zeros have no sign. Redis keeps the sign in a
// large sorted set only, and loses it where ZRANGESTORE makes a packed one
// first and finds it too small.
func unsigned(reply []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(reply, []byte(",-0\r\n"), []byte(",0\r\n")), []byte("$2\r\n-0\r\n"), []byte("$1\r\n0\r\n"))
}

// isOurs reports whether an encoding is one of a sorted set, or none.
func isOurs(encoding string) bool {
	return encoding == "" || encoding == "listpack" || encoding == "skiplist"
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

// sameShape reports whether the replies to a command have the same members in
// another order or, where members are chosen at random, as many of them.
func sameShape(argv [][]byte, before string, got, want []byte) bool {
	a, _, errA := resp.Decode(got)
	b, _, errB := resp.Decode(want)
	if errA != nil || errB != nil || a.Kind() != b.Kind() || len(a.Items()) != len(b.Items()) {
		return false
	}
	switch string(argv[0]) {
	case "ZRANDMEMBER":
		return a.Kind() == resp.Text || a.Kind() == resp.List && sameKinds(a.Items(), b.Items())
	case "ZSCAN":
		return before == "skiplist" && a.Kind() == resp.List && a.Items()[0].Str() == b.Items()[0].Str() &&
			sortedItems(a.Items()[1].Items(), 2) == sortedItems(b.Items()[1].Items(), 2)
	}
	return false
}

func sameKinds(a, b []resp.Reply) bool {
	for i := range a {
		if a[i].Kind() != b[i].Kind() || len(a[i].Items()) != len(b[i].Items()) {
			return false
		}
	}
	return true
}

// sortedItems lists items, so many together, in an order of their own.
func sortedItems(items []resp.Reply, together int) string {
	var list []string
	for i := 0; i+together <= len(items); i += together {
		list = append(list, resp.Format(resp.Array(items[i:i+together]...)))
	}
	sort.Strings(list)
	return strings.Join(list, "\n")
}

func words(list ...string) (argv [][]byte) {
	for _, word := range list {
		argv = append(argv, []byte(word))
	}
	return argv
}
