package bits

import (
	"math/bits"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BITCOUNT", Syntax: "key [start end [BYTE | BIT]]", Arity: -2, Complexity: "O(n) for n bytes",
		Summary: "Counts the bits that are set in a string, or in a range of its bytes or bits.",
		Group:   "bitmap", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SET k foobar\n+OK\n" +
			"> BITCOUNT k\n:26\n" +
			"> BITCOUNT k 1 -2\n:18\n" +
			"> BITCOUNT k 5 30 BIT\n:17\n" +
			"> BITCOUNT nokey\n:0\n" +
			"> BITCOUNT k 0\n-ERR syntax error\n",
	},
	Run: bitcount,
})

func bitcount(tx *keyspace.Tx, a *command.Args) resp.Reply {
	v := tx.Lookup(a.Key())
	switch {
	case otherType(v):
		return resp.ErrWrongType
	case v.Missing(): // whatever else is asked
		return resp.Zero
	}
	b := tx.Text(v)
	s := newSpan(0, -1, len(b), false)
	if a.More() {
		s = readCountSpan(a, len(b))
	}
	if a.Bad() {
		return a.Err()
	}
	return resp.Int(count(b, s))
}

// readCountSpan reads a range, which is empty for sure, whatever its unit, if
// both ends count from the end and are the wrong way round.
func readCountSpan(a *command.Args, size int) span {
	if a.Len() != 2 && a.Len() != 3 {
		a.Syntax()
	}
	start, end := a.Int(), a.Int()
	switch {
	case a.Bad() || start < 0 && end < 0 && start > end:
		return span{0, -1}
	case a.More():
		return newSpan(start, end, size, isUnit(a))
	}
	return newSpan(start, end, size, false)
}

// count is the number of bits of b that are set in a range.
func count(b []byte, s span) (n int64) {
	if s.empty() {
		return 0
	}
	part := b[s.first/8 : s.last/8+1]
	before, after := outside(s)
	n -= int64(bits.OnesCount8(part[0]&before) + bits.OnesCount8(part[len(part)-1]&after))
	return n + ones(part)
}

// outside is the bits that the first and the last byte of a range have outside
// of it. They are of one byte if the range is.
func outside(s span) (before, after byte) {
	return ^(0xff >> (s.first % 8)), 0x7f >> (s.last % 8)
}

// ones is the number of bits that are set. Four counters keep the processor's
// counting units from waiting for one sum.
func ones(b []byte) int64 {
	var n0, n1, n2, n3 int
	for ; len(b) >= 32; b = b[32:] {
		n0 += bits.OnesCount64(word(b))
		n1 += bits.OnesCount64(word(b[8:]))
		n2 += bits.OnesCount64(word(b[16:]))
		n3 += bits.OnesCount64(word(b[24:]))
	}
	for ; len(b) >= 8; b = b[8:] {
		n0 += bits.OnesCount64(word(b))
	}
	for _, c := range b {
		n1 += bits.OnesCount8(c)
	}
	return int64(n0 + n1 + n2 + n3)
}
