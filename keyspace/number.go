package keyspace

import (
	"math/bits"
	"strconv"
)

// LongDouble is C's long double as x86 has it, the 80-bit format of the 8087
// (IEEE 754's double extended): a sign, 64 bits of mantissa, 15 of exponent.
// Redis computes INCRBYFLOAT and HINCRBYFLOAT in it, so ours give the same
// digits only if they do. Sums round to nearest, ties to even.
//
// The value is mant · 2^exp. mant has its top bit set, but for zero and for
// what is too small (exp is expMin then). The zero LongDouble is 0.
type LongDouble struct {
	mant uint64
	exp  int
	neg  bool
}

const (
	expMin    = -16445
	expMax    = 16320
	expBeyond = expMax + 1 // infinite, or not a number
)

// LongDoubleOf is n, which always fits.
func LongDoubleOf(n int64) LongDouble {
	if n < 0 {
		return roundLongDouble(true, uint64(-n), 0, 0)
	}
	return roundLongDouble(false, uint64(n), 0, 0)
}

// Finite reports whether x is a number: neither infinite nor NaN.
func (x LongDouble) Finite() bool { return x.exp < expBeyond }

// roundLongDouble is the nearest LongDouble to (hi + lo/2^64) · 2^exp. If more
// bits would follow, hi is not 0 and the lowest bit of lo is set.
func roundLongDouble(neg bool, hi, lo uint64, exp int) LongDouble {
	if hi|lo == 0 {
		return LongDouble{}
	}
	if hi == 0 {
		hi, lo, exp = lo, 0, exp-64
	}
	up := bits.LeadingZeros64(hi)
	hi, lo, exp = hi<<up|lo>>(64-up), lo<<up, exp-up
	if exp < expMin {
		hi, lo = shiftRight(hi, lo, expMin-exp)
		exp = expMin
	}
	if lo > 1<<63 || lo == 1<<63 && hi&1 == 1 {
		if hi++; hi == 0 {
			hi, exp = 1<<63, exp+1
		}
	}
	switch {
	case hi == 0:
		return LongDouble{}
	case exp > expMax:
		return LongDouble{exp: expBeyond, neg: neg}
	}
	return LongDouble{hi, exp, neg}
}

// shiftRight shifts the 128 bits of hi and lo; the lowest bit stands for all
// that fall off.
func shiftRight(hi, lo uint64, n int) (uint64, uint64) {
	if n >= 64 {
		lo, hi, n = hi|sticky(lo), 0, n-64
	}
	if n >= 64 {
		return 0, sticky(hi | lo)
	}
	return hi >> n, hi<<(64-n) | lo>>n | sticky(lo<<(64-n))
}

// sticky is 1 for anything but 0.
func sticky(b uint64) uint64 {
	if b != 0 {
		return 1
	}
	return 0
}

// Add is x + y.
func (x LongDouble) Add(y LongDouble) LongDouble {
	if !x.Finite() || !y.Finite() {
		return LongDouble{exp: expBeyond}
	}
	if x.mant == 0 {
		return y
	}
	if y.mant == 0 {
		return x
	}
	if x.exp < y.exp || x.exp == y.exp && x.mant < y.mant {
		x, y = y, x
	}
	hi, lo := shiftRight(y.mant, 0, x.exp-y.exp)
	if x.neg != y.neg {
		lo, borrow := bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(x.mant, hi, borrow)
		return roundLongDouble(x.neg, hi, lo, x.exp)
	}
	hi, carry := bits.Add64(x.mant, hi, 0)
	if carry == 0 {
		return roundLongDouble(x.neg, hi, lo, x.exp)
	}
	hi, lo = shiftRight(hi, lo, 1)
	return roundLongDouble(x.neg, hi|1<<63, lo, x.exp+1)
}

// Append appends x, which is finite, as Redis prints it: with 17 digits after
// the point, less the zeros at the end (C's "%.17Lf").
func (x LongDouble) Append(dst []byte) []byte {
	whole, frac, ok := x.split()
	if !ok {
		return x.appendBig(dst)
	}
	if x.neg && whole|frac != 0 {
		dst = append(dst, '-')
	}
	dst = strconv.AppendUint(dst, whole, 10)
	if frac == 0 {
		return dst
	}
	start := len(dst)
	dst = strconv.AppendUint(dst, frac+fracUnit, 10) // the 1 in front keeps the zeros
	dst[start] = '.'
	end := len(dst)
	for dst[end-1] == '0' {
		end--
	}
	return dst[:end]
}

// fracUnit is 10^17: fractions are printed in units of its inverse.
const fracUnit = 1e17

// split is the value as an integer and a rounded fraction, if the integer
// fits into 64 bits.
func (x LongDouble) split() (whole, frac uint64, ok bool) {
	switch down := -x.exp; {
	case down <= 0:
		return x.mant, 0, down == 0 || x.mant == 0
	case down <= 64:
		// In Go, a shift by 64 gives 0.
		whole, frac = x.mant>>down, scaleFrac(x.mant<<(64-down), 0)
	default:
		frac = scaleFrac(x.mant, down-64)
	}
	if frac == fracUnit {
		whole, frac = whole+1, 0
	}
	return whole, frac, true
}

// scaleFrac is f/2^(64+down) in units of 10^-17, rounded.
func scaleFrac(f uint64, down int) uint64 {
	hi, lo := bits.Mul64(f, fracUnit)
	hi, lo = shiftRight(hi, lo, down)
	if lo > 1<<63 || lo == 1<<63 && hi&1 == 1 {
		hi++
	}
	return hi
}
