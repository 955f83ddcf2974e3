package stream

import (
	"slices"

	"github.com/troupedb/troupe/keyspace"
)

// frozen is a stream as it was when it was frozen, for one who goes through it
// in steps while it changes. It has the descriptors of the stream's blocks as
// they were then, chunk by chunk: the stream's own as long as it leaves a chunk
// alone, else a copy, which is made before the first change of the chunk (part).
// The bytes of a block are shared. The stream only writes behind what the block
// had then, or deletes entries: their offsets are noted (undo), as to the walk
// they are there. A block that the stream gives up is left to the frozen one
// (take). What the walk has passed it frees, if it is not the stream's.
//
// Groups it has with the pieces of what is pending, of which the stream copies
// those that it changes.
type frozen struct {
	stream *stream
	chunks []frozenChunk
	head   keyspace.StreamHead
	runs   int
	kept   *int64 // in which its bytes are counted

	chunk, block int  // where the walk is
	told         bool // the head
	groupWalk
}

// frozenChunk is the descriptors of a chunk. own says that they are not the
// stream's. undone are the offsets of entries that were deleted since, by their
// block; nil if there are none.
type frozenChunk struct {
	blocks []block
	own    bool
	undone [][]uint32
}

// tag tells what a block of a stream was when the stream was frozen. The first
// one of a chunk that was not parted from tells the number, from 1, of the
// chunk, with whole. In a chunk that was each tells its own place. In the
// descriptors of the frozen stream's own it is taken if the block is its own
// too. Tags may be left from another time when the stream was frozen: each
// chunk gets a new one then, and its blocks theirs before any is looked at.
//
//	| whole 1 bit | chunk 23 bits | block 8 bits |
type tag uint32

const (
	whole tag = 1 << 31
	taken tag = 1<<32 - 1
)

func tagOf(chunk, block int) tag { return tag(chunk+1)<<8 | tag(block) }

func (t tag) place() (chunk, block int) { return int(t>>8) - 1, int(t & 0xff) }

// freeze implements keyspace.Kind.
func freeze(v keyspace.Value, kept *int64) keyspace.Frozen { return v.Object().(*stream).freeze(kept) }

func (s *stream) freeze(kept *int64) *frozen {
	f := &frozen{stream: s, chunks: make([]frozenChunk, len(s.chunks)), kept: kept}
	for i, c := range s.chunks {
		c[0].tag = whole | tag(i+1)
		f.chunks[i].blocks = c
		f.runs += len(c)
	}
	f.head = keyspace.StreamHead{
		Length: uint64(s.length), Added: s.added, Groups: len(s.groups),
		Last: keyspace.StreamID(s.last), First: keyspace.StreamID(s.first), Deleted: keyspace.StreamID(s.tomb),
	}
	for _, g := range s.groups {
		f.groups = append(f.groups, g.freeze())
	}
	s.frozen = f
	return f
}

// Len implements keyspace.Frozen.
func (f *frozen) Len() int { return int(f.head.Length) }

// Runs implements keyspace.FrozenStream: each block is one.
func (f *frozen) Runs() int { return f.runs }

// Walk implements keyspace.Frozen.
func (f *frozen) Walk(effort int, _ func(keyspace.Element)) (done bool) {
	for ; effort > 0 && f.chunk < len(f.chunks); effort-- {
		f.pass()
	}
	return f.chunk == len(f.chunks)
}

// WalkParts implements keyspace.FrozenStream.
func (f *frozen) WalkParts(effort int, visit func(keyspace.StreamPart)) (done bool) {
	for effort > 0 && f.chunk < len(f.chunks) {
		entries, took := f.entries()
		visit(keyspace.StreamRun{Entries: entries})
		f.pass()
		effort -= took
	}
	if f.chunk == len(f.chunks) && !f.told {
		f.told = true
		visit(f.head)
	}
	for f.told && effort > 0 && len(f.groups) > 0 {
		part, took := f.next()
		effort -= took
		visit(part)
	}
	return f.told && len(f.groups) == 0
}

