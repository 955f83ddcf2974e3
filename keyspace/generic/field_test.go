package generic_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// play runs a transcript by 1, 2 and 16 shards.
func play(t *testing.T, transcript string) {
	t.Helper()
	for _, shards := range []int{1, 2, 16} {
		shardtest.New(t, shards, families...).Play(transcript)
	}
}

// What cannot be counted is refused and the key left alone.
func TestExpiryOverflow(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET k v
		+OK
		> EXPIRE k 9223372036854775807
		-ERR invalid expire time in 'expire' command
		> EXPIRE k -9223372036854775808
		-ERR invalid expire time in 'expire' command
		> PEXPIRE k 9223372036854775807
		-ERR invalid expire time in 'pexpire' command
		> EXPIREAT k 9223372036854775807
		-ERR invalid expire time in 'expireat' command
		> TTL k
		:-1
		> PEXPIRE k -9223372036854775808
		:1
		> EXISTS k
		:0
	`)
}

// A time in the past deletes at once, and says so.
func TestPastExpiry(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET k v
		+OK
		> EXPIRE k -1
		:1
		! events del k
		> EXISTS k
		:0
		> SET k v
		+OK
		> EXPIRE k 0
		:1
		> EXISTS k
		:0
		> SET k v EX 100
		+OK
		> PEXPIREAT k 1 GT
		:0
		> PEXPIREAT k 1 LT
		:1
		! events del k
	`)
}

// A refused pair of options gives one reply and has no effect.
func TestExpireConditions(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET k v
		+OK
		> EXPIRE k 100 NX XX
		-ERR NX and XX, GT or LT options at the same time are not compatible
		> EXPIRE k 100 GT LT
		-ERR GT and LT options at the same time are not compatible
		> EXPIRE k soon NOPE
		-ERR Unsupported option NOPE
		> TTL k
		:-1
		> EXPIRE k 100 XX
		:0
		> EXPIRE k 100 GT
		:0
		> EXPIRE k 100 LT
		:1
		! events expire k
		> EXPIRE k 100 GT
		:0
		> EXPIRE k 100 NX
		:0
		> EXPIRE k 200 XX GT
		:1
		> EXPIRE k 200 LT
		:0
		> TTL k
		:200
		> PERSIST k
		:1
		! events persist k
		> PERSIST k
		:0
		! events
	`)
}

// A key that is past its deadline and not yet gone is seen by nobody; only
// DBSIZE counts it.
func TestOverdue(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2, 16} {
		w := shardtest.New(t, shards, families...)
		w.Play(`
			> SET e v PX 10
			+OK
			! advance 10ms
			> DBSIZE
			:1
			> KEYS *
			[]
			> RANDOMKEY
			_
			> DBSIZE
			:1
		`)
		if got := walk(w, "COUNT 100"); got != "" {
			t.Errorf("SCAN finds %s", got)
		}
		w.Play(`
			> EXISTS e
			:0
			! events expired e
			> TTL e
			:-2
			> DBSIZE
			:0
			> SET e v PX 10
			+OK
			! advance 9ms
			> PTTL e
			:1
			! advance 1ms
			! expire
			! events expired e
			> DBSIZE
			:0
		`)
	}
}

func TestTTLIsRounded(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET k v PXAT 1700000001499
		+OK
		> TTL k
		:1
		> PTTL k
		:1499
		> EXPIRETIME k
		:1700000001
		> PEXPIRETIME k
		:1700000001499
		> PEXPIREAT k 1700000001500
		:1
		> TTL k
		:2
		> EXPIRETIME k
		:1700000002
		> EXPIRETIME nokey
		:-2
		> PERSIST k
		:1
		> PEXPIRETIME k
		:-1
	`)
}

