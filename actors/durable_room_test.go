package actors_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// A start from a log makes room for as many keys as the log seems to make. Whether
// it goes on so or not, all is there, and no more room is kept than is needed.
func TestRoomForKeysOfALog(t *testing.T) {
	t.Parallel()
	const keys = 20_000
	now := time.Now()
	var fresh, again []journal.Record
	for i := range keys {
		fresh = append(fresh, at(now, fmt.Sprintf("SET key:%d %0200d", i, i)))
	}
	again = append(again, fresh...)
	for i := range 2 * keys {
		again = append(again, at(now, fmt.Sprintf("SET key:%d %0200d", i%keys, i)))
	}
	f := func(records []journal.Record, offset int) {
		t.Helper()
		db := keep(t, replayed(t, records), "shards", "1", "appendonly", "yes")
		db.want(fmt.Sprint(":", keys), "DBSIZE")
		for i := range keys {
			if got, err := db.Get(t.Context(), fmt.Sprint("key:", i)); err != nil || string(got) != fmt.Sprintf("%0200d", i+offset) {
				t.Fatalf("key:%d is %q, %v, want %d", i, got, err, i+offset)
			}
		}
		stats := db.do("MEMORY", "STATS").Items()
		for i := 0; i+1 < len(stats); i += 2 {
			if stats[i].Text() == "overhead.hashtables" && stats[i+1].Int() > keys*20 {
				t.Errorf("the tables of %d keys take %d bytes", keys, stats[i+1].Int())
			}
		}
	}
	f(fresh, 0)
	f(again, keys)
}

// Whoever finds that the journal's buffers are full, and for whatever reason it
// is told just then (here, as settings change; else, as a snapshot is done), writes
// go on as soon as there is room again, though it may be there a moment later.
func TestWritesGoOnWhenThereIsRoom(t *testing.T) {
	t.Parallel()
	disk := newDisk(t, 1)
	db := keep(t, disk, "appendonly", "yes", "appendfsync", "everysec", "journal-backlog", "65536")
	for range 10 {
		var gate sync.Mutex
		gate.Lock()
		disk.Fail(func(c faultfs.Call) error {
			if c.Op == faultfs.Write {
				gate.Lock()
				defer gate.Unlock()
			}
			return nil
		})
		db.do("SET", "large", strings.Repeat("x", 100_000))
		db.do("CONFIG", "SET", "stop-writes-on-bgsave-error", "no")
		gate.Unlock()
		db.do("SET", "small", "1")
	}
}
