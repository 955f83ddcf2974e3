package list

// Changes in the middle of a large list: blocks are split where they get too
// long, and joined where neighbours have become short.

// spot is between two elements of a block, or at an end of it: an offset.
type spot struct {
	place
	at uint32
}

// spotOf is where element i of the list begins.
func (l *large) spotOf(i int) spot {
	p, nth := l.find(i)
	b := l.at(p)
	return spot{p, b.begin + uint32(skip(l.elementsOf(b), int(b.items), nth))}
}

// insertAt puts an element in at a spot.
func (l *large) insertAt(s spot, text []byte, lim limits) {
	n := sizeOf(text)
	b := l.at(s.place)
	for !b.accepts(n, lim) && s.at != b.begin && s.at != b.end {
		s = l.splitBlock(s, n, lim)
		b = l.at(s.place)
	}
	if b.accepts(n, lim) {
		l.write(s, text, lim)
		return
	}
	l.insertBetween(s, text, lim)
}

// splitBlock splits the block of a spot in its middle, or at the spot if the
// element of n bytes for it is more than half of a block. It returns where the
// spot is then.
func (l *large) splitBlock(s spot, n int, lim limits) spot {
	b := l.edit(s.place)
	cut := s.at
	if n <= lim.bytes/2 {
		cut = b.begin + l.middle(b)
	}
	right := l.elementsOf(b)[cut-b.begin:]
	items := countIn(right)
	moved := l.newBlock(len(right))
	moved.end, moved.items = uint32(copy(l.bytesOf(&moved), right)), uint16(items)
	b.end -= uint32(len(right))
	b.items -= uint16(items)
	l.count(&l.chunks[s.chunk], -items, -len(right))
	begin := b.begin
	l.tighten(b)
	p := l.insert(place{s.chunk, s.block + 1}, moved)
	if s.at > cut {
		return spot{p, s.at - cut}
	}
	p = l.prev(p)
	return spot{p, s.at - begin + l.at(p).begin}
}

// middle is how far from the begin of a block, which has several, the element
// begins that comes first in its second half.
func (l *large) middle(b *block) uint32 {
	all := l.elementsOf(b)
	_, at := elementAt(all, 0)
	for {
		_, next := elementAt(all, at)
		if next > len(all)/2 {
			return uint32(at)
		}
		at = next
	}
}

// write puts an element into a block that accepts it.
func (l *large) write(s spot, text []byte, lim limits) {
	b, n := l.edit(s.place), sizeOf(text)
	gap := l.open(b, s.at, n, lim)
	putElement(l.bytesOf(b)[gap:], text)
	b.items++
	l.count(&l.chunks[s.chunk], 1, n)
}

// insertBetween puts an element in at an end of a block that does not accept
// it: into the neighbour there, if that does, else into a block of its own.
func (l *large) insertBetween(s spot, text []byte, lim limits) {
	n := sizeOf(text)
	before := s.at == l.at(s.place).begin
	side := l.next(s.place)
	if before {
		side = l.prev(s.place)
	}
	if l.valid(side) && l.at(side).accepts(n, lim) {
		b := l.at(side)
		if before {
			l.write(spot{side, b.end}, text, lim)
		} else {
			l.write(spot{side, b.begin}, text, lim)
		}
		return
	}
	b := l.newBlock(n)
	b.end, b.items = uint32(n), 1
	putElement(l.bytesOf(&b), text)
	if !before {
		s.block++
	}
	l.insert(s.place, b)
}

// insertBefore puts an element in as element i of the list.
func (l *large) insertBefore(i int, text []byte, lim limits) {
	if i == l.items {
		l.push(text, right, lim)
		return
	}
	l.insertAt(l.spotOf(i), text, lim)
	l.joinAround(i, lim)
}

// set gives element i another text.
func (l *large) set(i int, text []byte, lim limits) {
	s := l.spotOf(i)
	b := l.edit(s.place)
	_, end := elementAt(l.bytesOf(b), int(s.at))
	was, n := end-int(s.at), sizeOf(text)
	switch {
	case n == was && (b.items > 1 || !l.isFrozen(b)):
		l.own(b)
		putElement(l.bytesOf(b)[s.at:], text)
		return
	case b.items == 1:
		l.setOnly(b, text)
		l.count(&l.chunks[s.chunk], 0, n-was)
	default:
		begin := b.begin
		l.cut(b, s.at, was)
		s.at += b.begin - begin
		b.items--
		l.count(&l.chunks[s.chunk], -1, -was)
		l.insertAt(s, text, lim)
	}
	l.joinAround(i, lim)
}

// setOnly gives the only element of a block another text.
func (l *large) setOnly(b *block, text []byte) {
	n := sizeOf(text)
	if l.mem.Size(n) != int(b.size) || l.isFrozen(b) {
		l.freeBlock(b)
		*b = l.newBlock(n)
	}
	b.begin, b.end, b.items = 0, uint32(n), 1
	putElement(l.bytesOf(b), text)
}

// joinAround joins the blocks around that of element i, where they are short.
func (l *large) joinAround(i int, lim limits) {
	p, _ := l.find(i)
	const back = 2 // a split in three makes a short neighbour on either side
	for range back {
		if q := l.prev(p); l.valid(q) {
			p = q
		}
	}
	for pairs := 0; pairs < 2*back && l.valid(p); pairs++ {
		if !l.join(p, lim) {
			p = l.next(p)
		}
	}
}

// join makes one block of the one at p and the next, if it has some room then.
func (l *large) join(p place, lim limits) bool {
	if !l.valid(p) || !l.valid(l.next(p)) {
		return false
	}
	q := l.next(p)
	a, b := l.at(p), l.at(q)
	n := b.used()
	if most := (limits{lim.bytes - lim.bytes/4, lim.items - lim.items/4}); !most.allow(int(a.items+b.items), a.used()+n) {
		return false
	}
	a = l.edit(p)
	if int(a.size-a.end) >= n {
		l.ownRange(a, a.end, a.end+uint32(n))
	} else {
		l.place(a, max(int(a.size), a.used()+n), right)
	}
	copy(l.bytesOf(a)[a.end:], l.elementsOf(b))
	a.end += uint32(n)
	a.items += b.items
	l.count(&l.chunks[p.chunk], int(b.items), n)
	l.remove(q)
	return true
}
