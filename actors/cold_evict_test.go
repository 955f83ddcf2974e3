package actors_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// With a tier whose disk is full, keys go when memory is full as well, by each of the
// policies: what was answered OK is there, hot or cold, or has been evicted, and
// is so after a kill.
func TestEvictionWithATier(t *testing.T) {
	t.Parallel()
	policies := []string{"allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"}
	for i, policy := range policies {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			disk, tierDisk := newDisk(t, uint64(i)), newFrail()
			db := keepCold(t, disk, tierDisk, "shards", strconv.Itoa(1+i%3), "maxmemory-policy", policy)
			db.System().Node.SetLimit(4 << 20)
			keys := 0
			stays := func(n int) bool { return strings.HasPrefix(policy, "volatile") && n%4 == 0 }
			for n := 0; n < 100_000 && (n%100 > 0 || db.statistic("evicted_keys") < 500); n++ {
				if n%100 == 0 && db.cold() > 1000 {
					tierDisk.fail(full)
				}
				keys = n + 1
				words := []string{"SET", fmt.Sprint("key:", n), valueNo(n), "EX", strconv.Itoa(10_000 + n)}
				if stays(n) {
					words = words[:3]
				}
				db.do(words...)
				if got := db.do("GET", words[1]).Text(); got != valueNo(n) {
					t.Fatalf("%s, just set, is %.40q", words[1], got)
				}
			}
			if cold, evicted := db.cold(), db.statistic("evicted_keys"); cold == 0 || evicted == 0 {
				t.Errorf("of %d keys %d are cold; %d were evicted", keys, cold, evicted)
			}
			db.System().Node.SetLimit(0)
			db.soon("every key is left or was evicted", func() bool { // some may be going still
				return db.statistic("evicted_keys")+db.do("DBSIZE").Int() == int64(keys)
			})
			there := make([]bool, keys)
			for n := range keys {
				there[n] = !db.do("GET", fmt.Sprint("key:", n)).IsNull()
				if !there[n] && stays(n) {
					t.Fatalf("key:%d is gone, which has no time to live", n)
				}
			}
			db.do("WAITAOF", "1", "0", "0")
			after := keep(t, disk.Kill())
			for n := range keys {
				switch got := after.do("GET", fmt.Sprint("key:", n)); {
				case got.IsNull() != !there[n]:
					t.Fatalf("key:%d is there: %t; after the kill: %t", n, there[n], !got.IsNull())
				case there[n] && got.Text() != valueNo(n):
					t.Fatalf("key:%d is %.40q after the kill", n, got.Text())
				}
			}
			db.wantSound()
		})
	}
}

// A shard in which a handler has failed is put together again with values that were
// cold; what it had in the tier is given up.
func TestRebuildWithATier(t *testing.T) {
	t.Parallel()
	db := keepCold(t, newDisk(t, 1), vfs.NewMem(), "shards", "2")
	const keys = 1000
	db.fill(keys)
	db.soon("values are cold", func() bool { return db.cold() > keys })
	want := db.do("DEBUG", "DIGEST").String()
	for shard := range 2 {
		if _, err := db.ask("DEBUG", "CRASH", fmt.Sprint("shard/", shard)); err == nil {
			t.Fatal("a crash is answered OK")
		}
		db.soon("the shard is back", func() bool {
			_, err := db.ask("DEBUG", "DIGEST")
			return err == nil
		})
		db.want(want, "DEBUG", "DIGEST")
	}
	if n := db.System().Rebuilds.Load(); n != 2 {
		t.Errorf("%d rebuilds", n)
	}
	db.soon("values are cold again", func() bool {
		db.do("SET", "another", "value") // shards spill after turns
		return db.cold() > keys
	})
	for i := range keys {
		if got := db.do("GET", fmt.Sprint("text:", i)).Text(); got != textOf(i) {
			t.Fatalf("text:%d is %.40q", i, got)
		}
	}
}

// After a kill, what the tier's folder held is of no matter, and its lock is free.
func TestKillWithATier(t *testing.T) {
	t.Parallel()
	disk, tierDisk := newDisk(t, 1), vfs.NewCrashableMem()
	const keys = 2000
	db := keepCold(t, disk, tierDisk, "shards", "2")
	db.fill(keys)
	db.soon("values are cold", func() bool { return db.cold() > keys })
	want := db.do("DEBUG", "DIGEST").String()
	db.do("WAITAOF", "1", "0", "0")
	left := tierDisk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 80, RNG: rand.New(rand.NewPCG(1, 1))})
	after := keepCold(t, disk.Kill(), left, "shards", "3")
	after.want(want, "DEBUG", "DIGEST")
	after.System().Node.Chill(1 << 20)
	after.soon("values are cold", func() bool {
		after.do("SET", "another", "value")
		return after.cold() > keys
	})
	after.do("DEL", "another")
	after.want(want, "DEBUG", "DIGEST")
}
