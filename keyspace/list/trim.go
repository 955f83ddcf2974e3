package list

// dropMax is how many blocks a command gives back itself: each takes some
// 0.2 µs, and if its memory goes back to the system as much for each 4 KB.
// More of them go as garbage, in slices.
const dropMax = 64

// trim leaves the n elements from element i on, of which there is at least
// one. They are the list's, or if very many are not wanted, those of another
// list, and this one is to be freed.
func (l *large) trim(i, n int) *large {
	if l.items == n {
		return l
	}
	from, to := l.spotOf(i), l.spotOf(i+n-1)
	l.endAfter(to)
	l.beginAt(from)
	if l.blocksBefore(from.place)+l.blocksAfter(to.place) > dropMax {
		return l.takeOut(from.place, to.place)
	}
	for p := l.last(); p != to.place; p = l.last() {
		l.remove(p)
	}
	for left := l.blocksBefore(from.place); left > 0; left-- {
		l.remove(l.first())
	}
	l.joinChunks()
	return l
}

// beginAt lets the block of a spot begin there.
func (l *large) beginAt(s spot) {
	b := l.edit(s.place)
	gone := l.elementsOf(b)[:s.at-b.begin]
	items := countIn(gone)
	b.begin = s.at
	b.items -= uint16(items)
	l.count(&l.chunks[s.chunk], -items, -len(gone))
}

// endAfter lets the block of a spot end after the element there.
func (l *large) endAfter(s spot) {
	b := l.edit(s.place)
	_, end := elementAt(l.bytesOf(b), int(s.at))
	gone := l.bytesOf(b)[end:b.end]
	items := countIn(gone)
	b.end = uint32(end)
	b.items -= uint16(items)
	l.count(&l.chunks[s.chunk], -items, -len(gone))
}

// blocksBefore is how many blocks are before that at p.
func (l *large) blocksBefore(p place) (n int) {
	for i := range l.chunks[:p.chunk] {
		n += int(l.chunks[i].blocks)
	}
	return n + p.block
}

// blocksAfter is how many blocks are behind that at p.
func (l *large) blocksAfter(p place) (n int) {
	for i := range l.chunks[p.chunk:] {
		n += int(l.chunks[p.chunk+i].blocks)
	}
	return n - p.block - 1
}

// takeOut moves the blocks from one place to another into a list of their own.
// Whole chunks move as they are. What is left of l is only good to be freed.
func (l *large) takeOut(from, to place) *large {
	out := newLarge(l.mem)
	out.frozen = l.frozen
	rest := make([]chunk, 0, len(l.chunks))
	for n, c := range l.chunks {
		first, end := 0, int(c.blocks)
		if n == from.chunk {
			first = from.block
		}
		if n == to.chunk {
			end = to.block + 1
		}
		switch {
		case n < from.chunk || n > to.chunk:
			rest = append(rest, c)
		case first == 0 && end == int(c.blocks):
			out.adopt(c)
		default:
			rest = append(rest, out.adoptSome(c, first, end))
		}
	}
	l.chunks = rest
	return out
}

// adopt makes a chunk of another list the last one.
func (l *large) adopt(c chunk) {
	l.chunks = append(l.chunks, c)
	l.items += c.items
	l.held += int64(l.mem.Size(int(c.room) * blockBytes))
	for _, b := range l.blocksOf(&c) {
		l.used += b.used()
		l.held += int64(b.size)
	}
}

// adoptSome makes some blocks of another list's chunk the last ones, and
// returns what is left of the chunk.
func (l *large) adoptSome(c chunk, first, end int) chunk {
	l.part(&c)
	blocks := l.blocksOf(&c)
	for _, b := range blocks[first:end] {
		l.insert(l.end(), b)
		l.held += int64(b.size)
	}
	copy(blocks[first:], blocks[end:])
	c.blocks -= int32(end - first)
	return c
}
