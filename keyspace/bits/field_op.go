package bits

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// fieldOp is one operation of BITFIELD.
type fieldOp struct {
	field
	verb   verb
	policy policy
	n      int64 // to be written or added
}

type verb uint8

const (
	get verb = iota
	set
	add
)

// opsRoom is how many operations a command has room for at hand.
const opsRoom = 8

// run runs the operation. It is told whether it wrote something else than
// there was.
func (op *fieldOp) run(b []byte) (reply resp.Reply, wrote bool) {
	was := op.get(b)
	var n int64
	var ok bool
	switch op.verb {
	case get:
		return resp.Int(was), false
	case set:
		n, ok = op.assigned(op.n, op.policy)
		reply = resp.Int(was)
	default:
		n, ok = op.fit(was, op.n, op.policy)
		reply = resp.Int(n)
	}
	if !ok {
		return resp.Nil, false
	}
	op.set(b, n)
	return reply, n != was
}

// readFieldOps reads all operations. end is the place after the last bit that
// any of them may write to, 0 if they only read.
func readFieldOps(tx *keyspace.Tx, a *command.Args, ops []fieldOp) (list []fieldOp, end int) {
	overflow := wrapping
	for a.More() {
		op := fieldOp{policy: overflow}
		switch {
		case a.OptionWith("GET", 2):
			op.verb = get
		case a.OptionWith("SET", 3):
			op.verb = set
		case a.OptionWith("INCRBY", 3):
			op.verb = add
		case a.OptionWith("OVERFLOW", 1):
			overflow = readPolicy(a)
			continue
		default:
			a.Syntax()
			return nil, 0
		}
		op.field = readField(tx, a)
		if op.verb != get {
			op.n = a.Int()
			end = max(end, op.end())
		}
		ops = append(ops, op)
	}
	return ops, end
}

func readPolicy(a *command.Args) policy {
	switch {
	case a.Option("WRAP"):
		return wrapping
	case a.Option("SAT"):
		return saturating
	case a.Option("FAIL"):
		return failing
	}
	a.Fail(errOverflow)
	return 0
}

// readField reads an encoding, such as u8, and an offset in bits, or in fields
// of that width if it begins with "#".
func readField(tx *keyspace.Tx, a *command.Args) (f field) {
	encoding := a.Bytes()
	width, ok := int64(0), false
	if len(encoding) > 0 {
		f.signed = encoding[0] == 'i'
		width, ok = command.ParseInt(encoding[1:])
	}
	most := int64(63)
	if f.signed {
		most = 64
	}
	if !ok || !f.signed && encoding[0] != 'u' || width < 1 || width > most {
		a.Fail(errFieldType)
		return field{}
	}
	f.bits = int(width)
	f.offset = readFieldOffset(tx, a, f.bits)
	return f
}

func readFieldOffset(tx *keyspace.Tx, a *command.Args, width int) int {
	if word := a.Peek(); len(word) == 0 || word[0] != '#' {
		return readOffset(tx, a)
	}
	n, ok := command.ParseInt(a.Bytes()[1:])
	if !ok || n < 0 || n > math.MaxInt64/int64(width) || n*int64(width) >= int64(tx.Settings.TextMax())*8 {
		a.Fail(errBitOffset)
		return 0
	}
	return int(n) * width
}
