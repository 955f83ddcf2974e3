package keyspace

import (
	"fmt"
	"testing"

	"github.com/troupedb/troupe/keyspace/table"
)

// checkOrders demands of each entry with a deadline that its place is in the
// part of the order that is its own, and of the mark that it tells who is
// watched.
func checkOrders(t *testing.T, sh *Shard) {
	t.Helper()
	for i := range sh.dbs {
		d := &sh.dbs[i]
		if d.keys == nil {
			continue
		}
		var watched, others [endings]int
		d.keys.Each(func(slot *table.Slot) bool {
			head := readHeader(sh.mem, slot.Ref())
			entry := sh.mem.Bytes(slot.Ref(), head.size())
			key := string(entry[head.keyAt:head.valueAt()])
			if _, want := d.watched[key]; head.has(flagWatched) != want {
				t.Errorf("%.20q is marked as watched: %v, want %v", key, !want, want)
			}
			for e := range endings {
				if !head.has(e.flag()) {
					continue
				}
				if head.has(flagWatched) {
					watched[e]++
				} else {
					others[e]++
				}
				pos := getUint32(entry[head.placeAt(e):])
				if _, ref := d.due[e].of(&head).At(pos); ref != slot.Ref() {
					t.Errorf("the deadline of %.20q is another's", key)
				}
			}
			return true
		})
		for e, p := range d.due {
			if watched[e] != p.watched.Len() || others[e] != p.others.Len() {
				t.Errorf("%d and %d deadlines, want %d and %d", p.watched.Len(), p.others.Len(), watched[e], others[e])
			}
		}
	}
}

// storm is a million keys that are due at once, the watched ones last of all
// by their deadlines.
func storm(t *testing.T, watched int) (r *rig, ears []*ear) {
	n := 1_000_000
	if testing.Short() || slowed() {
		n = 20_000
	}
	r = newRig(t, 1, 2)
	r.set.Events = false
	r.load(n, func(tx *Tx, i int, key []byte) {
		tx.DB = i % 2
		if i%(n/watched) == 0 {
			ears = append(ears, &ear{})
			tx.Watch(key, ears[len(ears)-1])
			tx.PutText(key, []byte("v"), r.now+1000, "set")
			return
		}
		tx.PutText(key, []byte("v"), r.now+int64(i)%1000, "set")
	})
	for _, e := range ears {
		e.versions = nil
	}
	r.now += 1000
	return r, ears
}

func told(ears []*ear) (n int) {
	for _, e := range ears {
		n += len(e.versions)
	}
	return n
}

// In a storm of expiry the watched keys go in the first slices.
func TestWatchedGoFirst(t *testing.T) {
	t.Parallel()
	const watched = 1000
	r, ears := storm(t, watched)
	sh := r.shards[0]
	before := sh.Keys(0) + sh.Keys(1)
	for slice := range watched*2/expireSlice + 1 {
		if n := told(ears); n != min(watched, slice*expireSlice/2) {
			t.Fatalf("after %d slices %d watched keys are gone", slice, n)
		}
		if !r.expireSlice(sh) {
			t.Fatal("no more keys are due")
		}
	}
	if n := told(ears); n != watched {
		t.Errorf("of %d watched keys %d are gone", watched, n)
	}
	if gone := before - sh.Keys(0) - sh.Keys(1); gone > watched+expireSlice/2 {
		t.Errorf("meanwhile %d keys are gone", gone)
	}
	late := &ear{}
	r.watch(1, "late", late)
	r.on(1, func(tx *Tx) { tx.PutText([]byte("late"), []byte("v"), r.now+1, "set") }, "late")
	late.versions = nil
	r.expireSlice(sh)
	if told := len(late.versions); told != 0 {
		t.Error("a key is gone before its deadline")
	}
	r.now++
	r.expireSlice(sh)
	if !late.heard(t, late.versions[0]) {
		t.Error("a watched key that is due in the middle of the storm waits for others")
	}
	r.expireDue()
	r.wantEmpty()
}

