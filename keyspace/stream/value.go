package stream

import (
	"sort"
	"unsafe"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/slab"
)

// stream is a stream, a keyspace.Object.
type stream struct {
	mem    *slab.Heap
	chunks []chunk
	groups []*group // by their names

	length int     // entries that are there
	added  uint64  // entries there have ever been (entries-added)
	last   ID      // the highest that was ever given
	first  ID      // of the first entry that is there, 0-0 of none
	end    ID      // likewise of the last one
	tomb   ID      // the highest that was deleted (max-deleted-entry-id)
	held   int64   // bytes that the blocks occupy
	listed int64   // bytes of the descriptors
	frozen *frozen // what it was when it was frozen, if it is
}

// chunk is the descriptors of neighbouring blocks, of which there is at least
// one.
type chunk []block

const (
	chunkMax   = 256
	blockBytes = int(unsafe.Sizeof(block{}))
	chunkBytes = int(unsafe.Sizeof(chunk{}))
)

func newStream(mem *slab.Heap) *stream { return &stream{mem: mem} }

// Type implements keyspace.Object.
func (s *stream) Type() keyspace.Type { return keyspace.Stream }

// Encoding implements keyspace.Object.
func (s *stream) Encoding() keyspace.Encoding { return keyspace.StreamTree }

// Len implements keyspace.Object.
func (s *stream) Len() int { return s.length }

// Bytes implements keyspace.Object.
func (s *stream) Bytes() int64 {
	n := int64(unsafe.Sizeof(*s)) + s.held + s.listed + int64(cap(s.chunks)*chunkBytes)
	for _, g := range s.groups {
		n += g.bytes()
	}
	return n
}

// Free implements keyspace.Object. It frees block by block, from the end; what
// belongs to groups is the garbage collector's.
func (s *stream) Free(mem *slab.Heap, effort int) (done bool) {
	s.groups = nil
	for end := mem.Effort() + uint64(effort); len(s.chunks) > 0; {
		n := len(s.chunks) - 1
		c := s.chunks[n]
		for ; len(c) > 0; c = c[:len(c)-1] {
			if mem.Effort() >= end {
				s.chunks[n] = c
				return false
			}
			b := &c[len(c)-1]
			mem.Discard(b.ref, int(b.size))
		}
		s.chunks = s.chunks[:n]
	}
	return true
}

// Copy implements keyspace.Object. The copy's blocks have no room.
func (s *stream) Copy(from, mem *slab.Heap) keyspace.Object {
	c := *s
	c.mem, c.chunks, c.groups, c.held, c.listed, c.frozen = mem, make([]chunk, len(s.chunks)), nil, 0, 0, nil
	for i := range s.chunks {
		c.chunks[i] = append(make(chunk, 0, len(s.chunks[i])), s.chunks[i]...)
		c.listed += int64(cap(c.chunks[i]) * blockBytes)
		for j := range c.chunks[i] {
			b := &c.chunks[i][j]
			text := from.Bytes(b.ref, int(b.used))
			b.size = b.used
			b.ref = c.alloc(int(b.used))
			copy(mem.Bytes(b.ref, int(b.used)), text)
		}
	}
	for _, g := range s.groups {
		c.groups = append(c.groups, g.clone())
	}
	return &c
}

// alloc is the heap's, counted.
func (s *stream) alloc(n int) slab.Ref {
	s.held += int64(s.mem.Size(n))
	return s.mem.Alloc(n)
}

// free frees a block, or leaves it to who walks a frozen stream that had it.
func (s *stream) free(b *block) {
	s.held -= int64(s.mem.Size(int(b.size)))
	if s.isFrozen(b) {
		s.frozen.take(b)
		return
	}
	s.mem.Free(b.ref, int(b.size))
}

// bytesOf are the bytes of a block, with those that are not used yet.
func (s *stream) bytesOf(b *block) []byte { return s.mem.Bytes(b.ref, int(b.size)) }

// blocks is how many blocks there are.
func (s *stream) blocks() (n int) {
	for i := range s.chunks {
		n += len(s.chunks[i])
	}
	return n
}

// place is where a block's descriptor is.
type place struct{ chunk, block int }

func (s *stream) at(p place) *block { return &s.chunks[p.chunk][p.block] }

// valid reports whether there is a block at p.
func (s *stream) valid(p place) bool { return p.chunk >= 0 && p.chunk < len(s.chunks) }

// next is the place after p, one without a block after the last: see valid.
func (s *stream) next(p place) place {
	if p.block+1 < len(s.chunks[p.chunk]) {
		return place{p.chunk, p.block + 1}
	}
	return place{p.chunk + 1, 0}
}

// prev is the place before p, likewise.
func (s *stream) prev(p place) place {
	switch {
	case p.block > 0:
		return place{p.chunk, p.block - 1}
	case p.chunk > 0:
		return place{p.chunk - 1, len(s.chunks[p.chunk-1]) - 1}
	}
	return place{-1, -1}
}

// find is the last block that begins at an ID or before it; the first block if
// there is none such, and no place in a stream without blocks.
func (s *stream) find(id ID) place {
	n := sort.Search(len(s.chunks), func(i int) bool { return id.less(s.chunks[i][0].first) })
	if n == 0 {
		return place{}
	}
	c := s.chunks[n-1]
	return place{n - 1, sort.Search(len(c), func(i int) bool { return id.less(c[i].first) }) - 1}
}

// addBlock makes b the last block, of a chunk that may be changed.
func (s *stream) addBlock(b block) *block {
	n := len(s.chunks)
	if n == 0 || len(s.chunks[n-1]) == chunkMax {
		s.chunks = append(s.chunks, nil)
		n++
	}
	c := s.chunks[n-1]
	if len(c) == cap(c) {
		wider := make(chunk, len(c), min(chunkMax, max(1, 2*cap(c))))
		copy(wider, c)
		s.listed += int64((cap(wider) - cap(c)) * blockBytes)
		c = wider
	}
	s.chunks[n-1] = append(c, b)
	return &s.chunks[n-1][len(c)]
}

// removeBlock takes the block at p away, and its memory.
func (s *stream) removeBlock(p place) {
	s.part(p.chunk)
	s.free(s.at(p))
	s.removeBlocks(p.chunk, p.block, p.block+1)
}

// removeBlocks takes descriptors out of a chunk.
func (s *stream) removeBlocks(n, from, to int) {
	c := s.chunks[n]
	if to-from < len(c) {
		s.chunks[n] = append(c[:from], c[to:]...)
		return
	}
	s.listed -= int64(cap(c) * blockBytes)
	if n == 0 {
		s.chunks[0] = nil
		s.chunks = s.chunks[1:]
		return
	}
	s.chunks = append(s.chunks[:n], s.chunks[n+1:]...)
}
