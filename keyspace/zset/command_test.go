package zset_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/set"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/keyspace/zset"
	"github.com/troupedb/troupe/resp"
)

// within runs a function in a turn of its own, over all shards.
func within(w *shardtest.World, run func(tx *keyspace.Tx) resp.Reply) resp.Reply {
	x := &keyspace.Execute{Encoder: resp.V3, Requests: []keyspace.Request{{DB: w.DB, Do: run}}}
	var all []int
	for i := range w.Shards {
		all = append(all, i)
	}
	w.Execute(x, all)
	reply, _, _ := resp.Decode(x.Out)
	return reply
}

// encoding is what OBJECT ENCODING says of a key, "" if it is missing.
func encoding(w *shardtest.World, key string) string {
	return within(w, func(tx *keyspace.Tx) resp.Reply {
		v := tx.Peek([]byte(key))
		if v.Missing() {
			return resp.Empty
		}
		return resp.BulkString(v.Encoding().String())
	}).Str()
}

func newWorld(tb testing.TB, shards int) *shardtest.World {
	w := shardtest.New(tb, shards, &zset.Commands, &str.Commands, &set.Commands)
	w.Settings.Kinds[keyspace.Set] = &set.Kind
	w.Settings.Kinds[keyspace.SortedSet] = &zset.Kind
	return w
}

func TestExamples(t *testing.T) {
	t.Parallel()
	shardtest.Examples(t, &zset.Commands, &zset.Commands, &str.Commands)
}

// sinceLater are the commands whose examples show what came after Redis 7.0.
var sinceLater = map[string]bool{"ZRANK": true, "ZREVRANK": true}

// The examples are true of Redis too.
func TestExamplesOfRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	for _, spec := range zset.Commands.Specs() {
		if !sinceLater[spec.Name] {
			redis.Play(spec.Examples)
		}
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	newWorld(t, 2).Play(`
		> ZADD {z}1 1 a 2 b 3 c
		:3
		! events zadd {z}1
		> ZADD {z}1 1 a
		:0
		! events
		> ZADD {z}1 XX 2 nomember
		:0
		! events
		> ZADD {z}1 INCR 5 a
		,6
		! events zincr {z}1
		> ZINCRBY {z}1 0 a
		,6
		! events
		> ZREM {z}1 x
		:0
		! events
		> ZREM {z}1 a
		:1
		! events zrem {z}1
		> ZRANGESTORE {z}2 {z}1 0 -1
		:2
		! events zrangestore {z}2
		> ZRANGESTORE {z}2 {z}1 5 6
		:0
		! events del {z}2
		> ZRANGESTORE {z}2 {z}1 5 6
		:0
		! events
		> ZUNIONSTORE {z}2 1 {z}1
		:2
		! events zunionstore {z}2
		> ZINTERSTORE {z}2 2 {z}1 {z}2
		:2
		! events zinterstore {z}2
		> ZDIFFSTORE {z}3 2 {z}1 nokey{z}
		:2
		! events zdiffstore {z}3
		> ZDIFFSTORE {z}2 2 {z}1 {z}3
		:0
		! events del {z}2
		> ZPOPMIN {z}1
		["b", ,2]
		! events zpopmin {z}1
		> ZPOPMAX {z}1 2
		[["c", ,3]]
		! events zpopmax {z}1, del {z}1
		> ZMPOP 1 {z}3 MAX
		["{z}3", [["c", ,3]]]
		! events zpopmax {z}3
		> BZPOPMIN {z}3 0
		["{z}3", "b", ,2]
		! events zpopmin {z}3, del {z}3
		> ZADD {z}1 1 a 2 b 2 c
		:3
		> ZREMRANGEBYRANK {z}1 5 6
		:0
		! events
		> ZREMRANGEBYRANK {z}1 0 0
		:1
		! events zremrangebyrank {z}1
		> ZREMRANGEBYLEX {z}1 [b [b
		:1
		! events zremrangebylex {z}1
		> ZREMRANGEBYSCORE {z}1 -inf +inf
		:1
		! events zremrangebyscore {z}1, del {z}1
	`)
}

// A sorted set of 128 members of 64 bytes is packed, one more is not, and what
// has become large stays so.
func TestConversion(t *testing.T) {
	t.Parallel()
	f := func(entries, value int, want string, commands ...string) {
		t.Helper()
		w := newWorld(t, 2)
		w.Settings.SortedSetPackedEntries, w.Settings.SortedSetPackedValue = entries, value
		for _, line := range commands {
			w.Do(line)
		}
		if got := encoding(w, "z"); got != want {
			t.Errorf("%.60q: %q, want %q", commands, got, want)
		}
	}
	members := func(n int) string {
		line := "ZADD z"
		for i := range n {
			line += fmt.Sprintf(" %d m%d", i, i)
		}
		return line
	}
	long := strings.Repeat("x", 65)
	f(128, 64, "listpack", members(128))
	f(128, 64, "skiplist", members(129))
	f(128, 64, "skiplist", members(128), "ZINCRBY z 1 another")
	f(128, 64, "listpack", members(128), "ZADD z 100 m1")
	f(128, 64, "skiplist", members(129), "ZREM z m1 m2 m3")
	f(128, 64, "skiplist", members(129), "ZREMRANGEBYRANK z 1 -1")
	f(128, 64, "listpack", "ZADD z 1 "+long[1:])
	f(128, 64, "skiplist", "ZADD z 1 "+long)
	f(128, 64, "skiplist", "ZADD z 1 "+long, "ZREM z "+long+" nomember", "ZADD z 1 "+long)
	f(128, 64, "", "ZADD z XX 1 "+long)
	f(128, 64, "listpack", "ZADD z 1 a", "ZADD z XX 1 "+long)
	f(0, 64, "skiplist", "ZADD z 1 a")
	f(128, 64, "listpack", members(129), "ZRANGESTORE z z 0 127")
	f(128, 64, "listpack", members(129), "ZUNIONSTORE z 1 nokey{z}", members(5))
	f(128, 64, "skiplist", members(129), "ZUNIONSTORE z 1 z")
	f(128, 64, "", members(129), "ZREMRANGEBYRANK z 0 -1")
}

