package hash_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/resp"
)

func init() { shardtest.Kinds[keyspace.Hash] = &hash.Kind }

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
	return shardtest.New(t, 2, &hash.Commands, &str.Commands)
}

func TestExamples(t *testing.T) {
	t.Parallel()
	shardtest.Examples(t, &hash.Commands, &hash.Commands, &str.Commands)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	newWorld(t).Play(`
		> HSET h a 1 b 2 c 3
		:3
		! events hset h
		> HSET h a 1
		:0
		! events hset h
		> HSETNX h a 1
		:0
		! events
		> HMSET h a 1
		+OK
		! events hset h
		> HINCRBY h a 1
		:2
		! events hincrby h
		> HINCRBYFLOAT h a 1
		"3"
		! events hincrbyfloat h
		> HDEL h x
		:0
		! events
		> HDEL h a b x
		:2
		! events hdel h
		> HDEL h a b c
		:1
		! events hdel h, del h
		> HGETALL h
		%{}
	`)
}

// A hash of 128 fields and texts of 64 bytes are packed, one more is not, and
// what has become large stays so.
func TestConversion(t *testing.T) {
	t.Parallel()
	f := func(entries, value int, want string, commands ...string) {
		t.Helper()
		w := newWorld(t)
		w.Settings.HashPackedEntries, w.Settings.HashPackedValue = entries, value
		for _, line := range commands {
			w.Do(line)
		}
		if got := encoding(w, "h"); got != want {
			t.Errorf("%.60q: %s, want %s", commands, got, want)
		}
	}
	fields := func(n int) string {
		line := "HSET h"
		for i := range n {
			line += fmt.Sprintf(" f%d v", i)
		}
		return line
	}
	long := strings.Repeat("x", 65)
	f(128, 64, "listpack", fields(128))
	f(128, 64, "hashtable", fields(129))
	f(128, 64, "hashtable", fields(128), "HSETNX h g 1")
	f(128, 64, "listpack", fields(128), "HSETNX h f1 1")
	f(128, 64, "hashtable", fields(128), "HINCRBY h g 1")
	f(128, 64, "hashtable", fields(129), "HDEL h f1 f2 f3")
	f(128, 64, "listpack", "HSET h f "+long[1:])
	f(128, 64, "hashtable", "HSET h f "+long)
	f(128, 64, "hashtable", "HSET h "+long+" v")
	f(128, 64, "hashtable", "HSET h f "+long+" f v")
	f(128, 64, "hashtable", "HSET h f "+long, "HSET h f v")
	f(128, 64, "hashtable", "HSETNX h "+long+" v")
	f(128, 64, "listpack", "HSET h f v", "HSETNX h f "+long)
	f(128, 64, "hashtable", "HINCRBY h "+long+" 1")
	f(128, 64, "hashtable", "HINCRBYFLOAT h f 1e70")
	f(0, 64, "hashtable", "HSET h f v")
	f(2, 64, "listpack", "HSET h f v f w g x g y")
	f(128, 3, "hashtable", "HINCRBY h f 1000")
	f(128, 64, "", fields(129), "HDEL h"+strings.ReplaceAll(strings.TrimPrefix(fields(129), "HSET h"), " v", ""))
}

// Lowered limits make a packed hash large at the next change of a field.
func TestConversionByLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do("HSET h a 1 b 2 c 3")
	w.Settings.HashPackedEntries = 2
	w.Do("HDEL h nofield")
	if got := encoding(w, "h"); got != "listpack" {
		t.Error(got)
	}
	w.Do("HSET h a 1")
	if got := encoding(w, "h"); got != "hashtable" {
		t.Error(got)
	}
}

