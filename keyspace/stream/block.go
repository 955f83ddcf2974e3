package stream

import (
	"encoding/binary"

	"github.com/troupedb/troupe/keyspace/pack"
	"github.com/troupedb/troupe/keyspace/slab"
)

// block describes a block. Its names begin at 0, its entries at begin, before
// which all are deleted.
type block struct {
	first      ID // that of its first entry, deleted or not
	ref        slab.Ref
	size, used uint32
	begin      uint32
	live, gone uint32 // entries: those that are there, and those deleted since the first
	wasted     uint32 // bytes of deleted entries that are still there
	version    uint32 // goes up when entries move within it
	tag        tag    // which block of a frozen stream it was
}

// What the flags of an entry say.
const (
	flagDeleted = 1 << iota
	flagNamed   // it has names of its own
)

// entry is an entry as it lies in a block.
type entry struct {
	id    ID
	flags byte
	at    int    // where it begins
	rest  int    // where its fields begin
	next  int    // where the following one begins
	bytes []byte // the block
}

// names are the block's: how many, and where the first one is.
func names(b []byte) (n, at int) { return pack.Length(b, 0) }

// afterNames is where the entries of a new block begin.
func afterNames(b []byte) int {
	n, at := names(b)
	for range n {
		_, at = pack.Text(b, at)
	}
	return at
}

// entryAt reads the entry at an offset of a block.
func (bl *block) entryAt(b []byte, at int) (e entry) {
	e.at, e.flags, e.bytes = at, b[at], b
	n, i := pack.Length(b, at+1)
	e.next = i + n
	e.id, e.rest = bl.readID(b, i)
	return e
}

// skip is where the entry after the one at an offset begins.
func skip(b []byte, at int) int {
	n, i := pack.Length(b, at+1)
	return i + n
}

// readID reads the ID of an entry.
func (bl *block) readID(b []byte, i int) (id ID, next int) {
	ahead, i := number(b, i)
	seq, i := number(b, i)
	if ahead == 0 {
		seq += bl.first.Seq
	}
	return ID{bl.first.Time + ahead, seq}, i
}

// number reads a varint.
func number(b []byte, i int) (n uint64, next int) {
	if c := b[i]; c < 0x80 {
		return uint64(c), i + 1
	}
	n, size := binary.Uvarint(b[i:])
	return n, i + size
}

// numberSize is how many bytes a number takes.
func numberSize(n uint64) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// deleted reports whether the entry is marked so.
func (e *entry) deleted() bool { return e.flags&flagDeleted != 0 }

// pairs is how many fields the entry has.
func (e *entry) pairs() int {
	if e.flags&flagNamed != 0 {
		n, _ := pack.Length(e.bytes, e.rest)
		return n
	}
	n, _ := names(e.bytes)
	return n
}

// each calls visit for each field of the entry, in order.
func (e *entry) each(visit func(name, value []byte)) {
	b := e.bytes
	var name, value []byte
	if e.flags&flagNamed != 0 {
		n, at := pack.Length(b, e.rest)
		for range n {
			name, at = pack.Text(b, at)
			value, at = pack.Text(b, at)
			visit(name, value)
		}
		return
	}
	n, from := names(b)
	at := e.rest
	for range n {
		name, from = pack.Text(b, from)
		value, at = pack.Text(b, at)
		visit(name, value)
	}
}

// fresh is an entry to be written: its fields are names and values in turns.
type fresh struct {
	id     ID
	fields [][]byte
	named  bool // it has names of its own
	length int  // of what follows its length
	ahead  uint64
	seq    uint64
}

// measure works out how the entry is written in a block that begins with the
// ID first, and how many bytes it takes.
func (f *fresh) measure(first ID, named bool) (size int) {
	f.named, f.ahead, f.seq = named, f.id.Time-first.Time, f.id.Seq
	if f.ahead == 0 {
		f.seq -= first.Seq
	}
	f.length = numberSize(f.ahead) + numberSize(f.seq)
	if named {
		f.length += pack.LengthSize(len(f.fields) / 2)
	}
	for i, text := range f.fields {
		if named || i&1 == 1 {
			f.length += pack.Size(len(text))
		}
	}
	return 1 + pack.LengthSize(f.length) + f.length
}

// put writes the entry, which was measured, to b[at:].
func (f *fresh) put(b []byte, at int) (next int) {
	b[at] = 0
	if f.named {
		b[at] = flagNamed
	}
	at = pack.PutLength(b, at+1, f.length)
	at += binary.PutUvarint(b[at:], f.ahead)
	at += binary.PutUvarint(b[at:], f.seq)
	if f.named {
		at = pack.PutLength(b, at, len(f.fields)/2)
	}
	for i, text := range f.fields {
		if f.named || i&1 == 1 {
			at = pack.Put(b, at, text)
		}
	}
	return at
}

// namesSize is how many bytes the names of an entry take as those of a block.
func (f *fresh) namesSize() int {
	n := pack.LengthSize(len(f.fields) / 2)
	for i := 0; i < len(f.fields); i += 2 {
		n += pack.Size(len(f.fields[i]))
	}
	return n
}

// putNames makes the names of the entry those of the block b.
func (f *fresh) putNames(b []byte) (next int) {
	at := pack.PutLength(b, 0, len(f.fields)/2)
	for i := 0; i < len(f.fields); i += 2 {
		at = pack.Put(b, at, f.fields[i])
	}
	return at
}

// sameNames reports whether the entry's names are those of the block b.
func (f *fresh) sameNames(b []byte) bool {
	n, at := names(b)
	if 2*n != len(f.fields) {
		return false
	}
	for i := 0; i < len(f.fields); i += 2 {
		var name []byte
		if name, at = pack.Text(b, at); string(name) != string(f.fields[i]) {
			return false
		}
	}
	return true
}
