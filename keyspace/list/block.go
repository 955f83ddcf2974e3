package list

// bytesOf are the bytes of a block, those without elements included.
func (l *large) bytesOf(b *block) []byte { return l.mem.Bytes(b.ref(), int(b.size)) }

// elementsOf are the bytes of a block's elements.
func (l *large) elementsOf(b *block) []byte { return l.bytesOf(b)[b.begin:b.end] }

// newBlock makes a block of at least n bytes, without elements.
func (l *large) newBlock(n int) block {
	n = l.mem.Size(n)
	r := l.alloc(n)
	return block{low: uint32(r), high: uint8(r >> 32), size: uint32(n)}
}

// freeBlock frees a block, or leaves it to who walks a frozen list that had it.
func (l *large) freeBlock(b *block) {
	if l.isFrozen(b) {
		l.frozen.take(l, b)
		return
	}
	l.free(b.ref(), int(b.size))
}

// accepts reports whether the limits let a block have another element of n
// bytes.
func (b *block) accepts(n int, lim limits) bool { return lim.allow(int(b.items)+1, b.used()+n) }

// widen gets room for n bytes at an end of a block: from its other end, if
// that has most of the room, so that it isn't done often; or in a larger
// place. ok is false for a block that is as large as blocks get.
func (l *large) widen(b *block, n int, at side, lim limits) (ok bool) {
	size := int(b.size)
	switch {
	case b.used()+n <= size/2:
	case size < lim.bytes:
		size = min(lim.bytes, max(2*size, b.used()+n))
	default:
		return false
	}
	l.place(b, size, at)
	return true
}

// place puts the elements of a block to the end of size bytes that is not at
// the side given: where they are if that is the size, else in a new place.
func (l *large) place(b *block, size int, at side) {
	to := *b
	if l.mem.Size(size) != int(b.size) || l.isFrozen(b) {
		to = l.newBlock(size)
	}
	to.begin = 0
	if at == left {
		to.begin = to.size - uint32(b.used())
	}
	to.end, to.items = to.begin+uint32(b.used()), b.items
	copy(l.elementsOf(&to), l.elementsOf(b))
	if to.ref() != b.ref() {
		l.freeBlock(b)
	}
	*b = to
}

// open makes a gap of n bytes at the offset at, which is where an element
// begins or the last one ends, and says where the gap is. The block is the
// list's own then.
func (l *large) open(b *block, at uint32, n int, lim limits) (gap uint32) {
	bytes, by := l.bytesOf(b), uint32(n)
	leftRoom, rightRoom := b.begin >= by, b.size-b.end >= by
	switch {
	case l.isFrozen(b):
	case leftRoom && (!rightRoom || at-b.begin < b.end-at):
		copy(bytes[b.begin-by:], bytes[b.begin:at])
		b.begin -= by
		return at - by
	case rightRoom:
		copy(bytes[at+by:], bytes[at:b.end])
		b.end += by
		return at
	}
	return l.openElsewhere(b, at, n, lim)
}

// openElsewhere is open for a block without room: it moves to a larger place,
// with some room for more.
func (l *large) openElsewhere(b *block, at uint32, n int, lim limits) (gap uint32) {
	used := b.used() + n
	to := l.newBlock(max(used, min(used+used/4, lim.bytes)))
	all, bytes := l.bytesOf(b), l.bytesOf(&to)
	gap = uint32(copy(bytes, all[b.begin:at]))
	copy(bytes[gap+uint32(n):], all[at:b.end])
	to.end, to.items = uint32(used), b.items
	l.freeBlock(b)
	*b = to
	return gap
}

// cut takes the n bytes at the offset at out of a block.
func (l *large) cut(b *block, at uint32, n int) {
	l.own(b)
	bytes, by := l.bytesOf(b), uint32(n)
	if at-b.begin < b.end-at-by {
		copy(bytes[b.begin+by:], bytes[b.begin:at])
		b.begin += by
		return
	}
	copy(bytes[at:], bytes[at+by:b.end])
	b.end -= by
}

// tighten moves a block that has lost half of its elements to a place as large
// as it needs.
func (l *large) tighten(b *block) {
	if size := l.mem.Size(b.used()); 2*size <= int(b.size) {
		l.place(b, size, right)
	}
}
