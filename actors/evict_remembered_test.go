package actors_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// inTables is how many bytes tables take.
func (k *kept) inTables() (bytes int64) {
	k.t.Helper()
	_, after, _ := strings.Cut(k.do("INFO", "memory").Text(), "mem_tables:")
	word, _, _ := strings.Cut(after, "\r")
	bytes, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		k.t.Fatal(err)
	}
	return bytes
}

// A key that is evicted and set again has its counter back, under an LFU policy.
// With another one, or without a limit, that is forgotten and its memory given
// back, though nobody asks for anything.
func TestEvictedKeysAreRemembered(t *testing.T) {
	t.Parallel()
	const keys = 5000
	f := func(what string, other []string, back []string) {
		t.Helper()
		db := keep(t, newDisk(t, 1), "shards", "2", "maxmemory-policy", "allkeys-lfu", "appendonly", "no")
		for i := range keys {
			db.do("SET", fmt.Sprint("key:", i), "x")
		}
		for range 1000 {
			db.do("GET", "key:1")
		}
		used, _ := strconv.Atoi(strings.TrimPrefix(db.do("OBJECT", "FREQ", "key:1").String(), ":"))
		if used < 12 {
			t.Fatalf("the counter after 1000 uses is %d", used)
		}
		empty := func() {
			db.do("CONFIG", "SET", "maxmemory", "1")
			db.soon("all are evicted", func() bool { return db.do("DBSIZE").String() == ":0" })
			db.do("CONFIG", "SET", "maxmemory", "1gb")
		}
		counter := func(least, most int) {
			t.Helper()
			db.do("SET", "key:1", "x")
			got, _ := strconv.Atoi(strings.TrimPrefix(db.do("OBJECT", "FREQ", "key:1").String(), ":"))
			if got < least || got > most {
				t.Errorf("%s: the counter is %d, want %d to %d", what, got, least, most)
			}
		}
		empty()
		counter(used-2, used+1) // some time has passed
		empty()
		before := db.inTables()
		db.do(other...)
		db.soon("it is given back", func() bool { return db.inTables() < before })
		db.do(back...)
		counter(5, 5)
	}
	f("another policy", []string{"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"}, []string{"CONFIG", "SET", "maxmemory-policy", "allkeys-lfu"})
	f("no limit", []string{"CONFIG", "SET", "maxmemory", "0"}, []string{"CONFIG", "SET", "maxmemory", "1gb"})
	f("flushed", []string{"FLUSHALL"}, []string{"PING"})
}
