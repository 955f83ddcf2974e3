package bits

import (
	"encoding/binary"
	"math"
)

// field is a number among the bits of a string: so many of them from a place
// on, the highest first.
type field struct {
	signed bool
	bits   int // 1 to 64, unsigned 63 at most
	offset int // of the first, in bits
}

// end is the place after the last bit.
func (f field) end() int { return f.offset + f.bits }

// windowSize is how many bytes a field may touch.
const windowSize = 9

// window is the bytes from that of a field's first bit on, with zeros behind
// the end of the string.
func (f field) window(b []byte) (w [windowSize]byte) {
	copy(w[:], b[min(f.offset/8, len(b)):])
	return w
}

// get is the number that a string has in the field.
func (f field) get(b []byte) int64 {
	w, shift := f.window(b), f.offset%8
	return f.wrap(int64((word(w[:])<<shift | uint64(w[8])>>(8-shift)) >> (64 - f.bits)))
}

// set writes the lowest bits of n. The string must reach to the field's end.
func (f field) set(b []byte, n int64) {
	w, shift := f.window(b), f.offset%8
	ours, value := ^uint64(0)<<(64-f.bits), uint64(n)<<(64-f.bits)
	top := word(w[:])&^(ours>>shift) | value>>shift
	binary.BigEndian.PutUint64(w[:], top)
	w[8] = w[8]&^byte(ours<<(8-shift)) | byte(value<<(8-shift))
	copy(b[f.offset/8:], w[:])
}

// wrap is n without the bits that the field has no room for.
func (f field) wrap(n int64) int64 {
	unused := 64 - f.bits
	if f.signed {
		return n << unused >> unused
	}
	return int64(uint64(n) << unused >> unused)
}

// bounds are the smallest and the largest number that the field has room for.
func (f field) bounds() (low, high int64) {
	if f.signed {
		return math.MinInt64 >> (64 - f.bits), math.MaxInt64 >> (64 - f.bits)
	}
	return 0, math.MaxInt64 >> (63 - f.bits)
}

// policy is what happens to a number that a field has no room for.
type policy uint8

const (
	wrapping policy = iota
	saturating
	failing
)

// fit makes the sum of two numbers one that the field has room for, or says
// that it must not be.
func (f field) fit(n, by int64, p policy) (sum int64, ok bool) {
	sum = n + by
	over, under := by > 0 && sum < n, by < 0 && sum > n // past what 64 bits hold
	if low, high := f.bounds(); !over && !under {
		over, under = sum > high, sum < low
	}
	return f.settle(sum, over, under, p)
}

// settle is fit for a number known to be too large, too small or neither.
func (f field) settle(sum int64, over, under bool, p policy) (int64, bool) {
	low, high := f.bounds()
	switch {
	case !over && !under:
		return sum, true
	case p == failing:
		return 0, false
	case p == wrapping:
		return f.wrap(sum), true
	case over:
		return high, true
	}
	return low, true
}

// assigned is what becomes of a number that is to be written. To an unsigned
// field a negative number is a very large one.
func (f field) assigned(n int64, p policy) (int64, bool) {
	low, high := f.bounds()
	return f.settle(n, n > high || !f.signed && n < 0, f.signed && n < low, p)
}
