package hash_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// eachForm runs a test with hashes packed, and with all of them large.
func eachForm(t *testing.T, test func(t *testing.T, w *shardtest.World)) {
	for _, entries := range []int{512, 0} {
		t.Run(fmt.Sprint("entries=", entries), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Settings.HashPackedEntries = entries
			test(t, w)
		})
	}
}

// Fields end on time, seen by nobody after it, with nobody looking or with
// whoever comes first; the key goes with the last.
func TestFieldsEnd(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, w *shardtest.World) {
		w.Play(`
			> HSET h a 1 b 2 c 3
			:3
			> HEXPIRE h 10 FIELDS 1 a
			[:1]
			! events hexpire h
			> HPEXPIRE h 10500 FIELDS 1 b
			[:1]
			> HTTL h FIELDS 3 a b c
			[:10, :11, :-1]
			! advance 9999ms
			! expire
			! events
			> HPTTL h FIELDS 3 a b c
			[:1, :501, :-1]
			! advance 1ms
			! expire
			! events hexpired h
			> HLEN h
			:2
			! advance 500ms
			> HTTL h FIELDS 2 b c
			[:-2, :-1]
			! events hexpired h
			> HGETALL h
			%{"c": "3"}
			> HEXPIRE h 1 FIELDS 1 c
			[:1]
			! advance 1s
			> HGETALL h
			%{}
			! events hexpired h, del h
			> HSETEX h PX 5 FIELDS 2 a 1 b 2
			:1
			! events hset h, hexpire h
			! advance 5ms
			! expire
			! events hexpired h, del h
			> HLEN h
			:0
		`)
	})
}

// What becomes of a deadline when its field is changed.
func TestFieldsKeepDeadline(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, w *shardtest.World) {
		f := func(line, want string) {
			t.Helper()
			w.Do("HDEL h f g")
			w.Do("HSET h f 1 g 1")
			w.Do("HEXPIRE h 100 FIELDS 1 f")
			w.Do(line)
			if got := w.Do("HTTL h FIELDS 1 f"); got != want {
				t.Errorf("%s: %s, want %s", line, got, want)
			}
		}
		f("HSET h f 2", "[:-1]")
		f("HSET h f longer", "[:-1]")
		f("HMSET h f 2", "[:-1]")
		f("HSETNX h f 2", "[:100]")
		f("HINCRBY h f 1", "[:100]")
		f("HINCRBY h f 1000000", "[:100]")
		f("HINCRBYFLOAT h f 1.25", "[:100]")
		f("HSET h g 2", "[:100]")
		f("HDEL h g", "[:100]")
		f("HDEL h f", "[:-2]")
		f("HSET h f "+strings.Repeat("x", 70), "[:-1]")
		f("HSET h g "+strings.Repeat("x", 70), "[:100]")
		f("HGET h f", "[:100]")
		f("HGETEX h FIELDS 1 f", "[:100]")
		f("HGETEX h PERSIST FIELDS 1 f", "[:-1]")
		f("HGETEX h EX 50 FIELDS 1 f", "[:50]")
		f("HGETDEL h FIELDS 1 f", "[:-2]")
		f("HSETEX h KEEPTTL FIELDS 1 f 2", "[:100]")
		f("HSETEX h FIELDS 1 f 2", "[:-1]")
		f("HSETEX h EX 7 FIELDS 1 f 2", "[:7]")
		f("HPERSIST h FIELDS 1 f", "[:-1]")
	})
}

