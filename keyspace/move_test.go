package keyspace

import (
	"testing"

	"github.com/troupedb/troupe/keyspace/deadline"
)

// Copies and moves are told of in Redis's words and order, for values of all
// forms, within a shard and between two.
func TestMovesAreTold(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 16} {
		r := newRig(t, shards, 2)
		for _, object := range []bool{false, true} {
			r.on(0, func(tx *Tx) {
				if object {
					tx.PutObject([]byte("a"), newPile(tx.MemOf([]byte("a")), 700, 'a'), r.now+500, "hset")
				} else {
					tx.PutText([]byte("a"), []byte("v"), r.now+500, "set")
				}
				tx.PutText([]byte("b"), []byte("old"), r.now+1, "set")
			}, "a", "b")
			r.now++
			r.on(0, func(tx *Tx) { tx.Rename([]byte("a"), []byte("b"), 0, Transfer{"rename_from", "rename_to"}) }, "a", "b")
			r.wantEvents("expired b@0, rename_from a@0, rename_to b@0")
			r.on(0, func(tx *Tx) { tx.Copy(tx.Find([]byte("b")), []byte("c"), 1, "copy_to") }, "b", "c")
			r.wantEvents("copy_to c@1")
			r.on(1, func(tx *Tx) { tx.Rename([]byte("c"), []byte("c"), 0, Transfer{"move_from", "move_to"}) }, "c")
			r.wantEvents("move_from c@1, move_to c@0")
			r.on(0, func(tx *Tx) {
				if v := tx.Find([]byte("c")); tx.Deadline(v) != r.now+499 || v.IsObject() != object {
					t.Errorf("the end is %d, want %d; an object: %v", tx.Deadline(v), r.now+499, v.IsObject())
				}
				tx.Delete([]byte("b"), "del")
				tx.Delete([]byte("c"), "del")
			}, "b", "c")
		}
		r.wantEmpty()
	}
}

// A time far beyond what is kept is kept as far away.
func TestFarDeadline(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 1)
	r.put(0, "k", "v")
	r.on(0, func(tx *Tx) { tx.Expire(tx.Find([]byte("k")), 1<<63-1, "expire") }, "k")
	r.now = 1 << 47
	r.expireDue()
	r.on(0, func(tx *Tx) {
		if v := tx.Find([]byte("k")); v.Missing() || tx.Deadline(v) != deadline.Max {
			t.Errorf("the end is %d", tx.Deadline(v))
		}
	}, "k")
}
