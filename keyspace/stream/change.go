package stream

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
)

// limits bound a block: the bytes that its entries may take, and their number,
// those that are deleted included; 0 for no bound.
type limits struct{ bytes, entries int }

func limitsOf(set *keyspace.Settings) limits {
	return limits{set.StreamBlockBytes, set.StreamBlockEntries}
}

// blockMax is the most bytes that a block may have, whatever the limits, unless
// it has a single entry.
const blockMax = 1 << 30

// accepts reports whether a block may have one more entry, of so many bytes.
func (lim limits) accepts(b *block, size int) bool {
	most := blockMax
	if lim.bytes > 0 {
		most = min(lim.bytes, blockMax)
	}
	return int(b.used)+size < most && (lim.entries <= 0 || int(b.live+b.gone) < lim.entries)
}

// append adds an entry, whose ID is higher than any before.
func (s *stream) append(f *fresh, lim limits) {
	var b *block
	if n := len(s.chunks); n > 0 {
		s.part(n - 1)
		c := s.chunks[n-1]
		b = &c[len(c)-1]
	}
	size := 0
	if b != nil {
		size = f.measure(b.first, !f.sameNames(s.bytesOf(b)))
	}
	if b == nil || !lim.accepts(b, size) {
		b = s.newBlock(f, b)
		size = f.measure(f.id, false)
	} else {
		s.widen(b, size, lim)
	}
	b.used = uint32(f.put(s.bytesOf(b), int(b.used)))
	b.live++
	s.length++
	s.added++
	s.last, s.end = f.id, f.id
	if s.length == 1 {
		s.first = f.id
	}
}

// newBlock begins a block with the names of an entry, and room for it. The one
// before gives back what it does not need; if it is not the stream's only one,
// the new one is expected to become as long.
func (s *stream) newBlock(f *fresh, before *block) *block {
	room := f.namesSize() + f.measure(f.id, false)
	if before != nil {
		s.resize(before, int(before.used))
		if len(s.chunks) > 1 || len(s.chunks[0]) > 1 {
			room = max(room, min(int(before.used), 4<<10))
		}
	}
	b := block{first: f.id, size: uint32(room)}
	b.ref = s.alloc(room)
	b.begin = uint32(f.putNames(s.bytesOf(&b)))
	b.used = b.begin
	return s.addBlock(b)
}

// widen makes room for n more bytes at the end of a block: a quarter more than
// there was, so that little is copied, and few have room they may never use.
func (s *stream) widen(b *block, n int, lim limits) {
	need := int(b.used) + n
	if need <= int(b.size) {
		return
	}
	room := max(need, int(b.size)*5/4)
	if lim.bytes > 0 {
		room = max(need, min(room, lim.bytes))
	}
	s.resize(b, room)
}

// resize gives a block another size, in place where the heap has it so.
func (s *stream) resize(b *block, size int) {
	if size == int(b.size) {
		return
	}
	if s.mem.Size(size) == s.mem.Size(int(b.size)) {
		s.mem.Resize(b.ref, int(b.size), size)
		b.size = uint32(size)
		return
	}
	old := *b
	b.ref, b.size, b.tag = s.alloc(size), uint32(size), 0
	copy(s.bytesOf(b), s.bytesOf(&old)[:old.used])
	s.free(&old)
}

// remove deletes the entry of an ID, and reports whether it was there. Its
// place is void afterwards.
func (s *stream) remove(id ID) (removed bool) {
	e, p, found := s.lookup(id)
	if !found {
		return false
	}
	s.mark(p, &e)
	return true
}

// mark marks an entry of the block at p as deleted, which goes with its last
// one.
func (s *stream) mark(p place, e *entry) {
	s.part(p.chunk)
	b := s.at(p)
	s.undo(b, e.at)
	e.bytes[e.at] |= flagDeleted
	b.live--
	b.gone++
	s.length--
	switch {
	case b.live == 0:
		s.removeBlock(p)
	case e.at == int(b.begin):
		b.wasted += uint32(e.next - e.at)
		s.beginAfter(b, e.next)
		s.tidy(b)
	default:
		b.wasted += uint32(e.next - e.at)
		s.tidy(b)
	}
}

