package table

import (
	"math/bits"
	"unsafe"

	"github.com/troupedb/troupe/keyspace/slab"
)

const tableBytes = int64(unsafe.Sizeof(Table{}))

// Insert adds an entry, which the caller knows to be absent, and returns its
// slot. Now and then it splits a bucket first.
func (t *Table) Insert(h uint64, r slab.Ref, stamp uint32) *Slot {
	if t.buckets.Len() == 0 {
		*t.buckets.Grow() = bucket{}
	}
	t.changes++
	t.count++
	if t.count<<4 > t.buckets.Len()*loadMax {
		t.split()
	}
	return t.place(t.buckets.At(t.index(h)), tagOf(h), Slot(r)|Slot(stamp)<<refBits)
}

// place puts an entry into the chain that begins at home.
func (t *Table) place(home *bucket, tag uint64, s Slot) *Slot {
	if i := home.room(); i >= 0 {
		return home.put(i, tag, s)
	}
	if home.isLinked() {
		head := t.overflow.At(home.link())
		if i := head.room(); i >= 0 {
			return head.put(i, tag, s)
		}
		at := t.overflow.Len()
		head = t.overflow.Grow()
		*head = bucket{}
		head.setLink(home.link())
		home.setLink(at)
		return head.put(0, tag, s)
	}
	at := t.overflow.Len()
	head := t.overflow.Grow()
	*head = bucket{}
	lastTag, last := home.take(linkSlot)
	home.setLink(at)
	head.put(0, lastTag, last)
	return head.put(1, tag, s)
}

// Remove takes out the entry with hash h at r and says whether it was there.
// Now and then it merges two buckets afterwards.
func (t *Table) Remove(h uint64, r slab.Ref) bool {
	if t.count == 0 {
		return false
	}
	home, tags := t.buckets.At(t.index(h)), tagOf(h)*everyByte
	for b := home; ; b = t.overflow.At(b.link()) {
		for m := equalBytes(b.tags, tags); m != 0; m &= m - 1 {
			if i := bits.TrailingZeros64(m) >> 3; b.slots[i].Ref() == r {
				t.changes++
				t.removeAt(home, b, i)
				return true
			}
		}
		if !b.isLinked() {
			return false
		}
	}
}

// removeAt empties slot i of b, a bucket of home's chain, and closes the gap
// with an entry of the first overflow bucket.
func (t *Table) removeAt(home, b *bucket, i int) {
	b.take(i)
	if home.isLinked() {
		head := t.overflow.At(home.link())
		if b != head {
			tag, s := head.take(bits.TrailingZeros64(head.full()) >> 3)
			b.put(i, tag, s)
		}
		t.shortenChain(home, head)
	}
	t.count--
	if n := t.buckets.Len(); n > 1 && t.count<<4 < n*loadMin {
		t.merge()
	}
}

// shortenChain takes the first overflow bucket out of home's chain if the
// rest has room for what it holds: it is empty, or it is the only one and one
// entry is left, which then fits where the link was.
func (t *Table) shortenChain(home, head *bucket) {
	at, left := home.link(), head.full()
	switch {
	case head.isLinked() && left == 0:
		home.setLink(head.link())
	case !head.isLinked() && left&(left-1) == 0:
		home.tags &^= linked
		tag, s := head.take(bits.TrailingZeros64(left) >> 3)
		home.put(linkSlot, tag, s)
	default:
		return
	}
	t.freeOverflow(at)
}

// freeOverflow fills the unused overflow bucket at with the last one.
func (t *Table) freeOverflow(at int) {
	last := t.overflow.Len() - 1
	if at != last {
		moved := t.overflow.At(last)
		t.chainTo(last, moved).setLink(at)
		*t.overflow.At(at) = *moved
	}
	t.overflow.Shrink()
}

// chainTo returns the bucket that links to overflow bucket at, which is b. An
// entry of b tells which chain that is.
func (t *Table) chainTo(at int, b *bucket) *bucket {
	some := b.slots[bits.TrailingZeros64(b.full())>>3]
	parent := t.buckets.At(t.index(t.hashOf(some.Ref())))
	for parent.link() != at {
		parent = t.overflow.At(parent.link())
	}
	return parent
}
