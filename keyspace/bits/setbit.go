package bits

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SETBIT", Syntax: "key offset value", Arity: 4,
		Complexity: "O(1), and O(n) for n bytes of zeros where the string grows",
		Summary:    "Sets or clears a bit of a string, which grows if need be, and returns what it was.",
		Group:      "bitmap", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> SETBIT k 7 1\n:0\n" +
			"> SETBIT k 7 0\n:1\n" +
			"> SETBIT k 8 0\n:0\n" +
			"> GET k\n\"\\x00\\x00\"\n" +
			"> SETBIT k 7 2\n-ERR bit is not an integer or out of range\n" +
			"> SETBIT k 4294967296 1\n-ERR bit offset is not an integer or out of range\n",
	},
	Run: setbit,
})

func setbit(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, offset, on := a.Key(), readOffset(tx, a), a.IntIn(0, 1, errBit) == 1
	if a.Bad() {
		return a.Err()
	}
	v := tx.Find(key)
	if otherType(v) {
		return resp.ErrWrongType
	}
	b, at, bit := text(tx, v), offset/8, mask(offset)
	was := at < len(b) && b[at]&bit != 0
	if at < len(b) && was == on {
		return resp.Flag(was)
	}
	if v.Missing() || v.Encoding() != keyspace.Raw || at >= len(b) {
		b = tx.Edit(key, v, max(at+1, len(b)), "setbit")
	} else {
		tx.Touch(v, "setbit")
	}
	if on {
		b[at] |= bit
	} else {
		b[at] &^= bit
	}
	return resp.Flag(was)
}
