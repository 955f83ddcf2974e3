package table

import (
	"math/bits"

	"github.com/troupedb/troupe/keyspace/slab"
)

// entry is what a slot holds, with its tag and, once it is needed, its hash.
type entry struct {
	slot Slot
	tag  uint64
	hash uint64
}

// looseLen is how many entries of a chain taken apart need no allocation:
// four buckets full, which a fair hash practically never exceeds.
const looseLen = 4 * slotCount

// Reserve makes the table as large as it will be with n entries, so that it need
// not grow on the way there. Each entry that it has is hashed once, where growing
// would do that at each doubling.
func (t *Table) Reserve(n int) {
	was := t.buckets.Len()
	want := n<<4/loadMax + 1
	if want <= was {
		return
	}
	for t.buckets.Len() < want {
		*t.buckets.Grow() = bucket{}
	}
	t.mask = 1<<bits.Len(uint(want-1)) - 1
	if t.count > 0 {
		t.changes++
		t.spreadFirst(was)
	}
}

// spreadFirst spreads the entries of the first buckets over all, of which the
// others are empty. An entry stays in its bucket or goes to one of those: an index
// is the low bits of a hash, before and after.
func (t *Table) spreadFirst(buckets int) {
	overflow := t.overflow
	t.overflow = slab.Array[bucket]{}
	var space [4 * looseLen]entry
	entries := space[:0]
	for i := range buckets {
		home := t.buckets.At(i)
		entries = home.appendTo(entries)
		for b := home; b.isLinked(); {
			b = overflow.At(b.link())
			entries = b.appendTo(entries)
		}
		*home = bucket{}
		if len(entries) >= looseLen || i == buckets-1 {
			t.spread(entries)
			entries = entries[:0]
		}
	}
	overflow.Close()
}

// spread puts entries that were taken out where they belong. Hashing in a loop of
// its own lets the processor fetch them, which are seldom in its caches, all at
// once.
func (t *Table) spread(entries []entry) {
	for i := range entries {
		entries[i].hash = t.hashOf(entries[i].slot.Ref())
	}
	for _, e := range entries {
		t.place(t.buckets.At(t.index(e.hash)), e.tag, e.slot)
	}
}

// split spreads the next bucket in turn over itself and a new last bucket.
func (t *Table) split() {
	n := t.buckets.Len()
	var space [looseLen]entry
	entries := t.empty(sibling(n), space[:0]) // Still indexed by the old mask.
	*t.buckets.Grow() = bucket{}
	if uint64(n) > t.mask {
		t.mask = t.mask<<1 | 1
	}
	t.spread(entries)
}

// merge puts the entries of the last bucket back into the one that it was
// split from.
func (t *Table) merge() {
	n := t.buckets.Len() - 1
	var space [looseLen]entry
	entries := t.empty(n, space[:0])
	t.buckets.Shrink()
	if uint64(n) == t.mask>>1+1 {
		t.mask >>= 1
	}
	home := t.buckets.At(sibling(n))
	for _, e := range entries {
		t.place(home, e.tag, e.slot)
	}
}

// loadTight is up to which load Tighten merges: somewhat below the one at which
// the next entry would have a bucket split again.
const loadTight = loadMax * 7 / 8

// TightenEffort is about what a merge takes, in the units of slab.Heap.Effort.
const TightenEffort = 3

// Tighten merges so many buckets, if the table is larger than its entries need:
// as it may be, up to twice, after many have gone. It reports whether it may have
// more to do.
func (t *Table) Tighten(merges int) (more bool) {
	for ; merges > 0; merges-- {
		if n := t.buckets.Len(); n < 2 || t.count<<4 > (n-1)*loadTight {
			if t.buckets.Fit() || t.overflow.Fit() {
				t.changes++
				return true
			}
			return false
		}
		t.changes++
		t.merge()
	}
	return true
}

// sibling returns the bucket that bucket n > 0 is split from: n without its
// top bit.
func sibling(n int) int { return n ^ 1<<(bits.Len(uint(n))-1) }

// empty moves the entries of the chain at bucket i to the end of entries.
func (t *Table) empty(i int, entries []entry) []entry {
	home := t.buckets.At(i)
	entries = home.appendTo(entries)
	for home.isLinked() {
		at := home.link()
		head := t.overflow.At(at)
		entries = head.appendTo(entries)
		if head.isLinked() {
			home.setLink(head.link())
		} else {
			home.tags &^= linked
		}
		t.freeOverflow(at)
	}
	home.tags = 0
	return entries
}

func (b *bucket) appendTo(entries []entry) []entry {
	for m := b.full(); m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) >> 3
		entries = append(entries, entry{slot: b.slots[i], tag: b.tag(i)})
	}
	return entries
}
