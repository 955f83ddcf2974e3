package actors_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// What was evicted is gone after a start too, and what was not is there: evictions
// are recorded like any change, whatever else happens meanwhile.
func TestEvictionsAreRecorded(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	for _, policy := range []string{"allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-ttl"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, uint64(len(policy))))
			disk := newDisk(t, seed)
			for range 3 {
				db := keep(t, disk, "shards", strconv.Itoa([]int{1, 2, 3, 16}[rng.IntN(4)]), "maxmemory-policy", policy)
				db.busy(rng, 200)
				db.do("CONFIG", "SET", "maxmemory", strconv.FormatInt(db.used()*9/10, 10))
				db.busy(rng, 300)
				fillers := 0
				db.soon("keys are evicted", func() bool { // whatever the random commands have left
					for range 50 {
						fillers++
						db.ask("SET", fmt.Sprint("filler:", fillers), strings.Repeat("x", 1+rng.IntN(2000)), "EX", "10000")
					}
					return db.statistic("evicted_keys") > 0
				})
				db.do("CONFIG", "SET", "maxmemory", "0")
				db.settle()
				want := db.content()
				disk = orderly(db, disk)
				after := keep(t, disk)
				after.wantContent(want)
				after.Close()
			}
		})
	}
}

func orderly(db *kept, disk *faultfs.Disk) *faultfs.Disk {
	db.Close()
	return disk
}

// used is what shards take, in bytes.
func (k *kept) used() (bytes int64) {
	k.t.Helper()
	for line := range strings.Lines(k.do("INFO", "memory").Text()) {
		for _, name := range []string{"mem_slabs_resident:", "mem_tables:"} {
			if rest, found := strings.CutPrefix(strings.TrimSpace(line), name); found {
				n, _ := strconv.ParseInt(rest, 10, 64)
				bytes += n
			}
		}
	}
	return bytes
}

// statistic is a number of INFO stats.
func (k *kept) statistic(name string) int64 {
	k.t.Helper()
	for line := range strings.Lines(k.do("INFO", "stats").Text()) {
		if rest, found := strings.CutPrefix(strings.TrimSpace(line), name+":"); found {
			n, _ := strconv.ParseInt(rest, 10, 64)
			return n
		}
	}
	k.t.Fatalf("INFO stats tells no %s", name)
	return 0
}

// A limit that is lowered is kept soon, though nobody writes; and what was
// answered OK is there until it is evicted.
func TestLoweredLimit(t *testing.T) {
	t.Parallel()
	db := keep(t, newDisk(t, 1), "shards", "3", "maxmemory-policy", "allkeys-lru", "appendonly", "no")
	for i := range 20_000 {
		db.do("SET", fmt.Sprint("key:", i), strings.Repeat("x", 100))
	}
	limit := db.used() / 2
	db.do("CONFIG", "SET", "maxmemory", strconv.FormatInt(limit, 10))
	const gaps = 3 * 96 << 10 // that compaction leaves in the slabs of three shards
	db.soon("the limit is kept", func() bool { return db.used() <= limit+limit/8+gaps })
	db.do("CONFIG", "SET", "maxmemory", "0") // while it is counted
	left, _ := strconv.Atoi(strings.TrimPrefix(db.do("DBSIZE").String(), ":"))
	if evicted := db.statistic("evicted_keys"); evicted+int64(left) != 20_000 || left < 5000 {
		t.Errorf("%d keys are left, %d were evicted", left, evicted)
	}
	db.do("CONFIG", "SET", "maxmemory", strconv.FormatInt(limit, 10))
	for i := range 500 {
		key := fmt.Sprint("new:", i)
		db.do("SET", key, strings.Repeat("y", 100))
		db.want(`:1`, "EXISTS", key)
	}
}

// volatile-ttl lets keys go in the order of their deadlines, in each shard; none
// without one goes.
func TestTTLAcrossShards(t *testing.T) {
	t.Parallel()
	db := keep(t, newDisk(t, 1), "shards", "1", "maxmemory-policy", "volatile-ttl", "appendonly", "no")
	const keys = 5000
	for i := range keys {
		db.do("SET", fmt.Sprint("stays:", i), strings.Repeat("x", 100))
		db.do("SET", fmt.Sprint("goes:", i), strings.Repeat("x", 100), "EX", strconv.Itoa(1000+i))
	}
	limit := db.used() * 3 / 4
	db.do("CONFIG", "SET", "maxmemory", strconv.FormatInt(limit, 10))
	const gaps = 96 << 10 // that compaction leaves in the slabs of a shard
	db.soon("the limit is kept", func() bool { return db.used() <= limit+limit/8+gaps })
	db.do("CONFIG", "SET", "maxmemory", "0") // no more go
	gone := int(db.statistic("evicted_keys"))
	for i := range keys {
		db.want(`:1`, "EXISTS", fmt.Sprint("stays:", i))
		want := ":1"
		if i < gone {
			want = ":0"
		}
		db.want(want, "EXISTS", fmt.Sprint("goes:", i))
	}
	if gone == 0 || gone == keys {
		t.Errorf("%d keys were evicted", gone)
	}
}

// Who waits in a batch of commands for memory is refused one by one: those before
// the limit is reached are answered OK, and reads go on.
func TestRefusedInAPipeline(t *testing.T) {
	t.Parallel()
	db := keep(t, newDisk(t, 1), "shards", "1", "appendonly", "no")
	db.do("SET", "k", "v")
	db.do("CONFIG", "SET", "maxmemory", strconv.FormatInt(db.used()+100<<10, 10))
	ok, refused := 0, 0
	for i := range 400 {
		_, err := db.ask("SET", fmt.Sprint("key:", i), strings.Repeat("x", 1000))
		switch {
		case err == nil && refused > 0:
			t.Fatalf("write %d is taken after others were refused", i)
		case err == nil:
			ok++
		case strings.HasPrefix(err.Error(), "OOM "):
			refused++
		default:
			t.Fatal(err)
		}
	}
	if ok < 50 || refused == 0 {
		t.Errorf("%d writes were taken, %d refused", ok, refused)
	}
	db.want(`"v"`, "GET", "k")
	for i := range ok {
		db.do("DEL", fmt.Sprint("key:", i))
	}
	db.want("+OK", "SET", "again", "1")
}