// entries are those of the block where the walk is, and the effort to visit
// them.
func (f *frozen) entries() (entries func(func(keyspace.StreamID, [][]byte) bool), took int) {
	c := &f.chunks[f.chunk]
	b := &c.blocks[f.block]
	var undone []uint32
	if c.undone != nil {
		undone = c.undone[f.block]
	}
	return func(yield func(keyspace.StreamID, [][]byte) bool) {
		var fields [][]byte
		bytes := f.stream.mem.Bytes(b.ref, int(b.used))
		for at := int(b.begin); at < int(b.used); {
			e := b.entryAt(bytes, at)
			at = e.next
			if e.deleted() {
				if _, there := slices.BinarySearch(undone, uint32(e.at)); !there {
					continue
				}
			}
			fields = fields[:0]
			e.each(func(name, value []byte) { fields = append(fields, name, value) })
			if !yield(keyspace.StreamID(e.id), fields) {
				return
			}
		}
	}, int(b.live+b.gone) + int(b.used)>>8
}

// pass goes on to the next block.
func (f *frozen) pass() {
	c := &f.chunks[f.chunk]
	if b := &c.blocks[f.block]; c.own && b.tag == taken {
		f.count(-f.stream.mem.Size(int(b.size)))
		f.stream.mem.Free(b.ref, int(b.size))
	}
	if f.block++; f.block < len(c.blocks) {
		return
	}
	if c.own {
		f.count(-len(c.blocks) * blockBytes)
	}
	for _, undone := range c.undone {
		f.count(-len(undone) * undoneBytes)
	}
	*c = frozenChunk{}
	f.chunk, f.block = f.chunk+1, 0
}

// undoneBytes is about what is kept for an entry that was deleted.
const undoneBytes = 8

func (f *frozen) count(bytes int) { *f.kept += int64(bytes) }

// Thaw implements keyspace.Frozen.
func (f *frozen) Thaw() { f.stream.frozen = nil }

// part lets a chunk of the stream be changed.
func (s *stream) part(n int) {
	if s.frozen != nil {
		s.frozen.part(s.chunks[n])
	}
}

// part copies the descriptors of a chunk, which become the stream's alone,
// unless that was done or the walk has passed them. In the stream's they get
// tags.
func (f *frozen) part(c chunk) {
	if c[0].tag&whole == 0 {
		return
	}
	chunk := int(c[0].tag&^whole) - 1
	if chunk < f.chunk {
		for i := range c {
			c[i].tag = 0
		}
		return
	}
	own := slices.Clone(c)
	f.chunks[chunk].blocks, f.chunks[chunk].own = own, true
	f.count(len(own) * blockBytes)
	for i := range c {
		own[i].tag = 0
		c[i].tag = tagOf(chunk, i)
	}
}

// isFrozen reports whether a block, whose chunk was parted from, is still needed
// as it was.
func (s *stream) isFrozen(b *block) bool {
	if s.frozen == nil || b.tag == 0 {
		return false
	}
	chunk, nth := b.tag.place()
	return chunk > s.frozen.chunk || chunk == s.frozen.chunk && nth >= s.frozen.block
}

// take makes a block, which is needed and which the stream has no use for any
// more, the frozen stream's own.
func (f *frozen) take(b *block) {
	chunk, nth := b.tag.place()
	was := &f.chunks[chunk].blocks[nth]
	was.tag, was.size = taken, b.size
	f.count(f.stream.mem.Size(int(b.size)))
}

// undo notes that the entry at an offset of a block is about to be marked as
// deleted, if the walk has to know.
func (s *stream) undo(b *block, at int) {
	if s.isFrozen(b) {
		s.frozen.undo(b, at)
	}
}

func (f *frozen) undo(b *block, at int) {
	chunk, nth := b.tag.place()
	c := &f.chunks[chunk]
	if at >= int(c.blocks[nth].used) {
		return
	}
	if c.undone == nil {
		c.undone = make([][]uint32, len(c.blocks))
	}
	i, _ := slices.BinarySearch(c.undone[nth], uint32(at))
	c.undone[nth] = slices.Insert(c.undone[nth], i, uint32(at))
	f.count(undoneBytes)
}