// beginAfter lets a block begin with its first entry from an offset on that is
// not deleted.
func (s *stream) beginAfter(b *block, at int) {
	bytes := s.bytesOf(b)
	for at < int(b.used) && bytes[at]&flagDeleted != 0 {
		at = skip(bytes, at)
	}
	b.begin = uint32(at)
}

// wastedMin is how many bytes of deleted entries a block has before it is
// written anew for them.
const wastedMin = 256

// tidy writes a block anew without its deleted entries, if they are over half
// of it.
func (s *stream) tidy(b *block) {
	if b.wasted < wastedMin || 2*b.wasted < b.used {
		return
	}
	old := *b
	from := s.bytesOf(&old)
	head := afterNames(from)
	room := int(b.used - b.wasted)
	b.ref, b.size, b.tag = s.alloc(room), uint32(room), 0
	to := s.bytesOf(b)
	b.begin = uint32(copy(to, from[:head]))
	end := int(b.begin)
	for at := int(old.begin); at < int(old.used); {
		next := skip(from, at)
		if from[at]&flagDeleted == 0 {
			end += copy(to[end:], from[at:next])
		}
		at = next
	}
	b.used, b.wasted = uint32(end), 0
	b.version++
	s.free(&old)
}

// trim says how much of a stream is to stay.
type trim struct {
	by     trimBy
	length int64 // entries that stay, the last ones
	from   ID    // the first entry that may stay
	approx bool  // only whole blocks go
	limit  int64 // the most entries that go; 0 for no limit
}

type trimBy uint8

const (
	noTrim trimBy = iota
	byLength
	byID
)

// trim takes entries at the beginning away and returns how many.
func (s *stream) trim(t *trim) (removed int64) {
	for s.length > 0 && !(t.by == byLength && int64(s.length) <= t.length) {
		b := s.at(place{})
		n := int64(b.live)
		if t.approx && t.limit > 0 && removed+n > t.limit {
			break
		}
		if t.coversBlock(s, b) {
			s.length -= int(n)
			s.removeBlock(place{})
			removed += n
			continue
		}
		if !t.approx {
			removed += s.trimBlock(b, t)
		}
		break
	}
	if removed > 0 {
		s.bound()
	}
	return removed
}

// coversBlock reports whether the whole first block goes.
func (t *trim) coversBlock(s *stream, b *block) bool {
	if t.by == byLength {
		return int64(s.length)-int64(b.live) >= t.length
	}
	if p := s.next(place{}); s.valid(p) && !t.from.less(s.at(p).first) {
		return true
	}
	return b.first.less(t.from) && s.lastOf(b).less(t.from)
}

// lastOf is the ID of the last entry of a block, deleted or not.
func (s *stream) lastOf(b *block) ID {
	bytes, at := s.bytesOf(b), int(b.begin)
	for next := skip(bytes, at); next < int(b.used); next = skip(bytes, next) {
		at = next
	}
	last := b.entryAt(bytes, at)
	return last.id
}

// trimBlock takes entries at the beginning of the first block away, some of
// which stay.
func (s *stream) trimBlock(b *block, t *trim) (removed int64) {
	s.part(0)
	bytes := s.bytesOf(b)
	at := int(b.begin)
	most := int64(math.MaxInt64)
	if t.by == byLength {
		most = int64(s.length) - t.length
	}
	for at < int(b.used) && removed < most {
		e := b.entryAt(bytes, at)
		if t.by == byID && !e.id.less(t.from) {
			break
		}
		if !e.deleted() {
			s.undo(b, at)
			bytes[at] |= flagDeleted
			b.wasted += uint32(e.next - e.at)
			removed++
		}
		at = e.next
	}
	if removed == 0 {
		return 0
	}
	b.live -= uint32(removed)
	b.gone += uint32(removed)
	s.length -= int(removed)
	if b.live == 0 { // its last entry was deleted before
		s.removeBlock(place{})
		return removed
	}
	s.beginAfter(b, at)
	s.tidy(b)
	return removed
}

// bound notes which entries are the first and the last one now.
func (s *stream) bound() { s.first, s.end = s.edge(false), s.edge(true) }
