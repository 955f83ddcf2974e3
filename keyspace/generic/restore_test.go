package generic_test

import (
	"encoding/binary"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// restoreWords is a RESTORE of a payload that a test has made.
func restoreWords(key string, payload []byte, options ...string) [][]byte {
	argv := words("RESTORE " + key + " 0 payload " + strings.Join(options, " "))[0]
	argv[3] = payload
	return argv
}

// of74 is a value with the footer that redis-server 7.4 gives it.
func of74(value string) []byte {
	out := append([]byte(value), 12, 0)
	return binary.LittleEndian.AppendUint64(out, rdb.Checksum(0, out))
}

// Fields that end keep their deadlines, as redis-server 7.4 writes them: in
// what is dumped here, and in all forms that it writes or wrote.
func TestRestoredFieldsEnd(t *testing.T) {
	t.Parallel()
	w := shardtest.New(t, 2, everyFamily...)
	const soon, later = 1_700_000_005_000, 1_700_000_009_000
	check := func(key string) {
		t.Helper()
		w.Play(`
			> HGETALL ` + key + `
			%{"f": "v", "g": "w", "1": "2"}
			> HPEXPIRETIME ` + key + ` FIELDS 3 f g 1
			[:` + strconv.Itoa(soon) + `, :` + strconv.Itoa(later) + `, :-1]
		`)
	}
	w.Play(`
		> HSET k f v g w 1 2
		:3
		> HPEXPIREAT k 1700000005000 FIELDS 1 f
		[:1]
		> HPEXPIREAT k 1700000009000 FIELDS 1 g
		[:1]
	`)
	check("k")
	dumped := []byte(w.Run(words("DUMP k")[0]).Str())
	earliest := string(binary.LittleEndian.AppendUint64(nil, soon))
	absolute := func(when uint64) string { return "\x81" + string(binary.BigEndian.AppendUint64(nil, when)) }
	number := func(when uint64) string { return "\xf4" + string(binary.LittleEndian.AppendUint64(nil, when)) + "\x09" }
	triples := "\x81f\x02\x81v\x02" + number(soon) + "\x81g\x02\x81w\x02" + number(later) + "\x01\x01\x02\x01\x00\x01\xff"
	triples = string(binary.LittleEndian.AppendUint32(nil, uint32(len(triples)+6))) + "\x09\x00" + triples
	triples = string([]byte{byte(len(triples))}) + triples
	timed := earliest + "\x03\x01\x01f\x01v\x4f\xa1\x01g\x01w\x00\xc0\x01\xc0\x02"
	for key, payload := range map[string][]byte{
		"dumped": dumped,
		"form24": of74("\x18" + timed),
		"form22": of74("\x16\x03" + absolute(soon) + "\x01f\x01v" + absolute(later) + "\x01g\x01w\x00\xc0\x01\xc0\x02"),
		"form23": of74("\x17" + triples),
		"form25": of74("\x19" + earliest + triples),
	} {
		if got := resp.Format(w.Run(restoreWords(key, payload))); got != "+OK" {
			t.Errorf("%s: %q is restored with %s", key, payload, got)
			continue
		}
		check(key)
	}
	if dumped[0] != 24 || dumped[len(dumped)-10] != 12 {
		t.Errorf("it is dumped as %q", dumped)
	}

	w.Advance(6000)
	w.Play(`
		> HGETALL form25
		%{"g": "w", "1": "2"}
	`)
	w.Advance(6000)
	again := w.Run(words("DUMP form25")[0]).Str()
	if again[0] != 16 || again[len(again)-10] != 10 {
		t.Errorf("without fields that end it is dumped as %q", again)
	}
	ended := of74("\x18" + earliest + "\x01\x01\x01f\x01v")
	if got := resp.Format(w.Run(restoreWords("ended", ended))); got != "+OK" || w.Do("EXISTS ended") != ":0" {
		t.Errorf("a hash whose fields have ended is restored with %s", got)
	}
}

// A payload that is refused leaves the key as it was, and nothing in memory.
func TestRefusedRestore(t *testing.T) {
	t.Parallel()
	w := shardtest.New(t, 2, everyFamily...)
	twice := "\x03\x01a\x01b\x01a"
	for _, make := range []string{"SET k v", "RPUSH k v", "HSET k f v", "SADD k v", "ZADD k 1 v"} {
		w.Do("DEL k")
		w.Do(make)
		w.Do("PEXPIREAT k 1700000005000")
		before := w.Do("DUMP k")
		for _, value := range []string{
			"\x02" + twice, "\x02\xfe" + twice, "\x04\x02\x01f\x01v\x01f\x01w", "\x05\x02\x01a12345678\x01a12345678",
			"\x00\x05text", "\x00\x03text", "\x01\x00", "\x06\x01", "\x07\x01", "\x0f\x01", "\x15\x01", "\x1a\x01", "\xff",
		} {
			if got := resp.Format(w.Run(restoreWords("k", of74(value), "REPLACE"))); got != "-ERR Bad data format" || len(w.Events) > 0 {
				t.Errorf("%q is restored with %s, and made known as %v", value, got, w.Events)
			}
		}
		if after := w.Do("DUMP k"); after != before || w.Do("PEXPIRETIME k") != ":1700000005000" {
			t.Errorf("%s was %s and is %s", make, before, after)
		}
	}
	w.Do("FLUSHALL")
	w.Sweep()
	held := w.Held()
	for range 200 {
		long := strings.Repeat("\x40\xffmember"+strings.Repeat("x", 0xff-6), 100)
		w.Run(restoreWords("k", of74("\x02\x40\x64"+long)))
	}
	w.Sweep()
	if grown := w.Held() - held; grown > 1<<20 {
		t.Errorf("refused payloads hold %d bytes", grown)
	}
}

// What RESTORE does is made known once, whatever was there before; watchers and
// waiters hear of it.
func TestRestoreIsMadeKnown(t *testing.T) {
	t.Parallel()
	play(t, `
		> RESTORE k 0 "\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb"
		+OK
		! events restore k
		> RESTORE k 5000 "\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb" REPLACE
		+OK
		! events restore k
		> RESTORE k 1 "\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb" REPLACE ABSTTL
		+OK
		! events del k
		> RESTORE k 1 "\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb" REPLACE ABSTTL
		+OK
		! events
		> RESTORE k 9223372036854775807 "\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb"
		+OK
		> EXISTS k
		:1
	`)
}
