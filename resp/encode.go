package resp

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
)

// Encoder turns replies into bytes of one protocol. An Encoder has no state,
// so any number of goroutines may use the same one.
type Encoder interface {
	// Append appends the encoding of r to dst. It allocates nothing but what
	// dst needs to grow, and keeps no reference to r.
	Append(dst []byte, r Reply) []byte
	// Proto is the protocol's number, as in HELLO: 2 or 3.
	Proto() int
}

// EncoderFor is the encoder of a protocol number that HELLO has accepted.
func EncoderFor(proto int) Encoder {
	if proto == 3 {
		return V3
	}
	return V2
}

// AppendHeader appends a type byte, a length and CRLF: "$5\r\n", "*2\r\n".
// Lengths below 1,000 are nearly all there are and are written digit by
// digit. redcon does so below 10 only; a bulk of 16 bytes costs half of
// redcon.AppendBulkString this way, an integer of two digits half of
// redcon.AppendInt (BenchmarkEncode), and nothing else of redcon's is faster.
func AppendHeader(dst []byte, kind byte, n int) []byte {
	switch {
	case uint(n) < 10:
		return append(dst, kind, byte('0'+n), '\r', '\n')
	case uint(n) < 100:
		return append(dst, kind, byte('0'+n/10), byte('0'+n%10), '\r', '\n')
	case uint(n) < 1000:
		return append(dst, kind, byte('0'+n/100), byte('0'+n/10%10), byte('0'+n%10), '\r', '\n')
	}
	dst = strconv.AppendInt(append(dst, kind), int64(n), 10)
	return append(dst, '\r', '\n')
}

// AppendText appends a bulk string, the same in both protocols.
func AppendText(dst []byte, s string) []byte {
	dst = append(AppendHeader(dst, '$', len(s)), s...)
	return append(dst, '\r', '\n')
}

// AppendNumber appends an integer reply, the same in both protocols.
func AppendNumber(dst []byte, n int64) []byte {
	if uint64(n) < 1000 {
		return AppendHeader(dst, ':', int(n))
	}
	dst = strconv.AppendInt(append(dst, ':'), n, 10)
	return append(dst, '\r', '\n')
}

// appendLine appends a type byte, s and CRLF. Who made the reply has seen to
// it that s holds neither CR nor LF (see Simple and Error).
func appendLine(dst []byte, kind byte, s string) []byte {
	dst = append(append(dst, kind), s...)
	return append(dst, '\r', '\n')
}

// FormatDouble appends f as Redis 7.0 writes a double: C's "%.17g", with
// "inf", "-inf" and "nan" for the rest. It is exact rather than short (3.3
// becomes 3.2999999999999998), but any client reads the same number back.
func FormatDouble(dst []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	case math.IsNaN(f):
		return append(dst, "nan"...)
	}
	// Whole numbers are the usual scores, and the general way costs ten times
	// as much. A zero may be negative, and its sign is kept.
	if whole := int64(f); float64(whole) == f && whole > -1e15 && whole < 1e15 && whole != 0 {
		return strconv.AppendInt(dst, whole, 10)
	}
	return strconv.AppendFloat(dst, f, 'g', 17, 64)
}

// appendDecimal appends the number of a Decimal in its notation.
func appendDecimal(dst []byte, r *Reply) []byte {
	if r.text == plainMark {
		return formatPlain(dst, r.Float())
	}
	return FormatDouble(dst, r.Float())
}

// plainUnit is 10^17: fractions are written in units of its inverse.
const plainUnit = 1e17

// plainLeast is 2^-11: a number no less has no bits behind the 64th place.
const plainLeast = 1.0 / (1 << 11)

// formatPlain appends f as C's "%.17f" does, less the zeros at the end.
func formatPlain(dst []byte, f float64) []byte {
	whole, frac := math.Modf(math.Abs(f))
	if whole >= 1<<53 || whole == 0 && frac < plainLeast || math.IsNaN(f) {
		return formatAnyPlain(dst, f)
	}
	// As many digits as are asked for, and what is left of the others.
	units, rest := bits.Mul64(uint64(frac*(1<<64)), plainUnit)
	if rest > 1<<63 || rest == 1<<63 && units&1 == 1 {
		units++
	}
	if f < 0 {
		dst = append(dst, '-')
	}
	dst = strconv.AppendUint(dst, uint64(whole)+units/plainUnit, 10)
	if units %= plainUnit; units == 0 {
		return dst
	}
	point := len(dst)
	dst = strconv.AppendUint(dst, units+plainUnit, 10) // the 1 in front keeps the zeros
	dst[point] = '.'
	return bytes.TrimRight(dst, "0")
}

// formatAnyPlain is formatPlain for numbers that are seldom: very small, very
// large or none.
func formatAnyPlain(dst []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return FormatDouble(dst, f)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', 17, 64)
	dst = bytes.TrimRight(bytes.TrimRight(dst, "0"), ".")
	if string(dst[start:]) == "-0" {
		return append(dst[:start], '0')
	}
	return dst
}

// doubleBytesMax is the longest "%.17g" of a float64, sign, 17 digits, point
// and "e-308", or the longest usual Plain, with some room.
const doubleBytesMax = 40
