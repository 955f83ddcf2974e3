package rdb

import (
	"encoding/binary"
	"math"
)

// A listpack is texts and numbers in a row, each followed by how long it was,
// so that they can be read from the end too:
//
//	| bytes in all, 32 bits | entries, 16 bits | entry | … | 0xFF |
//	entry   | what it is | how many bytes that was |
//
//	0 7 bits                  a number from 0
//	10 6 bits                 a text so long
//	110 13 bits               a signed number, the high bits first
//	1110 12 bits              a text so long, the high bits first
//	0xF0 | 32 bits            a text so long
//	0xF1, F2, F3, F4          a signed number of 16, 24, 32 or 64 bits
//
// Numbers are little-endian unless told otherwise. 65,535 entries stand for
// that many or more. How long an entry was is told in seven bits a byte, the
// highest first; all but the first byte have the eighth bit set.
const (
	listpackHead      = 6
	listpackEnd       = 0xff
	listpackCount     = 4 // where it is
	listpackUncounted = math.MaxUint16

	listpackText32 = 0xf0
	listpackInt16  = 0xf1
	listpackInt24  = 0xf2
	listpackInt32  = 0xf3
	listpackInt64  = 0xf4
)

// eachInListpack is the packing of listpacks.
func eachInListpack(b []byte, visit func(entry) bool) error {
	if len(b) <= listpackHead || uint64(binary.LittleEndian.Uint32(b)) != uint64(len(b)) || b[len(b)-1] != listpackEnd {
		return corrupt("a listpack that is not as long as it says")
	}
	count := 0
	body := b[listpackHead : len(b)-1]
	for len(body) > 0 {
		e, size := listpackEntry(body)
		if size == 0 || !endsWithSize(body[size:], size) {
			return corrupt("an entry of a listpack")
		}
		if !visit(e) {
			return nil
		}
		body = body[size+backSize(size):]
		count++
	}
	if told := int(binary.LittleEndian.Uint16(b[listpackCount:])); told != listpackUncounted && told != count {
		return corrupt("a listpack with another number of entries than it says")
	}
	return nil
}

// listpackEntry reads the entry at the begin of b, and how many bytes it is
// before its back length: 0 if it is none, or does not fit.
func listpackEntry(b []byte) (e entry, size int) {
	first := b[0]
	switch {
	case first>>7 == 0:
		return entry{number: int64(first), isNumber: true}, 1
	case first>>6 == 0b10:
		return textEntry(b, 1, uint64(first&0x3f))
	case first>>5 == 0b110 && len(b) >= 2:
		return entry{number: signed(uint64(first&0x1f)<<8|uint64(b[1]), 13), isNumber: true}, 2
	case first>>4 == 0b1110 && len(b) >= 2:
		return textEntry(b, 2, uint64(first&0x0f)<<8|uint64(b[1]))
	case first == listpackText32 && len(b) >= 5:
		return textEntry(b, 5, uint64(binary.LittleEndian.Uint32(b[1:])))
	case first == listpackInt16:
		return numberEntry(b, 1, 2)
	case first == listpackInt24:
		return numberEntry(b, 1, 3)
	case first == listpackInt32:
		return numberEntry(b, 1, 4)
	case first == listpackInt64:
		return numberEntry(b, 1, 8)
	}
	return entry{}, 0
}

// textEntry is a text of n bytes that begins at b[head]; size 0 if it does not
// fit.
func textEntry(b []byte, head int, n uint64) (e entry, size int) {
	if n > uint64(len(b)-head) {
		return entry{}, 0
	}
	size = head + int(n)
	return entry{text: b[head:size:size]}, size
}

// numberEntry is a signed number of n bytes, the lowest first, that begins at
// b[head]; size 0 if it does not fit.
func numberEntry(b []byte, head, n int) (e entry, size int) {
	size = head + n
	if size > len(b) {
		return entry{}, 0
	}
	u := uint64(0)
	for i := size - 1; i >= head; i-- {
		u = u<<8 | uint64(b[i])
	}
	return entry{number: signed(u, 8*n), isNumber: true}, size
}

// signed is a number of so many bits in two's complement.
func signed(u uint64, bits int) int64 { return int64(u<<(64-bits)) >> (64 - bits) }

// endsWithSize reports whether b begins with the back length of an entry of
// size bytes.
func endsWithSize(b []byte, size int) bool {
	n := backSize(size)
	if n > len(b) {
		return false
	}
	told := 0
	for i, c := range b[:n] {
		if c>>7 == 0 != (i == 0) {
			return false
		}
		told = told<<7 | int(c&0x7f)
	}
	return told == size
}

// backSize is how many bytes tell that an entry was size bytes. The bounds are
// Redis's, two of which are one less than seven bits a byte could tell.
func backSize(size int) int {
	switch {
	case size < 1<<7:
		return 1
	case size < 1<<14-1:
		return 2
	case size < 1<<21-1:
		return 3
	case size < 1<<28-1:
		return 4
	}
	return 5
}
