package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SETRANGE", Syntax: "key offset value", Arity: 4,
		Complexity: "O(n) for a value of n bytes, and for the zeros before it where the string grows",
		Summary:    "Overwrites part of a string, which grows if need be, and returns its length.",
		Group:      "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> SET k \"Hello World\"\n+OK\n" +
			"> SETRANGE k 6 Redis\n:11\n" +
			"> GET k\n\"Hello Redis\"\n" +
			"> SETRANGE new 2 x\n:3\n" +
			"> GET new\n\"\\x00\\x00x\"\n" +
			"> SETRANGE k -1 x\n-ERR offset is out of range\n" +
			"> SETRANGE k 536870912 x\n-ERR string exceeds maximum allowed size (proto-max-bulk-len)\n",
	},
	Run: setrange,
})

func setrange(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, offset, value := a.Key(), a.Int(), a.Bytes()
	if !a.Bad() && offset < 0 {
		a.Fail(resp.ErrOffset)
	}
	if a.Bad() {
		return a.Err()
	}
	v := tx.Find(key)
	if otherType(v) {
		return resp.ErrWrongType
	}
	had := len(text(tx, v))
	switch {
	case len(value) == 0:
		return resp.Int(int64(had))
	case tooLong(tx, int(offset), len(value)):
		return resp.ErrStringSize
	}
	whole := tx.Edit(key, v, max(had, int(offset)+len(value)), "setrange")
	copy(whole[offset:], value)
	return resp.Int(int64(len(whole)))
}
