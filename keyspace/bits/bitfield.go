package bits

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BITFIELD", Arity: -2, Complexity: "O(1) for each operation",
		Syntax: "key [GET encoding offset | [OVERFLOW <WRAP | SAT | FAIL>] <SET encoding offset value | INCRBY encoding offset increment> " +
			"[GET encoding offset | [OVERFLOW <WRAP | SAT | FAIL>] <SET encoding offset value | INCRBY encoding offset increment> ...]]",
		Summary: "Reads and changes numbers of any width at any place among the bits of a string.",
		Group:   "bitmap", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: []command.Keys{{First: 1, Flags: command.RW | command.Access | command.Update | command.Variable, Vary: fieldUse}},
		Examples: "> BITFIELD k SET u8 #0 200 INCRBY u8 #1 5\n[:0, :5]\n" +
			"> BITFIELD k GET u8 0 GET i8 0 GET u4 12\n[:200, :-56, :5]\n" +
			"> BITFIELD k INCRBY u8 0 60 OVERFLOW SAT INCRBY u8 8 255 OVERFLOW FAIL INCRBY u8 8 1\n[:4, :255, _]\n" +
			"> BITFIELD k GET u64 0\n-ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.\n" +
			"> BITFIELD k GET u8\n-ERR syntax error\n",
	},
	Run: bitfield,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BITFIELD_RO", Syntax: "key [GET encoding offset [GET encoding offset ...]]", Arity: -2,
		Complexity: "O(1) for each operation",
		Summary:    "Reads numbers of any width at any place among the bits of a string.",
		Group:      "bitmap", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SET k Hi\n+OK\n" +
			"> BITFIELD_RO k GET u8 0 GET u8 #1 GET u8 #2\n[:72, :105, :0]\n" +
			"> BITFIELD_RO k SET u8 0 1\n-ERR BITFIELD_RO only supports the GET subcommand\n",
	},
	Run: bitfieldRead,
})

var (
	errFieldType = resp.Error("ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.")
	errOverflow  = resp.Error("ERR Invalid OVERFLOW type specified")
	errReadOnly  = resp.Error("ERR BITFIELD_RO only supports the GET subcommand")
)

// fieldUse is what a BITFIELD does to its key: it only reads if all of its
// operations do. One with a mistake counts as writing.
func fieldUse(argv [][]byte) command.KeyFlag {
	for i := 2; i < len(argv); i++ {
		switch left := len(argv) - i - 1; {
		case command.EqualFold(argv[i], "GET") && left >= 2:
			i += 2
		case command.EqualFold(argv[i], "OVERFLOW") && left >= 1:
			i++
		default:
			return command.RW | command.Access | command.Update
		}
	}
	return command.RO | command.Access
}

func bitfieldRead(tx *keyspace.Tx, a *command.Args) resp.Reply {
	var room [opsRoom]fieldOp
	key := a.Key()
	ops, end := readFieldOps(tx, a, room[:0])
	switch {
	case a.Bad():
		return a.Err()
	case end > 0:
		return errReadOnly
	}
	return getFields(tx, key, ops)
}

func bitfield(tx *keyspace.Tx, a *command.Args) resp.Reply {
	var room [opsRoom]fieldOp
	key := a.Key()
	ops, end := readFieldOps(tx, a, room[:0])
	switch {
	case a.Bad():
		return a.Err()
	case end == 0:
		return getFields(tx, key, ops)
	}
	v := tx.Find(key)
	if otherType(v) {
		return resp.ErrWrongType
	}
	return changeFields(tx, key, v, change{ops, (end + 7) / 8})
}

// getFields runs operations that only read.
func getFields(tx *keyspace.Tx, key []byte, ops []fieldOp) resp.Reply {
	v := tx.Lookup(key)
	if otherType(v) {
		return resp.ErrWrongType
	}
	replies, _ := runFields(tx, text(tx, v), ops)
	return replies
}

// change is operations that write, to a string that must have so many bytes
// for them.
type change struct {
	ops  []fieldOp
	size int
}

// changeFields runs a change. The string grows for it even if its operations
// come to nothing since they overflow, as in Redis; unlike there, that is told
// as a change, which it is.
func changeFields(tx *keyspace.Tx, key []byte, v keyspace.Value, c change) resp.Reply {
	b := text(tx, v)
	if c.size > len(b) {
		replies, _ := runFields(tx, tx.Edit(key, v, c.size, "setbit"), c.ops)
		return replies
	}
	raw := v.Encoding() == keyspace.Raw
	if !raw { // and short: to be raw, if it is changed at all
		b = append(tx.Scratch(), b...)
		tx.KeepScratch(b)
	}
	replies, changed := runFields(tx, b, c.ops)
	switch {
	case !changed:
	case raw:
		tx.Touch(v, "setbit")
	default:
		tx.PutRaw(key, b, keyspace.KeepDeadline, "setbit")
	}
	return replies
}

// runFields runs operations on a string that is long enough for those which
// write.
func runFields(tx *keyspace.Tx, b []byte, ops []fieldOp) (replies resp.Reply, changed bool) {
	items := tx.Items(len(ops))
	for i := range ops {
		var wrote bool
		items[i], wrote = ops[i].run(b)
		changed = changed || wrote
	}
	return resp.Array(items...), changed
}
