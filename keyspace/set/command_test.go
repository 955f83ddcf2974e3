package set_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/set"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
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

func newWorld(t *testing.T) *shardtest.World {
	return shardtest.New(t, 2, &set.Commands, &str.Commands)
}

// words are a command and its arguments.
func words(list ...string) (argv [][]byte) {
	for _, word := range list {
		argv = append(argv, []byte(word))
	}
	return argv
}

// sorted are the texts of a reply's items, in order.
func sorted(r resp.Reply) (texts []string) {
	for _, item := range r.Items() {
		texts = append(texts, item.Str())
	}
	sort.Strings(texts)
	return texts
}

func TestExamples(t *testing.T) {
	t.Parallel()
	shardtest.Examples(t, &set.Commands, &set.Commands, &str.Commands)
}

func TestExamplesAsRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	for _, spec := range set.Commands.Specs() {
		redis.Play(spec.Examples)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	newWorld(t).Play(`
		> SADD s a b c 1
		:4
		! events sadd s
		> SADD s a
		:0
		! events
		> SREM s x
		:0
		! events
		> SREM s a x
		:1
		! events srem s
		> SMOVE s t b
		:1
		! events srem s, sadd t
		> SADD s b
		:1
		> SMOVE s t b
		:1
		! events srem s
		> SMOVE s t x
		:0
		! events
		> SMOVE s s c
		:1
		! events
		> SINTERSTORE d s t
		:0
		! events
		> SUNIONSTORE d s t
		:3
		! events sunionstore d
		> SDIFFSTORE d s t
		:2
		! events sdiffstore d
		> SINTERSTORE d s s
		:2
		! events sinterstore d
		> SINTERSTORE d s t
		:0
		! events del d
		> SPOP s 0
		~[]
		! events
		> SREM s 1
		:1
		> SADD d b
		:1
		> SADD s c
		:0
		> SPOP s
		"c"
		! events spop s, del s
		> SADD s a b
		:2
		> SPOP s 5
		~["a", "b"]
		! events spop s, del s
		> SADD s a b
		:2
		> SREM s a b c
		:2
		! events srem s, del s
	`)
}

// The form is the one that Redis 7.2 has, and what has become large stays so.
func TestConversion(t *testing.T) {
	t.Parallel()
	f := func(want string, commands ...string) {
		t.Helper()
		w := newWorld(t)
		w.Settings.SetIntsetEntries, w.Settings.SetPackedEntries, w.Settings.SetPackedValue = 12, 8, 10
		for _, line := range commands {
			if got := w.Do(line); got[0] == '-' {
				t.Fatalf("%s: %s", line, got)
			}
		}
		if got := encoding(w, "s"); got != want {
			t.Errorf("%.60q: %s, want %s", commands, got, want)
		}
	}
	numbers := func(n int) string {
		line := "SADD s"
		for i := range n {
			line += fmt.Sprint(" ", i)
		}
		return line
	}
	texts := func(n int) string {
		line := "SADD s"
		for i := range n {
			line += fmt.Sprint(" t", i)
		}
		return line
	}
	f("intset", numbers(12))
	f("hashtable", numbers(13))
	f("listpack", numbers(7), "SADD s a")
	f("listpack", "SADD s a", numbers(7))
	f("hashtable", numbers(8), "SADD s a")
	f("hashtable", numbers(12), "SADD s a")
	f("listpack", texts(8))
	f("hashtable", texts(9))
	f("hashtable", texts(9), "SREM s t1 t2 t3")
	f("listpack", texts(9), "SREM s t0 t1 t2 t3 t4 t5 t6 t7 t8", texts(8))
	f("listpack", "SADD s 0123456789")
	f("hashtable", "SADD s 0123456789a")
	f("listpack", "SADD s 1234567890", "SADD s a")
	f("hashtable", "SADD s -1234567890", "SADD s a")
	f("intset", "SADD s 9223372036854775807 -9223372036854775808")
	f("hashtable", "SADD s 9223372036854775808")
	f("listpack", "SADD s 01")
	f("listpack", "SADD s a 1", "SREM s a")
	f("intset", "SADD t a 1 2", "SADD u b 1 2", "SINTERSTORE s t u")
	f("listpack", "SADD t a 1 2", "SADD u b 1 2", "SUNIONSTORE s t u")
	f("intset", "SADD t a 1 2", "SADD u a", "SDIFFSTORE s t u")
	f("listpack", "SADD t a", "SMOVE t s a")
	f("intset", "SADD t 1 a", "SMOVE t s 1")
	f("", numbers(13), "SPOP s 13")
}

