package bits

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GETBIT", Syntax: "key offset", Arity: 3, Complexity: "O(1)",
		Summary: "Returns a bit of a string, 0 behind its end.",
		Group:   "bitmap", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SET k A\n+OK\n" +
			"> GETBIT k 1\n:1\n" +
			"> GETBIT k 2\n:0\n" +
			"> GETBIT k 1000\n:0\n" +
			"> GETBIT k -1\n-ERR bit offset is not an integer or out of range\n",
	},
	Run: getbit,
})

func getbit(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, offset := a.Key(), readOffset(tx, a)
	if a.Bad() {
		return a.Err()
	}
	v := tx.Lookup(key)
	if otherType(v) {
		return resp.ErrWrongType
	}
	b := text(tx, v)
	return resp.Flag(offset/8 < len(b) && b[offset/8]&mask(offset) != 0)
}

// mask is the bit of a place in its byte.
func mask(offset int) byte { return 0x80 >> (offset % 8) }