// The conditions of HEXPIRE, with deadlines before and after the present one.
func TestConditions(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, w *shardtest.World) {
		f := func(present, condition, seconds, want string) {
			t.Helper()
			w.Do("HSET h f 1 g 1")
			if present != "" {
				w.Do("HEXPIRE h " + present + " FIELDS 1 f")
			}
			line := "HEXPIRE h " + seconds + " " + condition + " FIELDS 1 f"
			if got := w.Do(line); got != want {
				t.Errorf("%q, then %s: %s, want %s", present, line, got, want)
			}
		}
		f("", "NX", "5", "[:1]")
		f("10", "NX", "5", "[:0]")
		f("", "XX", "5", "[:0]")
		f("10", "xx", "5", "[:1]")
		f("", "GT", "5", "[:0]")
		f("10", "GT", "5", "[:0]")
		f("10", "GT", "10", "[:0]")
		f("10", "GT", "15", "[:1]")
		f("", "LT", "5", "[:1]")
		f("10", "lt", "5", "[:1]")
		f("10", "LT", "10", "[:0]")
		f("10", "LT", "15", "[:0]")
		f("10", "LT", "0", "[:2]")
		f("10", "GT", "0", "[:0]")
		f("", "XX", "0", "[:0]")
	})
}

// Mistakes are found in Redis's order: the key's type, the time, the words.
func TestFieldMistakes(t *testing.T) {
	t.Parallel()
	newWorld(t).Play(`
		> SET k v
		+OK
		> HEXPIRE k soon FIELDS 1 f
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> HEXPIRE h soon NOFIELDS 1 f
		-ERR value is not an integer or out of range
		> HEXPIRE h -1 NOFIELDS 1 f
		-ERR invalid expire time, must be >= 0
		> HEXPIRE h 70368744178 NOFIELDS 1 f
		-ERR invalid expire time in 'hexpire' command
		> HEXPIRE h 10 NOFIELDS 0 f
		-ERR Mandatory argument FIELDS is missing or not at the right position
		> HEXPIRE h 10 NX XX FIELDS 1 f
		-ERR Mandatory argument FIELDS is missing or not at the right position
		> HEXPIRE h 10 fields 0 f
		-ERR Parameter ` + "`numFields`" + ` should be greater than 0
		> HEXPIRE h 10 FIELDS x f
		-ERR Parameter ` + "`numFields`" + ` should be greater than 0
		> HEXPIRE h 10 NX FIELDS 1
		-ERR The ` + "`numfields`" + ` parameter must match the number of arguments
		> HEXPIRE h 10 FIELDS 1 f g
		-ERR The ` + "`numfields`" + ` parameter must match the number of arguments
		> HEXPIRE h 10 FIELDS 1
		-ERR wrong number of arguments for 'hexpire' command
		> HPEXPIREAT h 70368744177664 FIELDS 1 f
		-ERR invalid expire time in 'hpexpireat' command
		> HPEXPIREAT h 70368744177663 FIELDS 1 f
		[:-2]
		> HTTL k FIELDS 0 f
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> HTTL h FIELDS 0 f
		-ERR Number of fields must be a positive integer
		> HPERSIST k FIELDS 0 f
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> HPERSIST h FIELD 1 f
		-ERR Mandatory argument FIELDS is missing or not at the right position
		> HPERSIST h FIELDS 2 f g
		[:-2, :-2]
		> HGETEX k EX 10 FIELDS 1 f
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> HGETEX h EX x FIELDS 1 f
		-ERR value is not an integer or out of range
		> HGETEX h EX 10 PERSIST FIELDS 1 f
		-ERR Mandatory argument FIELDS is missing or not at the right position
		> HGETEX h EX 10 FIELDS
		-ERR syntax error
		> HGETEX h PERSIST FIELDS 2 f
		-ERR The ` + "`numfields`" + ` parameter must match the number of arguments
		> HGETDEL h FIELDS 2 f
		-ERR The ` + "`numfields`" + ` parameter must match the number of arguments
		> HGETDEL k FIELDS 1 f
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> HSETEX k FIELDS 1 f v
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> HSETEX k FIELDS 0 f v
		-ERR invalid number of fields
		> HSETEX h FIELDS 2 f v
		-ERR wrong number of arguments for 'hsetex' command
		> HSETEX h FIELDS 1 f v g
		-ERR wrong number of arguments for 'hsetex' command
		> HSETEX h EX 10 FIELDS 1 f
		-ERR wrong number of arguments for 'hsetex' command
		> HSETEX h EX 10 KEEPTTL FIELDS 1 f v
		-ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified
		> HSETEX h PX 10 EX x FIELDS 1 f v
		-ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified
		> HSETEX h FNX FNX FIELDS 1 f v
		-ERR Only one of FXX or FNX arguments can be specified
		> HSETEX h NX FIELDS 1 f v
		-ERR unknown argument: NX
		> HSETEX h EX 0x FIELDS 1 f v
		-ERR value is not an integer or out of range
		> HSETEX h EX -1 FIELDS 1 f v
		-ERR invalid expire time, must be >= 0
		> HLEN h
		:0
	`)
}

