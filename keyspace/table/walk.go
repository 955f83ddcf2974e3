package table

import "math/bits"

// cursorBits is the width of the space that Scan walks. No table has 2^48
// buckets.
const cursorBits = 48

// Scan calls visit for every entry of one bucket and returns the cursor of
// the next, or 0 after the last. A scan begins with cursor 0. visit must not
// insert or remove; between two calls the table may change in any way.
//
// The cursor is a position in the space of hashes read backwards: the low 48
// bits of a hash, bit 0 first. A bucket of index b and depth d holds the
// hashes whose low d bits are b. Read backwards these begin with the same d
// bits, so they are one interval of length 2^(48-d), and the buckets of a
// table, whatever their depths, tile the whole space without gap or overlap.
// A call visits the bucket whose interval holds the cursor, all of it, and
// returns the end of that interval.
//
// Hence each call has visited every entry between its cursor and the one it
// returns, the next call goes on from there, and the cursor only rises: an
// entry that is in the table during the whole scan lies between two
// successive cursors and is returned, whatever splits and merges happen in
// between. If the number of buckets stays the same, every cursor is the
// beginning of an interval and nothing is returned twice. After merges a
// bucket may begin before the cursor, and what lies between is returned
// again. An unknown cursor is only a place to begin at.
func (t *Table) Scan(cursor uint64, visit func(*Slot)) (next uint64) {
	if t.count == 0 || cursor >= 1<<cursorBits {
		return 0
	}
	i := t.index(bits.Reverse64(cursor) >> (64 - cursorBits))
	b := t.buckets.At(i)
	b.each(visit)
	for b.isLinked() {
		b = t.overflow.At(b.link())
		b.each(visit)
	}
	begin := bits.Reverse64(uint64(i)) >> (64 - cursorBits)
	return (begin + 1<<(cursorBits-t.depth(i))) & (1<<cursorBits - 1)
}

// Position returns where a hash stands in the space that Scan walks.
func Position(hash uint64) uint64 { return bits.Reverse64(hash) >> (64 - cursorBits) }

// Walk is Scan for one who must see no entry twice: what stands before the
// cursor, as may happen after merges, is left out. So an entry has been visited
// once the cursor is above its hash's Position, and not before.
func (t *Table) Walk(cursor uint64, visit func(*Slot)) (next uint64) {
	if t.count == 0 || cursor >= 1<<cursorBits {
		return 0
	}
	i := t.index(bits.Reverse64(cursor) >> (64 - cursorBits))
	if begin := bits.Reverse64(uint64(i)) >> (64 - cursorBits); begin == cursor {
		return t.Scan(cursor, visit)
	}
	return t.Scan(cursor, func(slot *Slot) {
		if Position(t.hashOf(slot.Ref())) >= cursor {
			visit(slot)
		}
	})
}

// depth returns how many low bits of a hash choose bucket i: those of the
// mask, or one fewer if the bucket that would share them is not split off yet.
func (t *Table) depth(i int) int {
	depth := bits.Len64(t.mask)
	if half := int(t.mask>>1) + 1; i < half && i+half >= t.buckets.Len() && depth > 0 {
		depth--
	}
	return depth
}

// each calls visit for the entries of a bucket, and returns how many there are.
func (b *bucket) each(visit func(*Slot)) (n int) {
	for m := b.full(); m != 0; m &= m - 1 {
		visit(&b.slots[bits.TrailingZeros64(m)>>3])
		n++
	}
	return n
}

// Each calls visit for every entry until it returns false. visit must not
// insert or remove.
func (t *Table) Each(visit func(*Slot) bool) {
	for i := range t.buckets.Len() + t.overflow.Len() {
		b := t.at(i)
		for m := b.full(); m != 0; m &= m - 1 {
			if !visit(&b.slots[bits.TrailingZeros64(m)>>3]) {
				return
			}
		}
	}
}

// at returns one of all buckets, the overflow buckets after the others.
func (t *Table) at(i int) *bucket {
	if n := t.buckets.Len(); i >= n {
		return t.overflow.At(i - n)
	}
	return t.buckets.At(i)
}

// Random returns an entry chosen by r, a random number, or nil if there is
// none. Every entry is equally likely: r and numbers made from it choose among
// all places for entries, seven to a bucket, until one is taken. Because the
// table shrinks as entries go (see loadMin) at least a quarter of the places
// are taken, or one of the seven of a lone bucket, so that two tries are usual
// and seven the worst average, whatever the table has been through.
func (t *Table) Random(r uint64) *Slot {
	if t.count == 0 {
		return nil
	}
	n := uint64(t.buckets.Len() + t.overflow.Len())
	for {
		r = mix(r+golden, mixer)
		place, _ := bits.Mul64(r, n*slotCount)
		b, i := t.at(int(place/slotCount)), int(place%slotCount)
		if b.tag(i) != 0 {
			return &b.slots[i]
		}
	}
}
