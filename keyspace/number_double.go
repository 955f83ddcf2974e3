package keyspace

import (
	"bytes"
	"errors"
	"strconv"
	"unsafe"
)

// ParseDouble reads a number in C's notation (strtod), as scores have it:
// decimal with an optional exponent, hexadecimal ("0x1.8p3"), or inf. Blanks,
// NaN, and what is too large or too small are refused, as by Redis.
func ParseDouble(text []byte) (f float64, ok bool) {
	f, ok, inRange := readDouble(text)
	return f, ok && inRange
}

// ParseEdge is ParseDouble for an end of a range of scores, where Redis takes
// what is too large as infinite, and what is too small as zero.
func ParseEdge(text []byte) (f float64, ok bool) {
	f, ok, _ = readDouble(text)
	return f, ok
}

// readDouble reads a number, and says whether a float64 can have its size.
func readDouble(text []byte) (f float64, ok, inRange bool) {
	if len(text) == 0 || bytes.ContainsAny(text, "_nN") && !isInfinity(text) {
		return 0, false, false
	}
	digits := unsafe.String(unsafe.SliceData(text), len(text)) // not kept
	hex := bytes.ContainsAny(text, "xX")
	if hex && !bytes.ContainsAny(text, "pP") {
		digits += "p0" // C does without the exponent that Go insists on
	}
	f, err := strconv.ParseFloat(digits, 64)
	inRange = err == nil && (f != 0 || isZero(text, hex))
	return f, err == nil || errors.Is(err, strconv.ErrRange), inRange
}

// isInfinity reports whether a text with an n may be infinity: NaN may not.
func isInfinity(text []byte) bool {
	if text[0] == '-' || text[0] == '+' {
		text = text[1:]
	}
	return len(text) > 0 && text[0]|0x20 == 'i'
}

// isZero reports whether a number that was read as 0 is 0, not too small.
func isZero(text []byte, hex bool) bool {
	for i, c := range text {
		switch {
		case c|0x20 == 'p' || c|0x20 == 'e' && !hex:
			return true
		case c >= '1' && c <= '9', hex && c|0x20 >= 'a' && c|0x20 <= 'f' && i > 1:
			return false
		}
	}
	return true
}
