package actors_test

import (
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/journal"
)

// at is a record of commands in database 0, as of a time.
func at(when time.Time, commands ...string) journal.Record {
	r := journal.Record{Time: when.UnixMilli()}
	for _, line := range commands {
		var words [][]byte
		for word := range strings.FieldsSeq(line) {
			words = append(words, []byte(word))
		}
		r.Body = keyspace.AppendEffect(r.Body, 0, 0, words)
	}
	return r
}

// Times to live count from when they were given, not from the start: whether the
// server was down for long, or the clock has jumped ahead or back since.
func TestClockWhileDown(t *testing.T) {
	t.Parallel()
	now := time.Now()
	past, future := now.Add(-time.Hour), now.Add(time.Hour)
	disk := replayed(t, []journal.Record{
		at(past, "SET over v EX 60", "SET left v EX 7200", "SET kept v", "EXPIRE kept 7200", "HSET h f v", "HPEXPIRE h 7200000 FIELDS 1 f", "HSET h g v", "HPEXPIRE h 1000 FIELDS 1 g"),
		at(future, "SET ahead v EX 60", "XADD stream 99999999999999-1 f v", "SET plain v"),
		at(past, "SET again v EX 7200", "APPEND left w"), // the clock has gone back meanwhile
	})
	db := keep(t, disk, "shards", "3")
	f := func(key string, from time.Time, ttl time.Duration) {
		t.Helper()
		want := from.Add(ttl).UnixMilli()
		if got := db.do("PEXPIRETIME", key).Int(); got != want {
			t.Errorf("%s ends %d ms after it should", key, got-want)
		}
	}
	db.want(":0", "EXISTS", "over")
	f("left", past, 2*time.Hour)
	f("kept", past, 2*time.Hour)
	f("ahead", future, time.Minute)
	f("again", past, 2*time.Hour)
	db.want(`"vw"`, "GET", "left")
	db.want(`["f"]`, "HKEYS", "h")
	db.want(`"v"`, "GET", "plain")

	// The clock of the shards is the machine's, wherever those of the records were.
	db.do("SET", "fresh", "v", "PX", "60000")
	if left := time.UnixMilli(db.do("PEXPIRETIME", "fresh").Int()).Sub(now); left < time.Minute || left > time.Minute+durablePatience {
		t.Errorf("a key with a minute to live ends in %v", left)
	}
	if id := db.do("XADD", "stream", "*", "f", "v").Text(); id != "99999999999999-2" {
		t.Errorf("after an entry of the far future comes %s", id)
	}
}

// A server that was told an hour ahead of its time leaves times of its own clock:
// after a start without that hour everything is there, and ends when it said.
func TestClockJumpsBack(t *testing.T) {
	t.Parallel()
	disk := newDisk(t, 1)
	db := keep(t, disk, "appendfsync", "always")
	db.do("SET", "before", "v", "PX", "1800000")
	db.do("SET", "unread", "v", "PX", "1800000")
	db.do("DEBUG", "ADVANCE", "3600000")
	// What nobody reads is recorded to be over as well, soon after its time.
	db.soon("keys are over", func() bool { return db.do("DBSIZE").Int() == 0 })
	db.want("_", "GET", "before") // it is over, and recorded to be
	db.do("SET", "after", "v", "EX", "60")
	db.do("XADD", "stream", "*", "f", "1")
	db.rewrite()
	db.do("SET", "late", "v", "EX", "60")
	want := db.content()
	disk = disk.Kill()
	db = keep(t, disk)
	db.wantContent(want)
	db.want(":0", "EXISTS", "before", "unread")
	db.do("XADD", "stream", "*", "f", "2")
	if got := db.do("XRANGE", "stream", "-", "+").Items(); len(got) != 2 || got[1].Items()[1].Strings()[1] != "2" {
		t.Errorf("the stream holds %v", got)
	}
	db.do("DEBUG", "ADVANCE", "3700000")
	db.want(":0", "EXISTS", "after", "late")
}
