package rdb

import "encoding/binary"

// A zipmap is a small hash of Redis before 2.6:
//
//	| pairs, one byte | pair | … | 0xFF |
//	pair     | length | field | length | free, one byte | value | so many free bytes |
//	length   one byte below 0xFE; or more, and 32 bits, little-endian
//
// 254 pairs stand for that many or more.
const (
	zipmapEnd       = 0xff
	zipmapUncounted = 0xfe
	zipmapFar       = 0xfe
)

// eachInZipmap is the packing of zipmaps.
func eachInZipmap(b []byte, visit func(entry) bool) error {
	if len(b) < 2 || b[len(b)-1] != zipmapEnd {
		return corrupt("a zipmap without an end")
	}
	count := 0
	rest := b[1 : len(b)-1]
	for ; len(rest) > 0; count++ {
		field, size := zipmapText(rest, false)
		if size == 0 || size == len(rest) {
			return corrupt("a field of a zipmap")
		}
		rest = rest[size:]
		value, size := zipmapText(rest, true)
		if size == 0 {
			return corrupt("a value of a zipmap")
		}
		rest = rest[size:]
		if !visit(field) || !visit(value) {
			return nil
		}
	}
	if b[0] != zipmapUncounted && int(b[0]) != count {
		return corrupt("a zipmap with another number of pairs than it says")
	}
	return nil
}

// zipmapText reads a field, or a value, which may have free bytes behind it. It
// takes size bytes with them: 0 if it is none, or does not fit. The mark of the
// end is no length where a pair should begin.
func zipmapText(b []byte, isValue bool) (e entry, size int) {
	head, n := 1, uint64(b[0])
	if n >= zipmapFar {
		if n == zipmapEnd && !isValue || len(b) < 5 {
			return entry{}, 0
		}
		head, n = 5, uint64(binary.LittleEndian.Uint32(b[1:]))
	}
	if isValue {
		if head == len(b) {
			return entry{}, 0
		}
		free := int(b[head])
		e, size = textEntry(b, head+1, n)
		if size == 0 || free > len(b)-size {
			return entry{}, 0
		}
		return e, size + free
	}
	return textEntry(b, head, n)
}
