package actors_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// hoard is a disk from which no segment and no snapshot is ever removed: it gets
// a name that is nobody's.
type hoard struct {
	journal.FS
	mu    sync.Mutex
	names []string // of what is removed
}

const hoarded = ".hoarded"

func (h *hoard) Remove(name string) error {
	base := filepath.Base(name)
	if !strings.HasPrefix(base, "journal-") && !strings.HasPrefix(base, "snapshot-") {
		return h.FS.Remove(name)
	}
	h.mu.Lock()
	h.names = append(h.names, base)
	h.mu.Unlock()
	return h.FS.Rename(name, name+hoarded)
}

// all are the files that were ever there whose names begin so, and their contents.
func (h *hoard) all(t *testing.T, prefix string) map[string][]byte {
	t.Helper()
	names, err := h.ReadDir(dataDir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			files[strings.TrimSuffix(name, hoarded)] = read(t, h.FS, name)
		}
	}
	return files
}

// records are all that were ever written.
func (h *hoard) records(t *testing.T) (all []journal.Record) {
	t.Helper()
	disk := newDisk(t, 1)
	for name, text := range h.all(t, "journal-") {
		write(t, disk, name, text)
	}
	if _, err := journal.Repair(disk, dataDir); err != nil { // makes a manifest
		t.Fatal(err)
	}
	dir, err := journal.OpenDir(disk, dataDir)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	_, err = dir.Replay(0, func(r journal.Record) error {
		r.Body = slices.Clone(r.Body)
		all = append(all, r)
		return nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// replayed is a disk with a journal of some records.
func replayed(t *testing.T, records []journal.Record) *faultfs.Disk {
	t.Helper()
	disk := newDisk(t, 1)
	dir, err := journal.OpenDir(disk, dataDir)
	if err != nil {
		t.Fatal(err)
	}
	log, err := dir.Begin(journal.Config{Policy: journal.No})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		log.Append(r.Time, r.Body, []int{len(r.Body)})
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return disk
}

// stir has several callers change everything: large values bit by bit, keys of
// all shards in one script, whole databases.
func (k *kept) stir(rng *rand.Rand) {
	const fill = "for i = 1, 3000 do redis.call('HSET', KEYS[1], i, ARGV[1]) redis.call('ZADD', KEYS[2], i, i) " +
		"redis.call('RPUSH', KEYS[3], ARGV[1] .. i) redis.call('SADD', KEYS[4], i) end"
	const everywhere = "for _, key in ipairs(KEYS) do redis.call('SET', key, ARGV[1]) redis.call('HSET', 'large:h', ARGV[1], key) end"
	k.do("EVAL", fill, "4", "large:h", "large:z", "large:l", "large:s", "x")
	var callers sync.WaitGroup
	for n := range 3 {
		own := rand.New(rand.NewPCG(rng.Uint64(), 0))
		callers.Go(func() {
			for i := range 1200 {
				member := strconv.Itoa(own.IntN(4000))
				words := [][]string{
					{"HSET", "large:h", member, strconv.Itoa(i)}, {"HDEL", "large:h", member}, {"ZADD", "large:z", strconv.Itoa(i), member},
					{"ZREM", "large:z", member}, {"LPUSH", "large:l", member}, {"RPOP", "large:l"}, {"LSET", "large:l", "7", member},
					{"SADD", "large:s", member}, {"SREM", "large:s", member}, {"XADD", "large:x", "*", "f", member},
					{"EVAL", everywhere, "5", "a", "b", "c", "d", "e", fmt.Sprint(n, ".", i)},
					{"MSET", "a" + member, "1", "b" + member, "2", "c" + member, "3"},
				}[own.IntN(12)]
				switch own.IntN(150) {
				case 0:
					words = []string{"SWAPDB", "0", strconv.Itoa(1 + own.IntN(2))}
				case 1:
					words = []string{"FLUSHDB", []string{"ASYNC", "SYNC"}[own.IntN(2)]}
				case 2:
					words = []string{"FLUSHALL"}
				case 3:
					words = []string{"COPY", "large:h", "large:h", "DB", "1", "REPLACE"}
				case 4:
					words = []string{"EVAL", fill, "4", "large:h", "large:z", "large:l", "large:s", "y"}
				}
				_, _ = k.ask(words...)
			}
		})
	}
	k.busy(rng, 300)
	callers.Wait()
}

// A snapshot that is written while everything changes is the state at its version:
// what its file alone holds, and what the records make up to that version, are
// the same.
func TestSnapshotIsItsVersion(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	rng := rand.New(rand.NewPCG(seed, 4))
	disk := &hoard{FS: newDisk(t, seed)}
	db := keep(t, disk, "shards", strconv.Itoa([]int{1, 3, 16}[rng.IntN(3)]), "appendfsync", "no", "journal-segment-size", "1mb")
	for range 3 {
		db.stir(rng)
	}
	db.Close()
	records, snapshots := disk.records(t), disk.all(t, "snapshot-")
	t.Logf("%d records, %d snapshots", len(records), len(snapshots))
	names := make([]string, 0, len(snapshots))
	for name := range snapshots {
		names = append(names, name)
	}
	slices.Sort(names)
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:min(len(names), 8)] {
		_, digits, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(name, ".rdb"), "snapshot-"), "-")
		version, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := slices.BinarySearchFunc(records, version+1, func(r journal.Record, v uint64) int { return int(int64(r.Version) - int64(v)) })
		alone := newDisk(t, 1)
		write(t, alone, "dump.rdb", snapshots[name])
		a, b := keep(t, alone, "appendonly", "no", "shards", "2"), keep(t, replayed(t, records[:n]), "shards", "3")
		a.settle()
		b.settle()
		content := a.content()
		t.Logf("%s: %d of %d records, %d keys", name, n, len(records), len(content)-1)
		b.wantContent(content)
		if t.Failed() {
			t.Fatalf("%s, %d of %d records", name, n, len(records))
		}
		a.Close()
		b.Close()
	}
}