func TestCopy(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET a v EX 100
		+OK
		> COPY a c
		:1
		! events copy_to c
		> TTL c
		:100
		> COPY a c
		:0
		! events
		> COPY a a
		-ERR source and destination objects are the same
		> COPY a b DB 99
		-ERR DB index is out of range
		> COPY a b DB one
		-ERR value is not an integer or out of range
		> COPY a b DB 99999999999
		-ERR value is out of range, value must between -2147483648 and 2147483647
		> COPY a a DB 1
		:1
		! events copy_to a@1
		> HSET h f v
		:1
		> COPY h a REPLACE
		:1
		> TTL a
		:-1
		> HSET h f w
		:0
		> HGET a f
		"v"
		> COPY nokey a REPLACE
		:0
		> EXISTS a
		:1
	`)
}

func TestRename(t *testing.T) {
	t.Parallel()
	play(t, `
		> MSET a v b w
		+OK
		> EXPIRE a 100
		:1
		> EXPIRE b 50
		:1
		> RENAME a b
		+OK
		! events rename_from a, rename_to b
		> TTL b
		:100
		> SET c w EX 100
		+OK
		> PERSIST b
		:1
		> RENAME b c
		+OK
		> TTL c
		:-1
		> RENAME c c
		+OK
		! events
		> RENAMENX c c
		:0
		> RENAME nokey nokey
		-ERR no such key
		> SET d x PX 10
		+OK
		! advance 10ms
		> RENAME d c
		-ERR no such key
		> GET c
		"v"
		> RENAMENX c d
		:1
		> SET e y PX 10
		+OK
		! advance 10ms
		> RENAMENX d e
		:1
		! events expired e, rename_from d, rename_to e
		> MGET c d e
		[_, _, "v"]
	`)
}

// A large value keeps its elements wherever it goes.
func TestLargeValuesMove(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2, 16} {
		w := shardtest.New(t, shards, families...)
		line := "HSET h"
		for i := range 600 {
			line += fmt.Sprintf(" field:%d value:%d", i, i)
		}
		w.Do(line)
		w.Play(`
			> RENAME h g
			+OK
			> COPY g f
			:1
			> MOVE f 1
			:1
			> HLEN g
			:600
			> SELECT 1
			+OK
			> RENAME f e
			+OK
			> HGET e field:599
			"value:599"
			> SWAPDB 1 2
			+OK
			> DBSIZE
			:0
			> SELECT 2
			+OK
			> DEL e
			:1
			> SELECT 0
			+OK
			> FLUSHALL
			+OK
		`)
		w.Sweep()
		if held := w.Held(); held != 0 {
			t.Errorf("%d shards hold %d bytes of nothing", shards, held)
		}
	}
}

func TestMove(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET k v EX 100
		+OK
		> MOVE k 1
		:1
		! events move_from k, move_to k@1
		> SELECT 1
		+OK
		> TTL k
		:100
		> SELECT 0
		+OK
		> MOVE k 1
		:0
		> SET k w
		+OK
		> MOVE k 1
		:0
		> MOVE k one
		-ERR value is not an integer or out of range
		> MOVE k -1
		-ERR DB index is out of range
		> MOVE nokey 0
		-ERR source and destination objects are the same
	`)
}

func TestDatabases(t *testing.T) {
	t.Parallel()
	play(t, `
		> MSET a 1 b 2 c 3
		+OK
		> SWAPDB 0 5
		+OK
		> DBSIZE
		:0
		> SET x 1
		+OK
		> SWAPDB 5 0
		+OK
		> DBSIZE
		:3
		> SWAPDB 0 0
		+OK
		> SWAPDB 0 one
		-ERR invalid second DB index
		> SWAPDB 99999999999 0
		-ERR invalid first DB index
		> SWAPDB -1 0
		-ERR DB index is out of range
		> FLUSHDB sync
		+OK
		> DBSIZE
		:0
		> SELECT 5
		+OK
		> DBSIZE
		:1
		> FLUSHALL ASYNC SYNC
		-ERR syntax error
		> FLUSHALL
		+OK
		> DBSIZE
		:0
	`)
}