// A set that may not hold any integers as such is packed, or large.
func TestConversionByLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Settings.SetIntsetEntries = 0
	f := func(line, want string) {
		t.Helper()
		w.Do(line)
		if got := encoding(w, "s"); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	f("SADD s 1", "listpack")
	f("SADD s 2", "listpack")
	w.Settings.SetPackedEntries = 2
	f("SADD s 2", "listpack")
	f("SADD s 3", "hashtable")
	w.Settings.SetPackedEntries = 0
	f("SPOP s 3", "")
	f("SADD s 3", "hashtable")
}

// The time to live stays through changes of each form, and goes with a store.
func TestDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deadline := func() int64 {
		return within(w, func(tx *keyspace.Tx) resp.Reply { return resp.Int(tx.Deadline(tx.Peek([]byte("s")))) }).Int()
	}
	expire := func() {
		within(w, func(tx *keyspace.Tx) resp.Reply {
			tx.Expire(tx.Peek([]byte("s")), w.Now+1000, "expire")
			return resp.OK
		})
	}
	w.Do("SADD s 1")
	expire()
	for _, line := range []string{"SADD s 2", "SADD s 70000", "SREM s 70000", "SADD s a", "SADD s " + strings.Repeat("x", 65), "SPOP s", "SMOVE s t a"} {
		w.Do(line)
		if got := deadline(); got != w.Now+1000 {
			t.Errorf("after %.20s: %d, want %d", line, got, w.Now+1000)
		}
	}
	w.Do("SADD t a")
	w.Do("SUNIONSTORE s t s")
	if got := deadline(); got != keyspace.NoDeadline {
		t.Errorf("after SUNIONSTORE: %d", got)
	}
	expire()
	w.Advance(1000)
	if got := w.Do("SADD s 1"); got != ":1" || deadline() != keyspace.NoDeadline {
		t.Errorf("after the deadline: %s, deadline %d", got, deadline())
	}
}

// A source or destination past its deadline is missing.
func TestOverdue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := func(line, want string) {
		t.Helper()
		for _, key := range []string{"late", "late2"} {
			w.Do("SADD " + key + " 1 2 3")
			within(w, func(tx *keyspace.Tx) resp.Reply {
				tx.Expire(tx.Peek([]byte(key)), w.Now+10, "expire")
				return resp.OK
			})
		}
		w.Do("SADD s 1 2")
		w.Advance(10)
		if got := w.Do(line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
		w.Do("SPOP s 10")
	}
	f("SINTER s late late2", "~[]")
	f("SUNION late s late2", `~["1", "2"]`)
	f("SDIFF s late late2", `~["1", "2"]`)
	f("SMOVE late s 1", ":0")
	f("SMOVE s late 1", ":1")
	f("SMOVE late late2 1", ":0")
	f("SUNIONSTORE late late2 s late", ":2")
	f("SINTERSTORE late late2 s", ":0")
}

// Copies and renamed sets of each form are whole, and all memory comes back
// when the keys go.
func TestCopyAndFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, members := range []int{5, 100, 3000} {
		for i := range members {
			w.Do(fmt.Sprintf("SADD s %d", i))
		}
		if members == 100 {
			w.Do("SADD s a")
			members++
		}
		within(w, func(tx *keyspace.Tx) resp.Reply {
			for _, to := range []string{"same{s}", "a", "b", "c", "d"} {
				tx.Copy(tx.Peek([]byte("s")), []byte(to), 0, "copy_to")
			}
			tx.Rename([]byte("a"), []byte("renamed{a}"), 0, keyspace.Transfer{Gone: "rename_from", Made: "rename_to"})
			tx.Rename([]byte("b"), []byte("e"), 0, keyspace.Transfer{Gone: "rename_from", Made: "rename_to"})
			return resp.OK
		})
		w.Do("SUNIONSTORE t s a b c d") // and what a store leaves behind
		w.Do("SDIFFSTORE t s c")
		for _, key := range []string{"s", "same{s}", "renamed{a}", "e", "c", "d"} {
			if got := w.Do("SCARD " + key); got != fmt.Sprintf(":%d", members) {
				t.Errorf("SCARD %s: %s", key, got)
			}
			if got := w.Do("SMISMEMBER " + key + " 4 5000"); got != "[:1, :0]" {
				t.Errorf("SMISMEMBER %s: %s", key, got)
			}
			within(w, func(tx *keyspace.Tx) resp.Reply { tx.Delete([]byte(key), "del"); return resp.OK })
		}
		w.Sweep()
		if held := w.Held(); held != 0 {
			t.Errorf("%d bytes are held after everything was deleted", held)
		}
	}
}

