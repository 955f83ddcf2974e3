package list

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/slab"
)

// large is a list in its large form, a keyspace.Object.
type large struct {
	mem    *slab.Heap
	chunks []chunk
	items  int   // elements
	used   int   // bytes that they take
	held   int64 // bytes that the blocks and their descriptors occupy

	frozen *frozen // what it was when it was frozen, if it was
}

func newLarge(mem *slab.Heap) *large { return &large{mem: mem} }

// Type implements keyspace.Object.
func (l *large) Type() keyspace.Type { return keyspace.List }

// Encoding implements keyspace.Object.
func (l *large) Encoding() keyspace.Encoding { return keyspace.Quicklist }

// Len implements keyspace.Object.
func (l *large) Len() int { return l.items }

// Bytes implements keyspace.Object.
func (l *large) Bytes() int64 { return l.held + int64(cap(l.chunks)*chunkBytes) }

// Free implements keyspace.Object. It frees block by block, from the end. What
// a frozen list has of them is left to it.
func (l *large) Free(mem *slab.Heap, effort int) (done bool) {
	for end := mem.Effort() + uint64(effort); len(l.chunks) > 0; {
		n := len(l.chunks) - 1
		c := &l.chunks[n]
		l.part(c)
		for ; c.blocks > 0; c.blocks-- {
			if mem.Effort() >= end {
				return false
			}
			b := &l.blocksOf(c)[c.blocks-1]
			if l.isFrozen(b) {
				l.frozen.take(l, b)
				end--
				continue
			}
			mem.Discard(b.ref(), int(b.size))
		}
		mem.Discard(c.ref, int(c.room)*blockBytes)
		l.chunks = l.chunks[:n]
	}
	return true
}

// Copy implements keyspace.Object. The copy's blocks have no room.
func (l *large) Copy(from, mem *slab.Heap) keyspace.Object {
	c := newLarge(mem)
	for n := range l.chunks {
		for _, b := range l.blocksOf(&l.chunks[n]) {
			c.add(from.Bytes(b.ref(), int(b.size))[b.begin:b.end], int(b.items))
		}
	}
	return c
}

// add makes a block of so many elements, whose bytes are given, the last one.
func (l *large) add(elements []byte, items int) {
	b := l.newBlock(len(elements))
	b.end, b.items = uint32(copy(l.bytesOf(&b), elements)), uint16(items)
	l.insert(l.end(), b)
}

// end is the place behind the last block, in its chunk.
func (l *large) end() place {
	if len(l.chunks) == 0 {
		return place{}
	}
	p := l.last()
	return place{p.chunk, p.block + 1}
}

// alloc and free are the heap's, counted.
func (l *large) alloc(n int) slab.Ref {
	l.held += int64(l.mem.Size(n))
	return l.mem.Alloc(n)
}

func (l *large) free(r slab.Ref, n int) {
	l.held -= int64(l.mem.Size(n))
	l.mem.Free(r, n)
}

// push makes text the list's element at that end.
func (l *large) push(text []byte, at side, lim limits) {
	n := sizeOf(text)
	b := l.room(n, at, lim)
	if at == left {
		b.begin -= uint32(n)
		putElement(l.bytesOf(b)[b.begin:], text)
	} else {
		putElement(l.bytesOf(b)[b.end:], text)
		b.end += uint32(n)
	}
	b.items++
	c := &l.chunks[0]
	if at == right {
		c = &l.chunks[len(l.chunks)-1]
	}
	l.count(c, 1, n)
}

// room is the block at that end of the list, once it has room for n bytes
// more at that end of itself; a new one if the present one is full.
func (l *large) room(n int, at side, lim limits) *block {
	if l.items > 0 {
		p := l.first()
		if at == right {
			p = l.last()
		}
		b := l.edit(p)
		switch {
		case !b.accepts(n, lim):
		case at == left && int(b.begin) >= n:
			l.ownRange(b, b.begin-uint32(n), b.begin)
			return b
		case at == right && int(b.size-b.end) >= n:
			l.ownRange(b, b.end, b.end+uint32(n))
			return b
		case l.widen(b, n, at, lim):
			return b
		}
	}
	b := l.newBlock(l.sizeAtEnd(n, lim))
	if at == left {
		b.begin, b.end = b.size, b.size
		return l.at(l.insert(l.first(), b))
	}
	return l.at(l.insert(l.end(), b))
}

// sizeAtEnd is the size of a new block at an end of the list, for an element
// of n bytes and more to come: an eighth of what the list has, so that short
// ones have little room that they may never use.
func (l *large) sizeAtEnd(n int, lim limits) int {
	most := lim.bytes
	if lim.items < most/n {
		most = lim.items * n
	}
	return max(n, min(l.used/8, most))
}

// pop takes the element at that end away, and its text with it.
func (l *large) pop(at side) {
	p := l.first()
	if at == right {
		p = l.last()
	}
	b := l.at(p)
	if b.items == 1 {
		l.remove(p)
		return
	}
	l.part(&l.chunks[p.chunk])
	size := int(b.end - b.begin)
	if at == left {
		_, n := elementAt(l.bytesOf(b), int(b.begin))
		b.begin = uint32(n)
	} else {
		_, n := elementBefore(l.bytesOf(b), int(b.end))
		b.end = uint32(n)
	}
	b.items--
	l.count(&l.chunks[p.chunk], -1, b.used()-size)
}