// However a key came to be watched and to its deadline, it goes first; and it
// does not once it isn't watched any more.
func TestWatchedInEveryWay(t *testing.T) {
	t.Parallel()
	f := func(what string, first bool, do func(r *rig)) {
		t.Helper()
		r := newRig(t, 1, 2)
		for i := range 2 * expireSlice {
			r.on(0, func(tx *Tx) { tx.PutText(fmt.Append(nil, i), []byte("v"), r.now+1, "set") }, "")
		}
		e := &ear{}
		key, when := []byte("k"), r.now+50
		r.on(0, func(tx *Tx) { tx.PutText(key, []byte("v"), when, "set") }, "k")
		r.watch(0, "k", e)
		do(r)
		checkOrders(t, r.shards[0])
		r.now += 1000
		e.versions = nil
		r.expireSlice(r.shards[0])
		if gone := len(e.versions) > 0; gone != first {
			t.Errorf("%s: went first: %v", what, gone)
		}
		r.expireDue()
		checkOrders(t, r.shards[0])
	}
	key := []byte("k")
	on := func(do func(r *rig, tx *Tx)) func(*rig) {
		return func(r *rig) { r.all(0, func(tx *Tx) { do(r, tx) }) }
	}
	f("watched later", true, func(*rig) {})
	f("without a deadline", false, on(func(_ *rig, tx *Tx) { tx.Expire(tx.Find(key), NoDeadline, "persist") }))
	f("with another deadline", true, on(func(r *rig, tx *Tx) { tx.Expire(tx.Find(key), r.now+500, "expire") }))
	f("with a later deadline", false, on(func(r *rig, tx *Tx) { tx.Expire(tx.Find(key), r.now+5000, "expire") }))
	f("overwritten", false, on(func(_ *rig, tx *Tx) { tx.PutText(key, []byte("w"), NoDeadline, "set") }))
	f("overwritten, its deadline kept", true, on(func(_ *rig, tx *Tx) { tx.PutText(key, make([]byte, 500), KeepDeadline, "set") }))
	f("given one anew", true, on(func(r *rig, tx *Tx) {
		tx.Expire(tx.Find(key), NoDeadline, "persist")
		tx.Expire(tx.Find(key), r.now+9, "expire")
	}))
	f("renamed away", false, on(func(_ *rig, tx *Tx) { tx.Rename(key, []byte("other"), 0, Transfer{"rename_from", "rename_to"}) }))
	f("renamed back", true, on(func(_ *rig, tx *Tx) {
		tx.Rename(key, []byte("other"), 0, Transfer{"rename_from", "rename_to"})
		tx.Rename([]byte("other"), key, 0, Transfer{"rename_from", "rename_to"})
	}))
	f("flushed", false, on(func(_ *rig, tx *Tx) { tx.Flush(0) }))
	f("flushed and made", true, on(func(r *rig, tx *Tx) {
		tx.Flush(0)
		tx.PutText(key, []byte("v"), r.now+20, "set")
	}))
	f("swapped away", false, on(func(_ *rig, tx *Tx) { tx.SwapDB(0, 1) }))
	f("swapped away and back", true, on(func(_ *rig, tx *Tx) { tx.SwapDB(0, 1); tx.SwapDB(1, 0) }))
	f("no longer watched", false, on(func(r *rig, tx *Tx) {
		e := tx.shardOf(key).dbs[0].watched["k"][0]
		tx.Unwatch(key, e)
	}))
}

// Keys that are big values go in more slices than others.
func TestExpiryOfBigValues(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 1)
	const keys, each = 100, 300
	r.load(keys, func(tx *Tx, _ int, key []byte) {
		tx.PutObject(key, newPile(tx.MemOf(key), each, 'x'), r.now+1, "hset")
	})
	r.now++
	slices := 1
	for r.expireSlice(r.shards[0]) {
		slices++
	}
	if slices < keys*each/(2*expireSlice) {
		t.Errorf("%d elements went in %d slices", keys*each, slices)
	}
	r.wantEmpty()
}

// With Settings.ActiveExpire off keys stay until they are seen.
func TestExpiryByLookingOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 1)
	r.set.ActiveExpire = false
	e := &ear{}
	r.load(10, func(tx *Tx, _ int, key []byte) { tx.PutText(key, []byte("v"), r.now+1, "set") })
	r.watch(0, "key:1", e)
	r.now++
	r.expireDue()
	if n := r.shards[0].Keys(0); n != 10 || len(e.versions) > 0 {
		t.Errorf("%d keys are left", n)
	}
	r.on(0, func(tx *Tx) { tx.Lookup([]byte("key:1")) }, "key:1")
	if n := r.shards[0].Keys(0); n != 9 || !e.heard(t, r.version) {
		t.Errorf("%d keys are left, one was seen", n)
	}
	r.set.ActiveExpire = true
	r.expireDue()
	r.wantEmpty()
}