func TestHsetex(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, w *shardtest.World) {
		w.Play(`
			> HSETEX h FXX FIELDS 1 f v
			:0
			! events
			> HSETEX h FNX FIELDS 1 f v
			:1
			! events hset h
			> HSETEX h FXX FIELDS 2 f w g w
			:0
			> HSETEX h FNX FIELDS 2 f w g w
			:0
			> HSETEX h FXX PXAT 1 FIELDS 1 f v
			:1
			! events hset h, hdel h, del h
			> HSETEX h EX 0 FIELDS 1 f v
			:1
			! events
			> HLEN h
			:0
			> HSETEX h EX 10 FIELDS 2 f v f w
			:1
			> HGETEX h PX 0 FIELDS 3 f f x
			["w", _, _]
			! events hdel h, del h
			> HGETDEL h FIELDS 1 f
			[_]
			! events
		`)
	})
}

// OBJECT ENCODING tells of a packed hash that has, or had, deadlines.
func TestTimedEncoding(t *testing.T) {
	t.Parallel()
	f := func(want string, commands ...string) {
		t.Helper()
		w := newWorld(t)
		w.Settings.HashPackedEntries = 3
		for _, line := range commands {
			w.Do(line)
		}
		if got := encoding(w, "h"); got != want {
			t.Errorf("%q: %s, want %s", commands, got, want)
		}
	}
	f("listpack", "HSET h a 1")
	f("listpackex", "HSET h a 1", "HEXPIRE h 10 FIELDS 1 a")
	f("listpackex", "HSET h a 1", "HEXPIRE h 10 FIELDS 1 a", "HPERSIST h FIELDS 1 a")
	f("listpackex", "HSET h a 1 b 2 c 3", "HEXPIRE h 10 FIELDS 1 a", "HDEL h a")
	f("hashtable", "HSET h a 1 b 2 c 3", "HEXPIRE h 10 FIELDS 1 a", "HSET h d 1")
	f("hashtable", "HSETEX h EX 10 FIELDS 4 a 1 b 2 c 3 d 4")
}

// A copy has the deadlines too, and its fields end as those of what was copied.
func TestCopiedDeadlines(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, w *shardtest.World) {
		w.Do("HSET h a 1 b 2 c 3")
		w.Do("HPEXPIRE h 10 FIELDS 1 a")
		w.Do("HPEXPIRE h 20 FIELDS 1 b")
		within(w, func(tx *keyspace.Tx) resp.Reply {
			for _, to := range []string{"same{h}", "d", "e"} {
				tx.Copy(tx.Peek([]byte("h")), []byte(to), 0, "copy_to")
			}
			tx.Rename([]byte("d"), []byte("renamed{d}"), 0, keyspace.Transfer{Gone: "rename_from", Made: "rename_to"})
			tx.Rename([]byte("e"), []byte("h2"), 0, keyspace.Transfer{Gone: "rename_from", Made: "rename_to"})
			return resp.OK
		})
		w.Do("HPERSIST h FIELDS 1 a")
		keys := []string{"same{h}", "renamed{d}", "h2"}
		f := func(want string) {
			t.Helper()
			for _, key := range keys {
				if got := w.Do("HPTTL " + key + " FIELDS 3 a b c"); got != want {
					t.Errorf("%s: %s, want %s", key, got, want)
				}
			}
		}
		f("[:10, :20, :-1]")
		w.Advance(10)
		w.ExpireDue()
		if len(w.Events) != 3 {
			t.Errorf("%v", w.Events)
		}
		f("[:-2, :10, :-1]")
		w.Advance(10)
		f("[:-2, :-2, :-1]")
		if got := w.Do("HPTTL h FIELDS 3 a b c"); got != "[:-1, :-2, :-1]" {
			t.Error(got)
		}
		for _, key := range append(keys, "h") {
			w.Do("HGETDEL " + key + " FIELDS 2 a c")
		}
		w.Sweep()
		if held := w.Held(); held != 0 {
			t.Errorf("%d bytes are held after everything was deleted", held)
		}
	})
}

