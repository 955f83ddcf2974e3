package keyspace

import (
	"encoding/binary"

	"github.com/troupedb/troupe/keyspace/slab"
)

// An entry is a key with its value, packed in a slab:
//
//	byte 0        1 if the value is cold (highest bit), type (3 bits), encoding (low half)
//	byte 1        flags
//	1 or 4 bytes  length of the key (4 with flagWideKey)
//	1 or 4 bytes  length of the value (4 with flagWideValue)
//	8 bytes       number of the value's copy in the tier, with flagTwin only
//	4 bytes       place in the order of keys' deadlines, with flagDeadline only
//	4 bytes       place in the order of fields' deadlines, with flagFields only
//	              the key
//	              the value, or with flagObject the number of its Object; nothing
//	              if it is cold: see cold.go
//
// Numbers are little-endian. An entry takes at least entryMin bytes, so that
// the lengths and all before them can always be read whole.
const entryMin = 16

const (
	flagDeadline  = 1 << iota // has a time to live
	flagWatched               // somebody watches the key
	flagWideKey               // the key is longer than 255 bytes
	flagWideValue             // the value is longer than 255 bytes
	flagObject                // the value is an Object
	flagFields                // some of the value's fields have deadlines of their own
	flagKept                  // the save under way has no need of it any more: see save.go
	flagTwin                  // the value has, or has had, a copy in the tier: see cold.go
)

// ending is what of an entry may end at a time of its own.
type ending uint8

const (
	keyEnds   ending = iota // the whole
	fieldEnds               // the first of its fields
	endings
)

// flag marks the entries that have a place in the order of such deadlines.
func (e ending) flag() uint8 {
	if e == keyEnds {
		return flagDeadline
	}
	return flagFields
}

// header is the decoded head of an entry.
type header struct {
	typ    Type
	enc    Encoding
	flags  uint8
	keyAt  int
	keyLen int
	valLen int
	cold   bool // the value is in the tier only; valLen is how long it is there
}

func (h *header) has(flag uint8) bool { return h.flags&flag != 0 }
func (h *header) object() bool        { return h.flags&flagObject != 0 }
func (h *header) valueAt() int        { return h.keyAt + h.keyLen }

// size is how many bytes the entry takes.
func (h *header) size() int {
	if h.cold {
		return max(h.keyAt+h.keyLen, entryMin)
	}
	return max(h.keyAt+h.keyLen+h.valLen, entryMin)
}

// numberAt is where the number of the value's copy is kept, with flagTwin.
func (h *header) numberAt() int {
	at := h.keyAt - 8
	if h.has(flagDeadline) {
		at -= 4
	}
	if h.has(flagFields) {
		at -= 4
	}
	return at
}

// placeAt is where the place in an order is kept, of an entry that has one.
func (h *header) placeAt(e ending) int {
	if e == keyEnds && h.has(flagFields) {
		return h.keyAt - 8
	}
	return h.keyAt - 4
}

const coldBit = 1 << 7 // of an entry's first byte

func getUint32(b []byte) uint32    { return binary.LittleEndian.Uint32(b) }
func putUint32(b []byte, n uint32) { binary.LittleEndian.PutUint32(b, n) }

// readHeader decodes the head of the entry at r.
func readHeader(mem *slab.Heap, r slab.Ref) (h header) {
	b := mem.Bytes(r, entryMin)
	h.typ, h.enc, h.flags, h.cold = Type(b[0]>>4&7), Encoding(b[0]&15), b[1], b[0]&coldBit != 0
	if h.flags&(flagWideKey|flagWideValue|flagDeadline|flagFields|flagTwin) == 0 {
		h.keyLen, h.valLen, h.keyAt = int(b[2]), int(b[3]), 4
		return h
	}
	at := 2
	h.keyLen, at = readLength(b, at, h.has(flagWideKey))
	h.valLen, at = readLength(b, at, h.has(flagWideValue))
	if h.has(flagTwin) {
		at += 8
	}
	if h.has(flagDeadline) {
		at += 4
	}
	if h.has(flagFields) {
		at += 4
	}
	h.keyAt = at
	return h
}

// getNumber and putNumber are getUint32 and putUint32 for numbers of the tier.
func getNumber(b []byte) uint64    { return binary.LittleEndian.Uint64(b) }
func putNumber(b []byte, n uint64) { binary.LittleEndian.PutUint64(b, n) }

func readLength(b []byte, at int, wide bool) (length, next int) {
	if wide {
		return int(getUint32(b[at:])), at + 4
	}
	return int(b[at]), at + 1
}

// layout sets the widths and the key's place from lengths and flags.
func (h *header) layout() {
	h.flags &^= flagWideKey | flagWideValue
	h.keyAt = 4
	if h.keyLen > 255 {
		h.flags |= flagWideKey
		h.keyAt += 3
	}
	if h.valLen > 255 {
		h.flags |= flagWideValue
		h.keyAt += 3
	}
	if h.has(flagTwin) {
		h.keyAt += 8
	}
	if h.has(flagDeadline) {
		h.keyAt += 4
	}
	if h.has(flagFields) {
		h.keyAt += 4
	}
}

// write encodes the head into b; places are left to their orders.
func (h *header) write(b []byte) {
	b[0], b[1] = byte(h.typ)<<4|byte(h.enc), h.flags
	if h.cold {
		b[0] |= coldBit
	}
	at := writeLength(b, 2, h.keyLen, h.has(flagWideKey))
	writeLength(b, at, h.valLen, h.has(flagWideValue))
}

func writeLength(b []byte, at, length int, wide bool) (next int) {
	if wide {
		putUint32(b[at:], uint32(length))
		return at + 4
	}
	b[at] = byte(length)
	return at + 1
}
