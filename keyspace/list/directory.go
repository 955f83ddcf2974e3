package list

import (
	"slices"
	"unsafe"

	"github.com/troupedb/troupe/keyspace/slab"
)

// block describes a block. Its elements are the bytes from begin to end of
// the size bytes at ref. mark says which block of a frozen list it was.
type block struct {
	low              uint32 // of the Ref's 40 bits
	high             uint8
	items            uint16
	size, begin, end uint32
	mark             mark
}

func (b *block) used() int { return int(b.end - b.begin) }

func (b *block) ref() slab.Ref { return slab.Ref(b.high)<<32 | slab.Ref(b.low) }

func (b *block) setRef(r slab.Ref) { b.low, b.high = uint32(r), uint8(r>>32) }

// chunk is the descriptors of neighbouring blocks, of which there is at least
// one, and the number of elements in them.
type chunk struct {
	ref          slab.Ref
	room, blocks int32
	items        int
	frozen       int // the number, from 1, of the frozen list's chunk that it is; 0 for none
}

const (
	chunkMax   = 256 // descriptors
	chunkMin   = 4
	blockBytes = int(unsafe.Sizeof(block{}))
	chunkBytes = int(unsafe.Sizeof(chunk{}))
)

// place is where a block's descriptor is.
type place struct{ chunk, block int }

// blocksOf are the descriptors of a chunk. They lie in the slab heap, which
// has no part in garbage collection, as they have no pointers.
func (l *large) blocksOf(c *chunk) []block {
	b := l.mem.Bytes(c.ref, blockBytes)
	return unsafe.Slice((*block)(unsafe.Pointer(unsafe.SliceData(b))), c.room)[:c.blocks]
}

func (l *large) at(p place) *block { return &l.blocksOf(&l.chunks[p.chunk])[p.block] }

// edit is at for a block that is to be changed. Before its elements change
// where they are, it has to be the list's own too.
func (l *large) edit(p place) *block {
	l.part(&l.chunks[p.chunk])
	return l.at(p)
}

// first and last are the places of the blocks at the ends of a list that is
// not empty.
func (l *large) first() place { return place{} }
func (l *large) last() place {
	n := len(l.chunks) - 1
	return place{n, int(l.chunks[n].blocks) - 1}
}

// next is the place after p. After the last one it is one without a block: see
// valid.
func (l *large) next(p place) place {
	if p.block+1 < int(l.chunks[p.chunk].blocks) {
		return place{p.chunk, p.block + 1}
	}
	return place{p.chunk + 1, 0}
}

// prev is the place before p, likewise.
func (l *large) prev(p place) place {
	switch {
	case p.block > 0:
		return place{p.chunk, p.block - 1}
	case p.chunk > 0:
		return place{p.chunk - 1, int(l.chunks[p.chunk-1].blocks) - 1}
	}
	return place{-1, -1}
}

// valid reports whether there is a block at p.
func (l *large) valid(p place) bool { return p.chunk >= 0 && p.chunk < len(l.chunks) }

// find is the block that has element i of the list, and which of the block's
// elements that is.
func (l *large) find(i int) (p place, nth int) {
	if i > l.items/2 {
		return l.findFromEnd(i)
	}
	for i >= l.chunks[p.chunk].items {
		i -= l.chunks[p.chunk].items
		p.chunk++
	}
	for _, b := range l.blocksOf(&l.chunks[p.chunk]) {
		if i < int(b.items) {
			break
		}
		i -= int(b.items)
		p.block++
	}
	return p, i
}

func (l *large) findFromEnd(i int) (p place, nth int) {
	begin := l.items
	p.chunk = len(l.chunks)
	for begin > i {
		p.chunk--
		begin -= l.chunks[p.chunk].items
	}
	begin += l.chunks[p.chunk].items
	blocks := l.blocksOf(&l.chunks[p.chunk])
	p.block = len(blocks)
	for begin > i {
		p.block--
		begin -= int(blocks[p.block].items)
	}
	return p, i - begin
}

