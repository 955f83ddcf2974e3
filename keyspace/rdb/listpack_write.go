package rdb

import (
	"encoding/binary"
	"math"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// listpackWriter makes a listpack. Its bytes are used again for the next.
type listpackWriter struct {
	bytes   []byte
	entries int
}

// begin begins anew.
func (w *listpackWriter) begin() {
	w.bytes = append(w.bytes[:0], make([]byte, listpackHead)...)
	w.entries = 0
}

// text adds a text, as a number if it is one.
func (w *listpackWriter) text(text []byte) {
	if n, ok := command.ParseInt(text); ok {
		w.number(n)
		return
	}
	size := listpackTextSize(len(text))
	switch {
	case size == 1+len(text):
		w.bytes = append(w.bytes, 0b10<<6|byte(len(text)))
	case size == 2+len(text):
		w.bytes = append(w.bytes, 0b1110<<4|byte(len(text)>>8), byte(len(text)))
	default:
		w.bytes = binary.LittleEndian.AppendUint32(append(w.bytes, listpackText32), uint32(len(text)))
	}
	w.bytes = append(w.bytes, text...)
	w.finish(size)
}

// number adds a number.
func (w *listpackWriter) number(n int64) {
	before := len(w.bytes)
	switch {
	case n >= 0 && n < 1<<7:
		w.bytes = append(w.bytes, byte(n))
	case n >= -1<<12 && n < 1<<12:
		w.bytes = append(w.bytes, 0b110<<5|byte(n>>8)&0x1f, byte(n))
	case n == int64(int16(n)):
		w.bytes = binary.LittleEndian.AppendUint16(append(w.bytes, listpackInt16), uint16(n))
	case n >= -1<<23 && n < 1<<23:
		w.bytes = append(w.bytes, listpackInt24, byte(n), byte(n>>8), byte(n>>16))
	case n == int64(int32(n)):
		w.bytes = binary.LittleEndian.AppendUint32(append(w.bytes, listpackInt32), uint32(n))
	default:
		w.bytes = binary.LittleEndian.AppendUint64(append(w.bytes, listpackInt64), uint64(n))
	}
	w.finish(len(w.bytes) - before)
}

// score adds a score. A negative zero is a text, as numbers have none.
func (w *listpackWriter) score(f float64) {
	var digits [scoreDigitsMax]byte
	w.text(resp.FormatDouble(digits[:0], f))
}

// scoreDigitsMax is room enough for a score in digits.
const scoreDigitsMax = 32

// finish adds how many bytes the entry was.
func (w *listpackWriter) finish(size int) {
	n := backSize(size)
	for i := n - 1; i >= 0; i-- {
		c := byte(size>>(7*i)) & 0x7f
		if i < n-1 {
			c |= 0x80
		}
		w.bytes = append(w.bytes, c)
	}
	w.entries++
}

// end is the listpack, good until the next begins.
func (w *listpackWriter) end() []byte {
	w.bytes = append(w.bytes, listpackEnd)
	binary.LittleEndian.PutUint32(w.bytes, uint32(len(w.bytes)))
	binary.LittleEndian.PutUint16(w.bytes[listpackCount:], uint16(min(w.entries, math.MaxUint16)))
	return w.bytes
}

// listpackTextSize is how many bytes an entry with a text takes, at most,
// without its back length.
func listpackTextSize(n int) int {
	switch {
	case n < 1<<6:
		return 1 + n
	case n < 1<<12:
		return 2 + n
	}
	return 5 + n
}
