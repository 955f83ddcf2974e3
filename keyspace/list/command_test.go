package list_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/list"
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
	return shardtest.New(t, 2, &list.Commands, &str.Commands)
}

func TestExamples(t *testing.T) {
	t.Parallel()
	shardtest.Examples(t, &list.Commands, &list.Commands, &str.Commands)
}

// Changes are told of in Redis's words and order.
func TestEvents(t *testing.T) {
	t.Parallel()
	for _, size := range []int{-2, 1} {
		w := newWorld(t)
		w.Settings.ListPackedSize = size
		w.Play(`
			> RPUSH l a b c d e
			:5
			! events rpush l
			> LPUSH l z
			:6
			! events lpush l
			> LPUSHX nokey z
			:0
			! events
			> LSET l 0 y
			+OK
			! events lset l
			> LINSERT l BEFORE nothing x
			:-1
			! events
			> LINSERT l AFTER y x
			:7
			! events linsert l
			> LREM l 0 nothing
			:0
			! events
			> LREM l 0 x
			:1
			! events lrem l
			> LPOP l 0
			[]
			! events
			> LPOP l
			"y"
			! events lpop l
			> RPOP l 2
			["e", "d"]
			! events rpop l
			> LTRIM l 0 -1
			+OK
			! events ltrim l
			> LMOVE l m LEFT RIGHT
			"a"
			! events rpush m, lpop l
			> LMOVE l l LEFT RIGHT
			"b"
			! events rpush l, lpop l
			> LMOVE m m LEFT RIGHT
			"a"
			! events rpush m, lpop m
			> RPOPLPUSH m l
			"a"
			! events lpush l, rpop m, del m
			> LMPOP 2 m l RIGHT
			["l", ["b"]]
			! events rpop l
			> BLPOP m l 0
			["l", "a"]
			! events lpop l
			> BLPOP m 0
			_
			! events
			> BRPOPLPUSH l l 0
			"c"
			! events lpush l, rpop l
			> LREM l 1 c
			:1
			! events lrem l, del l
			> RPUSH l a
			:1
			! events rpush l
			> LTRIM l 1 0
			+OK
			! events ltrim l, del l
		`)
	}
}

// A list is packed up to the limit, and again when it has shrunk to half.
func TestConversion(t *testing.T) {
	t.Parallel()
	f := func(size int, want string, commands ...string) {
		t.Helper()
		w := newWorld(t)
		w.Settings.ListPackedSize = size
		for _, line := range commands {
			if got := w.Do(line); strings.HasPrefix(got, "-") {
				t.Errorf("%.60q: %s", line, got)
			}
		}
		if got := encoding(w, "l"); got != want {
			t.Errorf("%d %.60q: %s, want %s", size, commands, got, want)
		}
	}
	elements := func(n int) string { return "RPUSH l" + strings.Repeat(" x", n) }
	text := func(n int) string { return strings.Repeat("x", n) }
	f(4, "listpack", elements(4))
	f(4, "quicklist", elements(5))
	f(4, "quicklist", elements(4), "LPUSH l x")
	f(4, "quicklist", elements(4), "LINSERT l BEFORE x x")
	f(4, "quicklist", elements(5), "LPOP l 2")
	f(4, "listpack", elements(5), "LPOP l 3")
	f(4, "quicklist", elements(5), "LTRIM l 0 2")
	f(4, "listpack", elements(5), "LTRIM l 0 1")
	f(4, "listpack", elements(5), "LREM l 3 x")
	f(4, "listpack", elements(5), "LMOVE l k LEFT LEFT", "LMOVE l k LEFT LEFT", "RPOP l")
	f(1, "listpack", "RPUSH l "+text(100))
	f(0, "listpack", "RPUSH l a")
	f(0, "quicklist", "RPUSH l a b")
	f(-1, "listpack", "RPUSH l "+text(4092))
	f(-1, "quicklist", "RPUSH l "+text(4093))
	f(-2, "quicklist", "RPUSH l "+text(4093)+" "+text(4093))
	f(-2, "quicklist", "RPUSH l a", "LSET l 0 "+text(9000))
	f(-2, "listpack", "RPUSH l "+text(9000), "LSET l 0 a")
	f(-5, "listpack", "RPUSH l "+text(65530))
	f(-9, "quicklist", "RPUSH l "+text(65533))
	f(200, "quicklist", "RPUSH l "+text(8200))
	f(4, "", elements(5), "LPOP l 5")
}

