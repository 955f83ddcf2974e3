// Package dict owns sets of texts, each with a payload behind it: the members
// of a large set, of a large sorted set with what belongs to them, the fields
// of a large hash with their values.
//
// A Dict keeps its elements in a slab heap, which the garbage collector never
// scans, and finds them by a table of its own. It belongs to one owner at a
// time: it has no locks, starts nothing, reads no clock, and the same calls
// always give the same Dict. It promises that no call takes long but those
// that visit all elements, that Bytes is exact, that a walk by Scan visits each
// element that is there from its begin to its end, and that one of a Frozen
// visits each that was there when the Dict was frozen, as it was then.
//
//	element  | length | text | payload |
//	payload  None: nothing; Eight: 8 bytes; Text: | length | bytes |
//
// Lengths are varints: see package pack. So an element takes one byte beside
// its texts (two with a payload of the kind Text) while these are shorter than
// 128 bytes, what its slab rounds up, and a slot of the table, of about 12
// bytes.
package dict

import (
	"unsafe"

	"github.com/troupedb/troupe/keyspace/pack"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// Payload says what the elements of a Dict have behind their text.
type Payload uint8

// The kinds of payload.
const (
	None  Payload = iota // nothing
	Eight                // eight bytes, which the owner changes in place
	Text                 // a text of any length, which Replace changes
)

// eight is the bytes of a payload of the kind Eight.
const eight = 8

// Dict is a set of elements. The zero Dict is not ready: use New.
type Dict struct {
	mem     *slab.Heap
	index   *table.Table
	seed    uint64
	held    int64 // bytes that the elements occupy
	payload Payload
	frozen  *Frozen // what it was when it was frozen, if it is

	emptied bool   // Free has come to the last element
	freed   uint64 // the cursor up to which Free has come
}

// Element is an element as it was found. It is void after the next change of
// any element.
type Element struct {
	// Ref names the element for as long as it is there, or until Replace says
	// another one.
	Ref slab.Ref
	// Text and Payload lie in the slab. A Payload of the kind Eight may be
	// written to, after Keep.
	Text, Payload []byte

	slot *table.Slot // nil for one that At has read
}

// Mark is a number of 23 bits that the owner has given the element, 0 if none.
// The element must not come from At.
func (e Element) Mark() uint32 { return e.slot.Stamp() &^ noted }

// SetMark gives the element a Mark, which stays with it through Replace. The
// element must not come from At, and is good afterwards.
func (e Element) SetMark(mark uint32) { e.slot.SetStamp(e.slot.Stamp()&noted | mark) }

// New makes an empty Dict with its elements in mem. No two should have the
// same seed: a walk by Scan lists elements in the order of their hashes, and
// put into a smaller Dict of the same seed in that order they would crowd in
// one end of its table.
func New(mem *slab.Heap, seed uint64, payload Payload) *Dict {
	d := &Dict{mem: mem, seed: seed, payload: payload}
	d.index = table.New(d.hashOf)
	return d
}

// hashOf is the hash of the element at r, for the table when it changes.
func (d *Dict) hashOf(r slab.Ref) uint64 {
	e := d.At(r)
	return table.Hash(d.seed, e.Text)
}

// Len is the number of elements.
func (d *Dict) Len() int { return d.index.Len() }

// Bytes is the memory that the Dict takes, elements included.
func (d *Dict) Bytes() int64 { return dictBytes + d.held + d.index.Bytes() }

const dictBytes = int64(unsafe.Sizeof(Dict{}))

// At reads the element at r.
func (d *Dict) At(r slab.Ref) (e Element) {
	n, at := pack.Length(d.mem.Bytes(r, pack.LengthMax), 0)
	return d.read(r, at, at+n)
}

// read reads the element at r, whose text lies from at to end.
func (d *Dict) read(r slab.Ref, at, end int) (e Element) {
	e.Ref = r
	e.Text = d.mem.Bytes(r, end)[at:]
	switch d.payload {
	case Text:
		n, at := pack.Length(d.mem.Bytes(r, end+pack.LengthMax), end)
		e.Payload = d.mem.Bytes(r, at+n)[at:]
	case Eight:
		e.Payload = d.mem.Bytes(r, end+eight)[end:]
	}
	return e
}

// TextAt is the Text of At, for those who need no more.
func (d *Dict) TextAt(r slab.Ref) []byte {
	n, at := pack.Length(d.mem.Bytes(r, pack.LengthMax), 0)
	return d.mem.Bytes(r, at+n)[at:]
}

// in reads the element of a slot.
func (d *Dict) in(slot *table.Slot) Element {
	e := d.At(slot.Ref())
	e.slot = slot
	return e
}

// sizeOf is the bytes of an element of texts that long.
func (d *Dict) sizeOf(text, payload int) int {
	switch d.payload {
	case Eight:
		return pack.Size(text) + eight
	case Text:
		return pack.Size(text) + pack.Size(payload)
	}
	return pack.Size(text)
}

// Find looks for the element of a text.
func (d *Dict) Find(text []byte) (e Element, found bool) {
	return d.find(text, table.Hash(d.seed, text))
}

func (d *Dict) find(text []byte, hash uint64) (e Element, found bool) {
	probe := d.index.Probe(hash)
	for slot := probe.Next(); slot != nil; slot = probe.Next() {
		n, at := pack.Length(d.mem.Bytes(slot.Ref(), pack.LengthMax), 0)
		if n == len(text) && string(d.mem.Bytes(slot.Ref(), at+n)[at:]) == string(text) {
			e = d.read(slot.Ref(), at, at+n)
			e.slot = slot
			return e, true
		}
	}
	return Element{}, false
}

// Each calls visit for every element until it returns false. visit changes
// nothing but Marks, and payloads in place, after Keep.
func (d *Dict) Each(visit func(Element) bool) {
	d.index.Each(func(slot *table.Slot) bool { return visit(d.in(slot)) })
}

// Scan calls visit for the elements of one step of a walk, which begins with
// cursor 0 and ends when 0 is returned: see table.Table.Scan. visit changes
// nothing, as with Each; between two steps anything may change.
func (d *Dict) Scan(cursor uint64, visit func(Element)) (next uint64) {
	return d.index.Scan(cursor, func(slot *table.Slot) { visit(d.in(slot)) })
}