func TestObject(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET n 9999
		+OK
		> OBJECT REFCOUNT n
		:2147483647
		> INCR n
		:10000
		> OBJECT REFCOUNT n
		:1
		> SET s `+strings.Repeat("x", 44)+`
		+OK
		> OBJECT ENCODING s
		"embstr"
		> APPEND s x
		:45
		> OBJECT ENCODING s
		"raw"
		! advance 90s
		> OBJECT IDLETIME s
		:90
		> TTL s
		:-1
		> EXISTS s
		:1
		> TYPE s
		+string
		> OBJECT IDLETIME s
		:90
		> TOUCH s
		:1
		> OBJECT IDLETIME s
		:0
		> OBJECT NOPE s
		-ERR unknown subcommand 'NOPE'. Try OBJECT HELP.
	`)
}

// Under an LFU policy use is counted, and forgotten.
func TestFrequency(t *testing.T) {
	t.Parallel()
	w := shardtest.New(t, 1, families...)
	w.Settings.LFU = true
	w.Play(`
		> SET k v
		+OK
		> OBJECT FREQ k
		:5
		> OBJECT IDLETIME k
		-ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.
	`)
	for range 1000 {
		w.Do("GET k")
	}
	after, _, _ := resp.ParsePrefix(w.Do("OBJECT FREQ k"))
	if n := after.Int(); n < 12 || n > 40 {
		t.Errorf("the frequency after 1000 uses is %d", n)
	}
	w.Advance(3 * 60_000)
	if got, want := w.Do("OBJECT FREQ k"), resp.Format(resp.Int(after.Int()-3)); got != want {
		t.Errorf("the frequency after three minutes is %s, want %s", got, want)
	}
	w.Advance(100 * 60_000)
	if got := w.Do("OBJECT FREQ k"); got != ":0" {
		t.Errorf("the frequency after an hour and more is %s", got)
	}
}

// walk scans the database to the end and lists what it found, sorted.
func walk(w *shardtest.World, options string) string {
	var keys []string
	for cursor := "0"; ; {
		reply, _, _ := resp.ParsePrefix(w.Do("SCAN " + cursor + " " + options))
		for _, key := range reply.Items()[1].Items() {
			keys = append(keys, key.Str())
		}
		if cursor = reply.Items()[0].Str(); cursor == "0" {
			sort.Strings(keys)
			return strings.Join(keys, " ")
		}
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2, 16} {
		w := shardtest.New(t, shards, families...)
		var all, some []string
		for i := range 500 {
			key := fmt.Sprintf("key:%03d", i)
			w.Do("SET " + key + " v")
			if all = append(all, key); i%10 == 7 {
				some = append(some, key)
			}
		}
		w.Do("HSET key:h f v")
		f := func(options, want string) {
			t.Helper()
			if got := walk(w, options); got != want {
				t.Errorf("%d shards, %s: found %.100s, want %.100s", shards, options, got, want)
			}
		}
		f("", strings.Join(all, " ")+" key:h")
		f("COUNT 1 TYPE string", strings.Join(all, " "))
		f("COUNT 1000 MATCH key:??7", strings.Join(some, " "))
		f("TYPE Hash", "key:h")
		f("TYPE nonsense", "")
		f("MATCH nothing*", "")
		f("MATCH * TYPE hash", "key:h")

		// In a transaction all shards are held: it goes through them at once.
		reply, _, _ := resp.ParsePrefix(w.Transaction("SCAN 0 COUNT 10000"))
		if cursor, n := reply.Items()[0].Str(), len(reply.Items()[1].Items()); cursor != "0" || n != 501 {
			t.Errorf("%d shards: in a transaction SCAN finds %d keys, cursor %s", shards, n, cursor)
		}
	}
}

// COUNT is about how many keys a call looks at.
func TestScanCount(t *testing.T) {
	t.Parallel()
	w := shardtest.New(t, 1, families...)
	for i := range 1000 {
		w.Do(fmt.Sprintf("SET key:%d v", i))
	}
	reply, _, _ := resp.ParsePrefix(w.Do("SCAN 0 COUNT 100"))
	if n := len(reply.Items()[1].Items()); n < 100 || n > 120 {
		t.Errorf("SCAN with COUNT 100 gives %d keys", n)
	}
}

// The empty key is one like any other, and of the patterns only "*" finds it.
func TestEmptyKey(t *testing.T) {
	t.Parallel()
	play(t, `
		> SET "" v
		+OK
		> KEYS *
		[""]
		> KEYS **
		[]
		> KEYS ""
		[""]
		> RANDOMKEY
		""
	`)
}
