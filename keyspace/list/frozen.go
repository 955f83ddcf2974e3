package list

import (
	"math"
	"unsafe"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/slab"
)

// frozen is a large list as it was when it was frozen, for one who walks it in
// steps, from the left, while it changes. It has the descriptors of the list's
// blocks as they were then, chunk by chunk: the list's own, as long as it leaves
// a chunk alone, else a copy, which is made before the first change of the chunk
// (part). The bytes of a block are shared for as long as the list leaves them in
// place: what it pushes next to them does no harm. A block that the list gives
// up is left to the frozen one (take), and one that it is to change where it is
// it copies for itself first (own). What the walk has passed it frees, if it is
// not the list's.
//
// Blocks wander through the list's chunks, and to another large when very much
// of a list is cut off; so a block of a chunk that was parted from has a mark,
// which tells what it was. Marks and numbers of chunks may be left from another
// time when the list was frozen: every chunk gets a new number then, and its
// blocks new marks before any is looked at.
type frozen struct {
	list   *large
	mem    *slab.Heap
	chunks []frozenChunk
	items  int
	kept   *int64 // in which its bytes are counted

	chunk, block int // where the walk is
	at           int // how far from the begin of the block's elements
}

// frozenChunk is the descriptors of a chunk. own says that they are not the
// list's.
type frozenChunk struct {
	ref    slab.Ref
	blocks int32
	own    bool
}

// mark is a block's place in a frozen list: the number of its chunk, from 1, and
// which one it was in there. In the descriptors of the frozen list's own it is
// taken if the block is its own too.
//
//	| chunk 24 bits | block 8 bits |
type mark uint32

const taken mark = math.MaxUint32

func markOf(chunk, block int) mark { return mark(chunk+1)<<8 | mark(block) }

func (m mark) place() (chunk, block int) { return int(m>>8) - 1, int(m & 0xff) }

// freeze implements keyspace.Kind.
func freeze(v keyspace.Value, kept *int64) keyspace.Frozen { return v.Object().(*large).freeze(kept) }

func (l *large) freeze(kept *int64) *frozen {
	f := &frozen{list: l, mem: l.mem, chunks: make([]frozenChunk, len(l.chunks)), items: l.items, kept: kept}
	for i := range l.chunks {
		c := &l.chunks[i]
		c.frozen = i + 1
		f.chunks[i] = frozenChunk{ref: c.ref, blocks: c.blocks}
	}
	l.frozen = f
	return f
}

// Len implements keyspace.Frozen.
func (f *frozen) Len() int { return f.items }

// Walk implements keyspace.Frozen.
func (f *frozen) Walk(effort int, visit func(keyspace.Element)) (done bool) {
	for effort > 0 && f.chunk < len(f.chunks) {
		if visit != nil {
			effort = f.show(effort, visit)
			continue
		}
		effort--
		f.pass()
	}
	return f.chunk == len(f.chunks)
}

// show shows elements of the block where the walk is, and passes it if those
// were the last ones. It returns what is left of the effort.
func (f *frozen) show(effort int, visit func(keyspace.Element)) (left int) {
	b := f.descriptor(f.chunk, f.block)
	all := f.mem.Bytes(b.ref(), int(b.size))[b.begin:b.end]
	for f.at < len(all) {
		if effort <= 0 {
			return effort
		}
		var text []byte
		text, f.at = elementAt(all, f.at)
		effort -= 1 + len(text)>>8
		visit(keyspace.Element{Text: text})
	}
	f.pass()
	return effort
}

// pass goes on to the next block.
func (f *frozen) pass() {
	c := &f.chunks[f.chunk]
	if b := f.descriptor(f.chunk, f.block); c.own && b.mark == taken {
		f.free(b.ref(), int(b.size))
	}
	f.at = 0
	if f.block++; f.block < int(c.blocks) {
		return
	}
	if c.own {
		f.free(c.ref, int(c.blocks)*blockBytes)
	}
	f.chunk, f.block = f.chunk+1, 0
}

func (f *frozen) free(r slab.Ref, n int) {
	*f.kept -= int64(f.mem.Size(n))
	f.mem.Free(r, n)
}

// Thaw implements keyspace.Frozen.
func (f *frozen) Thaw() {
	f.list.frozen = nil
	f.chunks, f.chunk = nil, math.MaxInt // to those that still know it, all is passed
}

// descriptor is that of a block as it was.
func (f *frozen) descriptor(chunk, nth int) *block {
	all := f.mem.Bytes(f.chunks[chunk].ref, (nth+1)*blockBytes)
	return (*block)(unsafe.Pointer(&all[nth*blockBytes]))
}

// ahead reports whether the walk has yet to pass a block.
func (f *frozen) ahead(m mark) bool {
	chunk, block := m.place()
	return chunk > f.chunk || chunk == f.chunk && block >= f.block
}

// part lets a chunk of the list be changed.
func (l *large) part(c *chunk) {
	if l.frozen != nil {
		l.frozen.part(l, c)
	}
}

// part copies the descriptors of a chunk, which become the list's alone, unless
// that was done or the walk has passed them. In the list's they get marks.
func (f *frozen) part(l *large, from *chunk) {
	if from.frozen == 0 {
		return
	}
	blocks, chunk := l.blocksOf(from), from.frozen-1
	from.frozen = 0
	if chunk < f.chunk {
		for i := range blocks {
			blocks[i].mark = 0
		}
		return
	}
	n := len(blocks) * blockBytes
	c := &f.chunks[chunk]
	c.ref, c.own = f.mem.Alloc(n), true
	*f.kept += int64(f.mem.Size(n))
	for i := range blocks {
		blocks[i].mark = 0
		*f.descriptor(chunk, i) = blocks[i]
		blocks[i].mark = markOf(chunk, i)
	}
}

// isFrozen reports whether the elements of a block, whose chunk was parted from,
// are still needed as they were.
func (l *large) isFrozen(b *block) bool {
	return l.frozen != nil && b.mark != 0 && l.frozen.ahead(b.mark)
}

// take makes a block, which is needed and which the list has no use for any
// more, the frozen list's own.
func (f *frozen) take(l *large, b *block) {
	f.descriptor(b.mark.place()).mark = taken
	size := int64(f.mem.Size(int(b.size)))
	l.held -= size
	*f.kept += size
}

// own lets the elements of a block be changed where they are.
func (l *large) own(b *block) {
	if !l.isFrozen(b) {
		return
	}
	to := l.newBlock(int(b.size))
	to.begin, to.end, to.items = b.begin, b.end, b.items
	copy(l.elementsOf(&to), l.elementsOf(b))
	l.frozen.take(l, b)
	*b = to
}

// ownRange lets some bytes of a block be written that are none of the list's
// elements now.
func (l *large) ownRange(b *block, from, to uint32) {
	if l.isFrozen(b) {
		if was := l.frozen.descriptor(b.mark.place()); from < was.end && to > was.begin {
			l.own(b)
		}
	}
}