// Lowered limits make a packed sorted set large when a member is added.
func TestConversionByLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.Do("ZADD z 1 a 2 b 3 c")
	w.Settings.SortedSetPackedEntries = 2
	w.Do("ZADD z 5 a")
	w.Do("ZREM z b")
	if got := encoding(w, "z"); got != "listpack" {
		t.Error(got)
	}
	w.Do("ZADD z 1 d 2 e")
	if got := encoding(w, "z"); got != "skiplist" {
		t.Error(got)
	}
}

// What stores a result takes away the time to live that was there; what changes
// a sorted set leaves it.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	f := func(keeps bool, line string) {
		t.Helper()
		w := newWorld(t, 1)
		w.Do("ZADD z 1 a 2 b")
		within(w, func(tx *keyspace.Tx) resp.Reply {
			tx.Expire(tx.Peek([]byte("z")), w.Now+1000, "expire")
			return resp.OK
		})
		w.Do(line)
		w.Advance(2000)
		if got := w.Do("ZCARD z"); (got == ":0") != keeps {
			t.Errorf("%s: the time to live stays: %v, then ZCARD is %s", line, keeps, got)
		}
	}
	f(true, "ZADD z 3 c")
	f(true, "ZADD z 3 "+strings.Repeat("x", 100))
	f(true, "ZPOPMIN z")
	f(true, "ZREM z a")
	f(false, "ZRANGESTORE z z 0 -1")
	f(false, "ZUNIONSTORE z 1 z")
}

// A score is the same number whichever way it is read.
func TestReadScore(t *testing.T) {
	t.Parallel()
	f := func(text, want string) {
		t.Helper()
		w := newWorld(t, 1)
		w.Settings.SortedSetPackedEntries = 0 // there a zero keeps its sign
		w.Do("ZADD z " + text + " a")
		if got := w.Do("ZSCORE z a"); got != want {
			t.Errorf("%s was read as %s, want %s", text, got, want)
		}
	}
	f("0", ",0")
	f("-0", ",-0")
	f("-000", ",-0")
	f("000000000017", ",17")
	f("-17", ",-17")
	f("+17", ",17")
	f("999999999999999", ",999999999999999")
	f("-999999999999999", ",-999999999999999")
	f("9007199254740993", ",9007199254740992")
	f("99999999999999999999", ",1e+20")
	f("000000000000000000001", ",1")
	f("1.5", ",1.5")
	f("-", "_")
	f("1-", "_")
	f("--1", "_")
}

// Where scores differ, a range of texts is any range, and nothing else happens.
func TestTextRangesOfAnyScores(t *testing.T) {
	t.Parallel()
	zset.EachSeed(t, 6, func(t *testing.T, rng *rand.Rand) {
		for _, members := range []int{20, 1000} {
			w := newWorld(t, 1)
			fill(w, "z", members)
			for range 300 {
				low, high := fmt.Sprint("[m:", rng.IntN(members)), fmt.Sprint("(m:", rng.IntN(members))
				first, end := w.Do("ZLEXCOUNT z - "+low), w.Do("ZLEXCOUNT z "+low+" "+high)
				if listed := w.Do("ZRANGEBYLEX z " + low + " " + high); end == ":0" != (listed == "[]") {
					t.Fatalf("%s to %s: %s before, %s within, listed %s", low, high, first, end, listed)
				}
			}
			w.Do("ZREMRANGEBYLEX z [m:3 (m:7")
			w.Do("ZREMRANGEBYLEX z - +")
			if got := w.Do("ZCARD z"); got != ":0" {
				t.Errorf("%s members are left", got)
			}
		}
	})
}

// A large sorted set that goes as a whole leaves nothing.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	f := func(line string) {
		t.Helper()
		w := newWorld(t, 1)
		fill(w, "z", 5000)
		w.Do(line)
		w.Sweep()
		if w.Held() != 0 {
			t.Errorf("after %s the heap holds %d bytes", line, w.Held())
		}
	}
	f("ZREMRANGEBYRANK z 0 -1")
	f("ZREMRANGEBYSCORE z -inf inf")
	f("ZPOPMAX z 5000")
	f("ZMPOP 1 z MIN COUNT 6000")
	f("ZUNIONSTORE z 1 nokey")
	f("ZRANGESTORE z z 1 0")
}