func TestSrandmember(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Play(`
		> SADD s m
		:1
		> SRANDMEMBER s 9223372036854775807
		["m"]
		> SRANDMEMBER s -9223372036854775808
		-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807
		> SRANDMEMBER s -9223372036854775807
		-ERR value is out of range
		> SRANDMEMBER nokey -9223372036854775807
		[]
		> SRANDMEMBER s 0
		[]
		> SRANDMEMBER s 1 2
		-ERR syntax error
		> SET k v
		+OK
		> SRANDMEMBER k
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> SRANDMEMBER k x
		-ERR value is not an integer or out of range
		> SPOP s 9223372036854775807
		~["m"]
	`)
	w.Settings.BulkMax = 1000
	w.Do("SADD s " + strings.Repeat("x", 100))
	if got := w.Do("SRANDMEMBER s -11"); got != "-ERR value is out of range" {
		t.Errorf("more bytes than a reply may have: %.40s", got)
	}
}

// Members are chosen evenly in each form: each by itself, and each as part of
// a set. The bounds are six standard deviations wide.
func TestRandomIsFair(t *testing.T) {
	t.Parallel()
	f := func(members, packed, count, rounds int) {
		t.Helper()
		w := newWorld(t)
		w.Settings.SetIntsetEntries, w.Settings.SetPackedEntries = 25, packed
		for i := range members {
			w.Do(fmt.Sprintf("SADD s %d", i))
		}
		times := map[string]int{}
		for range rounds {
			reply := sorted(w.Run(words("SRANDMEMBER", "s", fmt.Sprint(count))))
			for _, member := range reply {
				times[member]++
			}
			if count > 0 && len(slices.Compact(reply)) != min(count, members) {
				t.Fatalf("%d different members, want %d", len(reply), count)
			}
		}
		want := float64(max(count, -count)) * float64(rounds) / float64(members)
		for i := range members {
			n := float64(times[fmt.Sprint(i)])
			if (n-want)*(n-want) > 36*want {
				t.Errorf("%d of %d members: %d was chosen %v times of %d, want about %v", count, members, i, n, rounds, want)
			}
		}
	}
	f(20, 0, 5, 4000)
	f(20, 0, -5, 4000)
	f(20, 0, 19, 4000)
	f(300, 0, 5, 20000)
	f(300, 0, 100, 1000)
	f(300, 0, -100, 1000)
}

// A large set comes in steps of about COUNT members, each member once.
func TestSscanLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const members = 2000
	for i := range members {
		w.Do(fmt.Sprintf("SADD s m%d", i))
	}
	f := func(options string, count, want int) {
		t.Helper()
		seen, steps := map[string]int{}, 0
		for cursor := "0"; steps == 0 || cursor != "0"; steps++ {
			argv, _ := resp.SplitLine([]byte("SSCAN s " + cursor + options))
			reply := w.Run(argv)
			cursor = reply.Items()[0].Str()
			items := reply.Items()[1].Items()
			if len(items) > count+70 {
				t.Errorf("%s: %d items in a step", options, len(items))
			}
			for _, item := range items {
				seen[item.Str()]++
			}
		}
		if len(seen) != want || steps < members/(count+10) {
			t.Errorf("%s: %d members in %d steps, want %d", options, len(seen), steps, want)
		}
		for member, times := range seen {
			if times != 1 {
				t.Errorf("%s: %s came %d times", options, member, times)
			}
		}
	}
	f("", 10, members)
	f(" COUNT 1", 1, members)
	f(" MATCH m1??? COUNT 50", 50, 1000)
	f(" COUNT 9223372036854775807", members, members)
}
