package bits

import (
	"math/bits"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BITPOS", Syntax: "key bit [start [end [BYTE | BIT]]]", Arity: -3, Complexity: "O(n) for n bytes",
		Summary: "Finds the first bit of a string, or of a range of its bytes or bits, that is set or clear.",
		Group:   "bitmap", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SET k \"\\xff\\xf0\\x00\"\n+OK\n" +
			"> BITPOS k 0\n:12\n" +
			"> BITPOS k 1 2\n:-1\n" +
			"> BITPOS k 0 0 11 BIT\n:-1\n" +
			"> BITPOS nokey 0\n:0\n" +
			"> BITPOS k 2\n-ERR The bit argument must be 1 or 0.\n",
	},
	Run: bitpos,
})

var errWhichBit = resp.Error("ERR The bit argument must be 1 or 0.")

func bitpos(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, bit := a.Key(), a.Int()
	if !a.Bad() && bit != 0 && bit != 1 {
		a.Fail(errWhichBit)
	}
	if a.Bad() {
		return a.Err()
	}
	v := tx.Lookup(key)
	switch {
	case otherType(v):
		return resp.ErrWrongType
	case v.Missing(): // endless zeros, whatever else is asked
		return resp.Int(-bit)
	}
	b := tx.Text(v)
	s, closed := readSearchSpan(a, len(b))
	if a.Bad() {
		return a.Err()
	}
	at := search(b, s, bit == 1)
	if at < 0 && bit == 0 && !closed && !s.empty() {
		at = s.last + 1 // a clear bit follows the string
	}
	return resp.Int(at)
}

// readSearchSpan reads the range to search, if one is given. It is closed if
// its end is: nothing follows it then.
func readSearchSpan(a *command.Args, size int) (s span, closed bool) {
	if a.Len() > 3 {
		a.Syntax()
	}
	start, end, ofBits := int64(0), int64(-1), false
	if a.More() {
		start = a.Int()
	}
	if closed = a.More(); closed {
		end, ofBits = readEnd(a)
	}
	return newSpan(start, end, size, ofBits), closed
}

// readEnd reads the end of a range and its unit, of which a mistake in the
// unit is the one that is told.
func readEnd(a *command.Args) (end int64, ofBits bool) {
	word := a.Bytes()
	if a.More() {
		ofBits = isUnit(a)
	}
	end, ok := command.ParseInt(word)
	if !ok {
		a.Fail(resp.ErrNotInteger)
	}
	return end, ofBits
}

// search is the place of the first bit in a range of b that is set, or clear,
// or -1.
func search(b []byte, s span, set bool) int64 {
	if s.empty() {
		return -1
	}
	flip := uint64(0) // what makes of the bits searched for ones
	if !set {
		flip = ^flip
	}
	first, last := s.first/8, s.last/8
	before, _ := outside(s)
	if c := (b[first] ^ byte(flip)) &^ before; c != 0 {
		return s.found(first, bits.LeadingZeros8(c))
	}
	at := first + 1
	for ; at+7 <= last; at += 8 {
		if w := word(b[at:]) ^ flip; w != 0 {
			return s.found(at, bits.LeadingZeros64(w))
		}
	}
	for ; at <= last; at++ {
		if c := b[at] ^ byte(flip); c != 0 {
			return s.found(at, bits.LeadingZeros8(c))
		}
	}
	return -1
}

// found is the place of a bit counted from a byte, unless it is past the end.
func (s span) found(at int64, bit int) int64 {
	if place := at*8 + int64(bit); place <= s.last {
		return place
	}
	return -1
}
