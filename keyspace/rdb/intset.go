package rdb

import (
	"encoding/binary"
	"math"
	"slices"
)

// An intset is different numbers in rising order, all of the same width:
//
//	| bytes of a number: 2, 4 or 8, 32 bits | numbers, 32 bits | number | … |
//
// All are little-endian, numbers are signed.
const intsetHead = 8

// eachInIntset is the packing of intsets.
func eachInIntset(b []byte, visit func(entry) bool) error {
	if len(b) < intsetHead {
		return corrupt("an intset without a head")
	}
	width, count := binary.LittleEndian.Uint32(b), uint64(binary.LittleEndian.Uint32(b[4:]))
	if width != 2 && width != 4 && width != 8 {
		return corrupt("an intset of no known width")
	}
	if count*uint64(width) != uint64(len(b)-intsetHead) {
		return corrupt("an intset with another number of numbers than it says")
	}
	before := int64(math.MinInt64)
	for at := intsetHead; at < len(b); at += int(width) {
		e, _ := numberEntry(b[at:], 0, int(width))
		if e.number <= before && at > intsetHead {
			return corrupt("an intset that is not in order")
		}
		if before = e.number; !visit(e) {
			return nil
		}
	}
	return nil
}

// appendIntset appends different numbers, in any order, as an intset. They are
// in order afterwards.
func appendIntset(dst []byte, numbers []int64) []byte {
	slices.Sort(numbers)
	width := 2
	for _, n := range []int64{numbers[0], numbers[len(numbers)-1]} {
		switch {
		case n != int64(int32(n)):
			width = 8
		case n != int64(int16(n)):
			width = max(width, 4)
		}
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(width))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(numbers)))
	for _, n := range numbers {
		for range width {
			dst = append(dst, byte(n))
			n >>= 8
		}
	}
	return dst
}