// insert makes b the block before the one at p, or the last one of its chunk,
// and returns where it is. Its elements become the list's.
func (l *large) insert(p place, b block) place {
	if len(l.chunks) == 0 {
		l.chunks = append(l.chunks, l.newChunk())
	}
	if l.chunks[p.chunk].blocks == chunkMax {
		p = l.split(p)
	}
	c := &l.chunks[p.chunk]
	l.part(c)
	if c.blocks == c.room {
		l.resizeChunk(c, 2*c.room)
	}
	c.blocks++
	blocks := l.blocksOf(c)
	copy(blocks[p.block+1:], blocks[p.block:])
	blocks[p.block] = b
	l.count(c, int(b.items), b.used())
	return p
}

// count notes that a chunk's blocks have got so many elements, of so many
// bytes, or lost them.
func (l *large) count(c *chunk, items, bytes int) {
	c.items += items
	l.items += items
	l.used += bytes
}

// split makes room for a descriptor at p, whose chunk is full, and returns
// where p is then: at the ends of the list in a new chunk, so that chunks are
// full where a list only grows; elsewhere in one of two halves.
func (l *large) split(p place) place {
	n := p.chunk
	switch {
	case p == place{}:
		l.chunks = slices.Insert(l.chunks, 0, l.newChunk())
		return p
	case n == len(l.chunks)-1 && p.block == chunkMax:
		l.chunks = append(l.chunks, l.newChunk())
		return place{n + 1, 0}
	}
	l.chunks = slices.Insert(l.chunks, n+1, l.newChunk())
	l.resizeChunk(&l.chunks[n+1], chunkMax)
	l.moveBlocks(n, n+1, chunkMax/2)
	if p.block > chunkMax/2 {
		return place{n + 1, p.block - chunkMax/2}
	}
	return p
}

// moveBlocks moves the descriptors of chunk from, from place at on, to the end
// of chunk to, which has room for them.
func (l *large) moveBlocks(from, to, at int) {
	a, b := &l.chunks[from], &l.chunks[to]
	l.part(a)
	l.part(b)
	moved := l.blocksOf(a)[at:]
	b.blocks += int32(len(moved))
	copy(l.blocksOf(b)[int(b.blocks)-len(moved):], moved)
	for i := range moved {
		a.items -= int(moved[i].items)
		b.items += int(moved[i].items)
	}
	a.blocks = int32(at)
}

// remove gives the block at p back with its elements, and returns the place of
// the one that was behind it.
func (l *large) remove(p place) place {
	c := &l.chunks[p.chunk]
	l.part(c)
	blocks := l.blocksOf(c)
	b := blocks[p.block]
	l.freeBlock(&b)
	l.count(c, -int(b.items), -b.used())
	copy(blocks[p.block:], blocks[p.block+1:])
	c.blocks--
	switch {
	case c.blocks == 0:
		l.dropChunk(p.chunk)
		return place{p.chunk, 0}
	case c.blocks*4 <= c.room && c.room > chunkMin:
		l.resizeChunk(c, c.room/2)
	}
	if p.block == int(c.blocks) {
		return place{p.chunk + 1, 0}
	}
	return p
}

// dropChunk takes a chunk out that has no blocks any more.
func (l *large) dropChunk(n int) {
	c := l.chunks[n]
	l.free(c.ref, int(c.room)*blockBytes)
	if n == 0 {
		l.chunks = l.chunks[1:]
		return
	}
	l.chunks = slices.Delete(l.chunks, n, n+1)
}

func (l *large) newChunk() chunk {
	return chunk{ref: l.alloc(chunkMin * blockBytes), room: chunkMin}
}

func (l *large) resizeChunk(c *chunk, room int32) {
	l.part(c)
	old, was := l.blocksOf(c), *c
	c.room, c.ref = room, l.alloc(int(room)*blockBytes)
	copy(l.blocksOf(c), old)
	l.free(was.ref, int(was.room)*blockBytes)
}

// joinChunks puts chunks together with their neighbours where both have become
// small.
func (l *large) joinChunks() {
	for n := 0; n+1 < len(l.chunks); {
		a, b := &l.chunks[n], &l.chunks[n+1]
		all := a.blocks + b.blocks
		if all > chunkMax/2 {
			n++
			continue
		}
		if a.room < all {
			l.resizeChunk(a, chunkMax/2)
		}
		l.moveBlocks(n+1, n, 0)
		l.dropChunk(n + 1)
	}
}