// The time to live stays through changes of either form.
func TestKeepsDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deadline := func() int64 {
		return within(w, func(tx *keyspace.Tx) resp.Reply { return resp.Int(tx.Deadline(tx.Peek([]byte("h")))) }).Int()
	}
	w.Do("HSET h f v")
	within(w, func(tx *keyspace.Tx) resp.Reply {
		tx.Expire(tx.Peek([]byte("h")), w.Now+1000, "expire")
		return resp.OK
	})
	for _, line := range []string{"HSET h f w", "HSET h f long", "HSET h g 1", "HINCRBY h g 100", "HDEL h g", "HSET h f " + strings.Repeat("x", 65), "HSET h g 1", "HDEL h g"} {
		w.Do(line)
		if got := deadline(); got != w.Now+1000 {
			t.Errorf("after %.20s: %d, want %d", line, got, w.Now+1000)
		}
	}
	w.Advance(1000)
	if got := w.Do("HSET h a 1"); got != ":1" || deadline() != keyspace.NoDeadline {
		t.Errorf("after the deadline: %s, deadline %d", got, deadline())
	}
}

// Copies and renamed hashes of both forms are whole, and all memory comes
// back when the keys go.
func TestCopyAndFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, n := range []int{5, 3000} {
		for i := range n {
			w.Do(fmt.Sprintf("HSET h f%d v%d", i, i))
		}
		within(w, func(tx *keyspace.Tx) resp.Reply {
			for _, to := range []string{"same{h}", "a", "b", "c", "d"} {
				tx.Copy(tx.Peek([]byte("h")), []byte(to), 0, "copy_to")
			}
			tx.Rename([]byte("a"), []byte("renamed{a}"), 0, keyspace.Transfer{Gone: "rename_from", Made: "rename_to"})
			tx.Rename([]byte("b"), []byte("e"), 0, keyspace.Transfer{Gone: "rename_from", Made: "rename_to"})
			return resp.OK
		})
		for _, key := range []string{"h", "same{h}", "renamed{a}", "e", "c", "d"} {
			if got := w.Do("HLEN " + key); got != fmt.Sprintf(":%d", n) {
				t.Errorf("HLEN %s: %s", key, got)
			}
			if got := w.Do(fmt.Sprintf("HGET %s f%d", key, n-1)); got != fmt.Sprintf("%q", fmt.Sprint("v", n-1)) {
				t.Errorf("HGET %s: %s", key, got)
			}
			within(w, func(tx *keyspace.Tx) resp.Reply { tx.Delete([]byte(key), "del"); return resp.OK })
		}
		w.Sweep()
		if held := w.Held(); held != 0 {
			t.Errorf("%d bytes are held after everything was deleted", held)
		}
	}
}

// What no slab can hold is refused before anything is done.
func TestTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := make([]byte, 1<<30) // never touched, so no memory
	for _, name := range []string{"HSET", "HMSET", "HSETNX", "HINCRBY", "HINCRBYFLOAT"} {
		if got := w.Run([][]byte{[]byte(name), []byte("h"), long, []byte("1")}); got.Str() != resp.ErrStringSize.Str() {
			t.Errorf("%s: %.60s", name, resp.Format(got))
		}
	}
	if got := w.Do("HLEN h"); got != ":0" {
		t.Error(got)
	}
}

func TestHrandfield(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Play(`
		> HSET h f v
		:1
		> HRANDFIELD h 4611686018427387905
		["f"]
		> HRANDFIELD h 4611686018427387905 WITHVALUES
		-ERR value is out of range
		> HRANDFIELD h -9223372036854775808
		-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807
		> HRANDFIELD h -9223372036854775807
		-ERR value is out of range
		> HRANDFIELD nokey -9223372036854775807
		[]
		> HRANDFIELD h -3 withvalues
		[["f", "v"], ["f", "v"], ["f", "v"]]
		> HRANDFIELD h 1 WITHVALUES 2
		-ERR syntax error
		> HRANDFIELD h 0 WITHVALUES
		[]
		> SET s v
		+OK
		> HRANDFIELD s
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> HRANDFIELD s 1 x
		-ERR syntax error
	`)
	w.Settings.BulkMax = 1000
	w.Do("HSET h f " + strings.Repeat("x", 100))
	if got := w.Do("HRANDFIELD h -11 WITHVALUES"); got != "-ERR value is out of range" {
		t.Errorf("more bytes than a reply may have: %.40s", got)
	}
}