// Thousands of fields of one hash are due at once: none is seen, whatever
// asks, while they are removed in slices; what has no deadline stays.
func TestStormOfFields(t *testing.T) {
	t.Parallel()
	const due, stay = 60_000, 40
	w := newWorld(t)
	w.Settings.HashPackedEntries = 0
	for i := 0; i < due; i += 100 {
		line := "HSETEX h PX 100 FIELDS 100"
		for n := range 100 {
			line += fmt.Sprintf(" f%d v", i+n)
		}
		w.Do(line)
	}
	for i := range stay {
		w.Do(fmt.Sprintf("HSET h s%d v", i))
	}
	w.Advance(100)
	list := func(r resp.Reply) (texts []string) {
		for _, item := range r.Items() {
			texts = append(texts, item.Str())
		}
		return texts
	}
	for asked := range 5 { // each removes a slice
		if got := w.Do("HLEN h"); got != fmt.Sprint(":", stay) {
			t.Errorf("HLEN: %s", got)
		}
		if got := w.Do("HMGET h f59999 f59998 s1"); got != `[_, _, "v"]` {
			t.Error(got)
		}
		for _, line := range []string{"HKEYS h", "HRANDFIELD h 100", "HRANDFIELD h 39", "HRANDFIELD h -100", "HGETALL h"} {
			argv, _ := resp.SplitLine([]byte(line))
			for _, text := range list(w.Run(argv)) {
				if text[0] == 'f' {
					t.Fatalf("%s shows %s", line, text)
				}
			}
		}
		if got := w.Do("HRANDFIELD h"); got[1] != 's' {
			t.Errorf("HRANDFIELD: %s", got)
		}
		field := fmt.Sprint("f", due-1-asked)
		if got := w.Do("HSETNX h " + field + " again"); got != ":1" {
			t.Errorf("HSETNX of a field that is gone: %s", got)
		}
		if got := w.Do("HGETDEL h FIELDS 1 " + field); got != `["again"]` {
			t.Error(got)
		}
		if got := w.Do("HDEL h f40000"); got != ":0" {
			t.Errorf("HDEL of a field that is gone: %s", got)
		}
	}
	w.ExpireDue()
	if events := shardtest.EventText(w.Events); strings.Count(events, "hexpired h") < 2 {
		t.Errorf("events: %s", events)
	}
	var left []string
	for cursor := "0"; ; {
		reply := w.Run([][]byte{[]byte("HSCAN"), []byte("h"), []byte(cursor), []byte("NOVALUES")})
		left = append(left, list(reply.Items()[1])...)
		if cursor = reply.Items()[0].Str(); cursor == "0" {
			break
		}
	}
	slices.Sort(left)
	if left = slices.Compact(left); len(left) != stay {
		t.Errorf("%d fields are left, want %d", len(left), stay)
	}
}

// A hash all of whose many fields have ended is no key from then on, and goes
// at once, its memory step by step.
func TestWholeHashEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Settings.HashPackedEntries = 0
	for i := range 5000 {
		w.Do(fmt.Sprintf("HSETEX h PX %d FIELDS 1 f%d v", 100+i%10, i))
	}
	w.Advance(109)
	within(w, func(tx *keyspace.Tx) resp.Reply {
		tx.Each(func(v keyspace.Value) bool { t.Errorf("%s is listed", v.Key()); return true })
		if !tx.Peek([]byte("h")).Missing() {
			t.Error("the key is there")
		}
		return resp.OK
	})
	if got := shardtest.EventText(w.Events); got != "hexpired h, del h" {
		t.Errorf("events: %s", got)
	}
	w.Sweep()
	if held := w.Held(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}
