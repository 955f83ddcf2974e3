// Package bits holds the commands that read and change strings bit by bit.
//
// Bits are counted from 0, the highest one of the first byte; what lies behind
// the end of a string is 0. A bitmap is a string like any other: there is no
// form of its own, and a string that is kept as a number is read as its text.
//
// Counting, searching and combining go eight bytes at a time.
package bits

import (
	"encoding/binary"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]

var (
	errBitOffset = resp.Error("ERR bit offset is not an integer or out of range")
	errBit       = resp.Error("ERR bit is not an integer or out of range")
)

// otherType reports whether a value is there and is no string.
func otherType(v keyspace.Value) bool { return !v.Missing() && !v.Is(keyspace.String) }

// text is the text of a string, empty if it is missing: see Tx.Text.
func text(tx *keyspace.Tx, v keyspace.Value) []byte {
	if v.Missing() {
		return nil
	}
	return tx.Text(v)
}

// readOffset reads the place of a bit, which must lie in the longest string
// that may be made.
func readOffset(tx *keyspace.Tx, a *command.Args) int {
	return int(a.IntIn(0, int64(tx.Settings.TextMax())*8-1, errBitOffset))
}

// word is the eight bytes at the front of b as a number, their bits in the
// order of their places.
func word(b []byte) uint64 { return binary.BigEndian.Uint64(b) }

// isUnit reads a word that says whether a range is one of bytes or of bits.
func isUnit(a *command.Args) (ofBits bool) {
	switch {
	case a.Option("BIT"):
		return true
	case !a.Option("BYTE"):
		a.Syntax()
	}
	return false
}

// span is a range of bits, the last one included. If first is past last it is
// empty.
type span struct{ first, last int64 }

// newSpan cuts a range, in bytes or bits as its unit says, negative ends
// counted from the end of a string of so many bytes, to the bits that are
// there.
func newSpan(start, end int64, size int, ofBits bool) span {
	total := int64(size)
	if ofBits {
		total *= 8
	}
	if start < 0 {
		start = max(start+total, 0)
	}
	if end < 0 {
		end = max(end+total, 0)
	}
	end = min(end, total-1)
	switch {
	case start > end:
		return span{0, -1}
	case ofBits:
		return span{start, end}
	}
	return span{start * 8, end*8 + 7}
}

func (s span) empty() bool { return s.first > s.last }
