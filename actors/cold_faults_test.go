package actors_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/subscription/watch"
)

// The tests of a tier whose disk is slow, full, or loses what it was given.

// frail is a tier's disk of which any call can be held up, or fail.
type frail struct {
	vfs.FS
	below *vfs.MemFS // never fails
	ask   atomic.Pointer[func(errorfs.Op) error]
}

func newFrail() *frail {
	f := &frail{below: vfs.NewMem()}
	f.FS = errorfs.Wrap(f.below, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if ask := f.ask.Load(); ask != nil {
			return (*ask)(op)
		}
		return nil
	}))
	return f
}

// fail has ask decide about each call from now on; nil ends that.
func (f *frail) fail(ask func(errorfs.Op) error) {
	if ask == nil {
		f.ask.Store(nil)
		return
	}
	f.ask.Store(&ask)
}

// full is a disk without room.
func full(op errorfs.Op) error {
	switch op.Kind {
	case errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpFilePreallocate, errorfs.OpMkdirAll:
		return syscall.ENOSPC
	}
	return nil
}

// flip changes one byte of each table of the store, but of those that are just
// being written or removed.
func (f *frail) flip(t *testing.T, rng *rand.Rand) {
	t.Helper()
	const folder = "/tier/values"
	names, err := f.below.List(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".sst") {
			continue
		}
		file, err := f.below.OpenReadWrite(folder+"/"+name, vfs.WriteCategoryUnspecified)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() < 2 {
			continue
		}
		// The first half is values: indexes and the like are behind them.
		at, one := rng.Int64N(info.Size()/2), make([]byte, 1)
		if _, err := file.ReadAt(one, at); err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt([]byte{one[0] ^ 1<<rng.IntN(8)}, at); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// textOf is what fill gives a text key.
func textOf(n int) string { return strings.Repeat(strconv.Itoa(n)+" ", 200) }

// tierSays is a field of INFO tier.
func (k *kept) tierSays(field string) string {
	k.t.Helper()
	for line := range strings.Lines(k.do("INFO", "tier").Text()) {
		if value, is := strings.CutPrefix(strings.TrimSpace(line), field+":"); is {
			return value
		}
	}
	k.t.Fatalf("INFO tier tells no %s", field)
	return ""
}

// wantSound fails if shards had to be rebuilt.
func (k *kept) wantSound() {
	k.t.Helper()
	if n := k.System().Rebuilds.Load(); n != 0 {
		k.t.Errorf("%d rebuilds", n)
	}
}

// While the disk takes its time to find a value, only those who want it wait: other
// keys of its shard, and commands that need no more than the key, are served.
func TestSlowTier(t *testing.T) {
	t.Parallel()
	disk := newFrail()
	db := keepCold(t, newDisk(t, 1), disk, "shards", "1", "appendonly", "no")
	const keys = 4000
	db.fill(keys)
	db.soon("values are cold", func() bool { return db.cold() > keys })
	db.System().Node.Chill(0)

	going, waiting := make(chan struct{}), atomic.Int32{}
	disk.fail(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileReadAt {
			waiting.Add(1)
			<-going
		}
		return nil
	})
	const readers = 20
	answers := make(chan error, readers)
	for i := range readers {
		go func() {
			n := i * (keys / readers)
			got, err := db.ask("GET", fmt.Sprint("text:", n))
			if err == nil && got.Text() != textOf(n) {
				err = fmt.Errorf("text:%d is %.40q", n, got.Text())
			}
			answers <- err
		}()
	}
	db.soon("a reader waits for the disk", func() bool { return waiting.Load() > 0 })
	db.do("SET", "another", "value")
	db.want(`"value"`, "GET", "another")
	db.want(fmt.Sprint(":", 2*keys+1), "DBSIZE")
	db.want(":-1", "TTL", "text:1")
	db.want(":1", "DEL", "text:1")
	db.do("SET", "text:2", "anew")
	db.want(`"anew"`, "GET", "text:2")
	disk.fail(nil)
	close(going)
	for range readers {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	db.wantSound()
}

// A full disk leaves what is on it readable. Without a policy, writes are refused
// once memory is full as well, and taken again when the disk has room; nobody
// waits for ever, and nothing that was answered OK is lost.
func TestFullTier(t *testing.T) {
	t.Parallel()
	disk := newFrail()
	db := keepCold(t, newDisk(t, 1), disk, "shards", "2", "appendonly", "no")
	node, n := db.System().Node, 0
	node.SetLimit(4 << 20)
	set := func() error {
		_, err := db.ask("SET", fmt.Sprint("key:", n), valueNo(n))
		if err == nil {
			n++
		}
		return err
	}
	for n < 6_000 {
		if err := set(); err != nil {
			t.Fatal(err)
		}
	}
	disk.fail(full)
	var err error
	for err == nil && n < 60_000 {
		err = set()
	}
	if err == nil || !strings.HasPrefix(err.Error(), "OOM ") {
		t.Fatalf("after %d values, SET says %v", n, err)
	}
	if got := db.tierSays("tier_status"); got == "ok" {
		t.Error("INFO says that all is well with the tier")
	}
	wantValues(t, db, n)
	db.do("DEL", "key:0")
	disk.fail(nil)
	db.soon("writes are taken", func() bool { return set() == nil })
	for range 2000 {
		db.soon("writes are taken", func() bool { return set() == nil })
	}
	if got := db.tierSays("tier_status"); got != "ok" {
		t.Errorf("INFO says of the tier: %s", got)
	}
	db.want("_", "GET", "key:0")
	db.do("SET", "key:0", valueNo(0))
	wantValues(t, db, n)
	db.wantSound()
}

// valueNo is a value that is like no other key's.
func valueNo(n int) string { return strings.Repeat(fmt.Sprintf("value %d ", n), 60) }

// wantValues reads all keys up to a number.
func wantValues(t *testing.T, db *kept, keys int) {
	t.Helper()
	for i := range keys {
		if got, err := db.ask("GET", fmt.Sprint("key:", i)); err != nil || got.Text() != valueNo(i) {
			t.Fatalf("key:%d is %.40q, %v", i, got.Text(), err)
		}
	}
}

// Values that the disk has damaged are answered by an error, never by another
// value; commands that come upon them have done nothing; a snapshot that needs them
// fails; and a new value heals the key.
func TestDamagedTier(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	disk := newFrail()
	db := keepCold(t, newDisk(t, 1), disk, "shards", "2", "appendonly", "no")
	const keys = 4000
	db.fill(keys)
	db.soon("values are cold", func() bool { return db.cold() > keys })
	db.System().Node.Chill(0)
	rng := rand.New(rand.NewPCG(seed, 1))
	disk.fail(full) // or a table that is just being written anew would heal values
	var lost []string
	db.soon("a value is hit", func() bool {
		disk.flip(t, rng)
		db.lost(keys)
		lost = db.lost(keys)
		return len(lost) > 0
	})
	t.Logf("%d values are lost", len(lost))
	db.refuses(lost[0])
	db.wantSound()
	for _, key := range lost {
		db.want(":1", "EXISTS", key)
		db.do("SET", key, "anew")
		db.want(`"anew"`, "GET", key)
	}
	db.wantSound()
}

// lost is the text keys whose values can't be read; others have their values.
func (k *kept) lost(keys int) (lost []string) {
	k.t.Helper()
	for i := range keys {
		key := fmt.Sprint("text:", i)
		got, err := k.ask("GET", key)
		switch {
		case err == nil && got.Text() == textOf(i):
		case err != nil && strings.HasPrefix(err.Error(), "ERR The value of the key is on disk (tier)"):
			lost = append(lost, key)
		default:
			k.t.Fatalf("%s is %.40q, %v", key, got.Text(), err)
		}
	}
	return lost
}

// refuses tries what can be done with a key whose value is lost.
func (k *kept) refuses(key string) {
	k.t.Helper()
	k.do("RPUSH", "list", strings.TrimPrefix(key, "text:"))
	for _, words := range [][]string{
		{"GET", key}, {"APPEND", key, "x"}, {"MGET", "none", key}, {"COPY", key, "copy"}, {"DUMP", key},
		{"EVAL", "redis.call('SET', 'other', 'x') return redis.call('GET', KEYS[1])", "1", key},
		{"EVAL", "redis.call('SET', 'begun', 'x') return redis.call('GET', '" + key + "')", "0"}, {"DEBUG", "DIGEST"},
		{"SORT", "list", "BY", "nosort", "GET", "text:*"}, {"SORT", "list", "BY", "nosort", "GET", "text:*", "STORE", "sorted"},
		{"SAVE"},
	} {
		if got, err := k.ask(words...); err == nil {
			k.t.Errorf("%q is answered %.60s", words, got)
		}
		k.wantSound()
	}
	k.want("_", "GET", "other")
	var first, second *actors.Queued
	err := k.Update(k.t.Context(), func(tx *actors.Tx) error {
		first, second = tx.Queue("SET", "first", "x"), tx.Queue("GET", key)
		return nil
	})
	if _, lost := second.Reply(); err == nil || lost == nil || err.Error() != lost.Error() {
		k.t.Errorf("a transaction says %v, its GET %v", err, lost)
	}
	if _, err := first.Reply(); err != nil {
		k.t.Error(err)
	}
	k.want(`"x"`, "GET", "first")
}

// Whoever is told every state of a query is told that it can't be read, if one of
// its values is lost; the command that has changed another is not harmed.
func TestEveryStateOfALostValue(t *testing.T) {
	t.Parallel()
	db := keepCold(t, newDisk(t, 1), vfs.NewMem(), "shards", "1", "appendonly", "no")
	const keys = 1000
	db.fill(keys)
	states, err := db.WatchWith(t.Context(), watch.Options{Every: true}, "MGET", "text:7", "now")
	if err != nil {
		t.Fatal(err)
	}
	if got := (<-states).Result.Strings(); got[0] != textOf(7) {
		t.Fatalf("the first state is %.40q", got)
	}
	db.soon("all values are cold", func() bool { return db.cold() == 2*keys })
	store := db.System().Tier
	store.Drop(keyspace.OwnerNumbers) // those of the one shard
	for own := store.Owner(); err == nil; {
		own++
		err = store.WriteNow(&keyspace.Spilled{Numbers: []uint64{own}, Ends: []int{1}, Bytes: []byte("x")})
		if _, lost := db.ask("GET", "text:8"); lost != nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	db.do("SET", "now", "1")
	db.want(`"1"`, "GET", "now")
	if s := <-states; s.Result.Err() == nil {
		t.Errorf("the next state is %s", s.Result)
	}
	db.do("SET", "text:7", "anew")
	if got := (<-states).Result.Strings(); len(got) != 2 || got[0] != "anew" || got[1] != "1" {
		t.Errorf("the last state is %.40q", got)
	}
	db.wantSound()
}
