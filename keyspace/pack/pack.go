// Package pack owns the form in which texts lie in bytes one after the other:
// in the packed values of small collections and in the elements of large ones.
//
//	text    | length | bytes |
//	length  a varint as encoding/binary has it: seven bits a byte, the lowest
//	        first, the top bit set in all but the last
//
// So a text of up to 127 bytes takes one byte beside itself, and who walks
// through many steps from length to length. Functions that read panic where
// there is no whole varint: what they are given was written by this package.
package pack

import (
	"encoding/binary"
	"slices"
)

// LengthMax is the longest length, in bytes: no text has 2^35 bytes.
const LengthMax = 5

// Length reads the length at b[i] and says where the next byte is.
func Length(b []byte, i int) (n, next int) {
	if c := b[i]; c < 0x80 {
		return int(c), i + 1
	}
	return longLength(b, i)
}

func longLength(b []byte, i int) (n, next int) {
	for shift := 0; ; shift += 7 {
		c := b[i]
		i++
		n |= int(c&0x7f) << shift
		if c < 0x80 {
			return n, i
		}
	}
}

// LengthSize is how many bytes the length n takes.
func LengthSize(n int) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// PutLength writes the length n to b[i:] and says where the next byte is.
func PutLength(b []byte, i, n int) (next int) { return i + binary.PutUvarint(b[i:], uint64(n)) }

// Size is how many bytes a text of n bytes takes with its length.
func Size(n int) int { return LengthSize(n) + n }

// Text is the text whose length is at b[i], without room to append, and where
// the byte after it is.
func Text(b []byte, i int) (text []byte, next int) {
	n, at := Length(b, i)
	return b[at : at+n : at+n], at + n
}

// Put writes a text with its length to b[i:] and says where the next byte is.
func Put(b []byte, i int, text []byte) (next int) {
	i = PutLength(b, i, len(text))
	return i + copy(b[i:], text)
}

// Splice makes the bytes of b from i to j n bytes, whose contents are
// undefined, and moves what follows. It does so in place if the result fits
// b's capacity.
func Splice(b []byte, i, j, n int) []byte {
	length := len(b) + n - (j - i)
	all := slices.Grow(b, max(0, length-len(b)))[:length]
	copy(all[i+n:], b[j:])
	return all
}
