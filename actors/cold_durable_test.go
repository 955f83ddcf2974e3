package actors_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/admin"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/keyspace/journal"
)

// keepCold is keep with a tier, and so little memory that values go there.
func keepCold(t *testing.T, disk journal.FS, tierDisk vfs.FS, settings ...string) *kept {
	t.Helper()
	flags := []config.Flag{{Name: "enable-debug-command", Words: []string{"yes"}}, {Name: "dir", Words: []string{dataDir}}, {Name: "tier", Words: []string{"/tier"}}}
	for i := 0; i < len(settings); i += 2 {
		flags = append(flags, config.Flag{Name: settings[i], Words: strings.Fields(settings[i+1])})
	}
	loaded, err := config.Load(config.Sources{Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	options := loaded.Options(hclog.NewNullLogger())
	admin.New(loaded).Join(&options)
	options.Binds, options.Unix, options.Storage.FS, options.OwnsHeap = nil, "", disk, false
	options.Tier.FS, options.Tier.CacheBytes, options.Tier.MemTableBytes = tierDisk, 64<<10, 1<<20
	db, err := actors.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	own := *db.System().Node.Settings()
	own.SpillMin = 8
	db.System().Node.SetSettings(&own)
	return &kept{db, t}
}

// fill makes many more values than memory is to hold from here on.
func (k *kept) fill(keys int) {
	k.t.Helper()
	for i := range keys {
		n := strconv.Itoa(i)
		k.do("SET", "text:"+n, strings.Repeat(n+" ", 200))
		k.do("HSET", "hash:"+n, "a", n, "b", strings.Repeat("b", 60))
		if i%10 == 0 {
			k.do("EXPIRE", "text:"+n, "10000")
		}
	}
	k.System().Node.Chill(1 << 20)
}

// cold is how many values are in the tier alone.
func (k *kept) cold() int {
	k.t.Helper()
	for line := range strings.Lines(k.do("INFO", "tier").Text()) {
		if n, is := strings.CutPrefix(strings.TrimSpace(line), "tier_keys:"); is {
			keys, _ := strconv.Atoi(n)
			return keys
		}
	}
	return 0
}

// Cold values are in snapshots, in the journal's new base and in RDB files, and
// are there after a kill and a start with or without a tier.
func TestColdValuesOutliveStarts(t *testing.T) {
	t.Parallel()
	disk := newDisk(t, 1)
	const keys = 3000
	db := keepCold(t, disk, vfs.NewMem(), "shards", "3")
	db.fill(keys)
	db.soon("values are cold", func() bool { return db.cold() > keys })
	want := db.do("DEBUG", "DIGEST").String()
	if db.cold() <= keys {
		t.Errorf("a digest leaves %d values cold", db.cold())
	}
	db.rewrite()
	db.do("SET", "text:1", "changed")
	changed := db.do("DEBUG", "DIGEST").String()
	db.do("WAITAOF", "1", "0", "0")
	disk = disk.Kill()

	after := keep(t, disk, "shards", "2")
	after.want(changed, "DEBUG", "DIGEST")
	after.do("SET", "text:1", strings.Repeat("1 ", 200))
	after.want(want, "DEBUG", "DIGEST")
	after.Close()

	again := keepCold(t, disk.Kill(), vfs.NewMem(), "shards", "2")
	again.System().Node.Chill(1 << 20)
	again.soon("values are cold", func() bool { return again.cold() > keys })
	again.do("SAVE")
	again.want(want, "DEBUG", "DIGEST")
}

// Random commands of all kinds by several callers, while snapshots are written, with
// most values cold; then a kill, and all is there, with and without a tier.
func TestRandomColdDataOutlivesStarts(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	rng := rand.New(rand.NewPCG(seed, 5))
	disk := newDisk(t, seed)
	for range 2 {
		db := keepCold(t, disk, vfs.NewMem(), "shards", strconv.Itoa([]int{1, 2, 3, 16}[rng.IntN(4)]))
		db.System().Node.Chill(1 << 20)
		db.busy(rng, 400)
		db.settle()
		want := db.content()
		db.do("WAITAOF", "1", "0", "0")
		disk = disk.Kill()
		after := keep(t, disk, "shards", strconv.Itoa([]int{1, 2, 3, 16}[rng.IntN(4)]))
		after.wantContent(want)
		after.Close()
	}
}

// Many links read and change cold keys at once; each of them sees its own changes.
func TestManyReadCold(t *testing.T) {
	t.Parallel()
	db := keepCold(t, newDisk(t, 2), vfs.NewMem(), "shards", "2", "appendonly", "no")
	const keys, callers = 1000, 8
	db.fill(keys)
	db.soon("values are cold", func() bool { return db.cold() > keys })
	errs := make(chan error, callers)
	for c := range callers {
		go func() {
			rng := rand.New(rand.NewPCG(uint64(c), 1))
			errs <- func() error {
				for range 500 {
					n := strconv.Itoa(rng.IntN(keys))
					got, err := db.Do(context.Background(), "MGET", "text:"+n, "text:"+strconv.Itoa(rng.IntN(keys)))
					if err != nil || got.Strings()[0] != strings.Repeat(n+" ", 200) {
						return fmt.Errorf("text:%s is %.40q: %w", n, got, err)
					}
					field := fmt.Sprintf("%d-%d", c, rng.IntN(3))
					if _, err := db.Do(context.Background(), "HSET", "hash:"+n, field, n); err != nil {
						return err
					}
					if got, err := db.Do(context.Background(), "HGET", "hash:"+n, field); err != nil || got.Text() != n {
						return fmt.Errorf("hash:%s is %q: %w", n, got, err)
					}
				}
				return nil
			}()
		}()
	}
	for range callers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