// Fields are chosen evenly: each by itself, and each as part of a set. The
// bounds are six standard deviations wide.
func TestHrandfieldIsFair(t *testing.T) {
	t.Parallel()
	f := func(fields, count, rounds int) {
		t.Helper()
		w := newWorld(t)
		w.Settings.HashPackedEntries = 50
		for i := range fields {
			w.Do(fmt.Sprintf("HSET h f%d v%d", i, i))
		}
		times := map[string]int{}
		for range rounds {
			inReply := map[string]bool{}
			for _, item := range w.Run([][]byte{[]byte("HRANDFIELD"), []byte("h"), fmt.Append(nil, count), []byte("WITHVALUES")}).Items() {
				field, value := item.Items()[0].Str(), item.Items()[1].Str()
				if value != "v"+field[1:] {
					t.Fatalf("%s has the value %s", field, value)
				}
				times[field]++
				inReply[field] = true
			}
			if count > 0 && len(inReply) != min(count, fields) {
				t.Fatalf("%d different fields, want %d", len(inReply), count)
			}
		}
		share := float64(max(count, -count)) / float64(fields)
		want := share * float64(rounds)
		for i := range fields {
			n := float64(times[fmt.Sprint("f", i)])
			if (n-want)*(n-want) > 36*want {
				t.Errorf("%d of %d fields: f%d was chosen %v times of %d, want about %v", count, fields, i, n, rounds, want)
			}
		}
	}
	f(20, 5, 4000)
	f(20, -5, 4000)
	f(20, 19, 4000)
	f(300, 5, 20000)
	f(300, 100, 1000)
	f(300, -100, 1000)
	f(300, 299, 1000)
}

func TestHscan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Play(`
		> HSET h a 1 ab 2 "" 3
		:3
		> HSCAN h 7 COUNT 1
		["0", ["a", "1", "ab", "2", "", "3"]]
		> HSCAN h 0 MATCH *
		["0", ["a", "1", "ab", "2", "", "3"]]
		> HSCAN h 0 MATCH "" novalues
		["0", [""]]
		> HSCAN h 0 MATCH a* count 5 MATCH *b
		["0", ["ab", "2"]]
		> HSCAN nokey 0 WHATEVER
		["0", []]
		> HSCAN h 0 COUNT x
		-ERR value is not an integer or out of range
		> HSCAN h 0 COUNT -1
		-ERR syntax error
		> HSCAN h 0 MATCH
		-ERR syntax error
		> HSCAN h 0 TYPE hash
		-ERR syntax error
		> SET s v
		+OK
		> HSCAN s x
		-ERR invalid cursor
		> HSCAN s 0 WHATEVER
		-WRONGTYPE Operation against a key holding the wrong kind of value
	`)
}

// A large hash comes in steps of about COUNT fields, each field once.
func TestHscanLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const fields = 2000
	for i := range fields {
		w.Do(fmt.Sprintf("HSET h f%d v%d", i, i))
	}
	f := func(options string, count, want, per int) {
		t.Helper()
		seen, steps := map[string]int{}, 0
		for cursor := "0"; steps == 0 || cursor != "0"; steps++ {
			argv, _ := resp.SplitLine([]byte("HSCAN h " + cursor + options))
			reply := w.Run(argv)
			cursor = reply.Items()[0].Str()
			items := reply.Items()[1].Items()
			if len(items) > per*(count+70) {
				t.Errorf("%s: %d items in a step", options, len(items))
			}
			for i := 0; i < len(items); i += per {
				seen[items[i].Str()]++
			}
		}
		if len(seen) != want || steps < fields/(count+10) {
			t.Errorf("%s: %d fields in %d steps, want %d", options, len(seen), steps, want)
		}
		for field, times := range seen {
			if times != 1 {
				t.Errorf("%s: %s came %d times", options, field, times)
			}
		}
	}
	f("", 10, fields, 2)
	f(" COUNT 1", 1, fields, 2)
	f(" COUNT 100 NOVALUES", 100, fields, 1)
	f(" MATCH f1??? COUNT 50", 50, 1000, 2)
	f(" COUNT 9223372036854775807", fields, fields, 2)
}