// The time to live stays through changes of either form.
func TestKeepsDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deadline := func() int64 {
		return within(w, func(tx *keyspace.Tx) resp.Reply { return resp.Int(tx.Deadline(tx.Peek([]byte("l")))) }).Int()
	}
	w.Do("RPUSH l a b c d")
	within(w, func(tx *keyspace.Tx) resp.Reply {
		tx.Expire(tx.Peek([]byte("l")), w.Now+1000, "expire")
		return resp.OK
	})
	for _, line := range []string{
		"LPUSH l x", "LSET l 0 long", "LPOP l", "LINSERT l AFTER a y", "LREM l 1 y", "LTRIM l 0 2", "LMOVE l l LEFT RIGHT",
		"RPUSH l " + strings.Repeat("x", 9000), "LMOVE l l RIGHT LEFT", "LSET l 0 z", "LTRIM l 1 2", "LPOP l",
	} {
		if got := w.Do(line); strings.HasPrefix(got, "-") || deadline() != w.Now+1000 {
			t.Errorf("after %.20s, %s: %d, want %d", line, got, deadline(), w.Now+1000)
		}
	}
	w.Advance(1000)
	if got := w.Do("RPUSH l a"); got != ":1" || deadline() != keyspace.NoDeadline {
		t.Errorf("after the deadline: %s, deadline %d", got, deadline())
	}
}

// Copies and renamed lists of both forms are whole, and all memory comes back
// when the keys go.
func TestCopyAndFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, n := range []int{5, 30000} {
		for i := range n {
			w.Do(fmt.Sprintf("RPUSH l element:%d", i))
		}
		within(w, func(tx *keyspace.Tx) resp.Reply {
			for _, to := range []string{"same{l}", "a", "b", "c", "d"} {
				tx.Copy(tx.Peek([]byte("l")), []byte(to), 0, "copy_to")
			}
			tx.Rename([]byte("a"), []byte("renamed{a}"), 0, keyspace.Transfer{Gone: "rename_from", Made: "rename_to"})
			tx.Rename([]byte("b"), []byte("e"), 0, keyspace.Transfer{Gone: "rename_from", Made: "rename_to"})
			return resp.OK
		})
		for _, key := range []string{"l", "same{l}", "renamed{a}", "e", "c", "d"} {
			if got := w.Do("LLEN " + key); got != fmt.Sprintf(":%d", n) {
				t.Errorf("LLEN %s: %s", key, got)
			}
			if got := w.Do(fmt.Sprintf("LINDEX %s %d", key, n-2)); got != fmt.Sprintf("%q", fmt.Sprint("element:", n-2)) {
				t.Errorf("LINDEX %s: %s", key, got)
			}
			if key == "e" {
				w.Do("LTRIM e 2 3") // much goes, and the list becomes packed
			}
			within(w, func(tx *keyspace.Tx) resp.Reply { tx.Delete([]byte(key), "del"); return resp.OK })
		}
		w.Sweep()
		if held := w.Held(); held != 0 {
			t.Errorf("%d bytes are held after everything was deleted", held)
		}
	}
}

// Nothing is changed by a command that fails.
func TestMistakesChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do("RPUSH l a b c")
	w.Do("SET s v")
	for _, line := range []string{
		"LPOP l -1", "LPOP l x", "LPOP l 1 2", "LMOVE l s LEFT LEFT", "RPOPLPUSH l s", "BLMOVE l s LEFT LEFT 0", "BLMOVE l k LEFT LEFT x",
		"LSET l 3 x", "LSET l x x", "LINSERT l NEAR a x", "LREM l x a", "LTRIM l x 0", "LTRIM l 0 x", "LMPOP 1 l LEFT COUNT 0",
		"LMPOP 1 l LEFT COUNT 1 x", "LMPOP 2 s l LEFT", "BLPOP l x", "BLPOP s l 0", "BLMPOP x 1 l LEFT", "RPUSH s a", "LPUSHX s a",
	} {
		if got := w.Do(line); !strings.HasPrefix(got, "-") || len(w.Events) > 0 {
			t.Errorf("%s: %s, events %v", line, got, w.Events)
		}
	}
	w.Play(`
		> LRANGE l 0 -1
		["a", "b", "c"]
		> GET s
		"v"
	`)
}

// However far a range is said to go, it has the elements that there are.
func TestHugeNumbers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Play(`
		> RPUSH l a b c
		:3
		> LRANGE l -9223372036854775808 9223372036854775807
		["a", "b", "c"]
		> LRANGE l 9223372036854775807 -9223372036854775808
		[]
		> LRANGE l 9223372036854775807 9223372036854775807
		[]
		> LRANGE l 0 9223372036854775808
		-ERR value is not an integer or out of range
		> LINDEX l -9223372036854775808
		_
		> LPOS l c RANK -9223372036854775808
		:2
		> LPOS l c COUNT 9223372036854775807 MAXLEN 9223372036854775807
		[:2]
		> LREM l -9223372036854775808 c
		:1
		> LPOP l 9223372036854775807
		["a", "b"]
		> RPUSH l a b c
		:3
		> LTRIM l -9223372036854775808 9223372036854775807
		+OK
		> LMPOP 1 l LEFT COUNT 9223372036854775807
		["l", ["a", "b", "c"]]
		> LMPOP 9223372036854775807 l LEFT
		-ERR syntax error
	`)
}
