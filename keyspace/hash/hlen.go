package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HLEN", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Returns the number of fields of a hash.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO),
		Examples: "> HSET h a 1 b 2\n:2\n" +
			"> HLEN h\n:2\n" +
			"> HLEN nokey\n:0\n" +
			"> SET k v\n+OK\n" +
			"> HLEN k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: hlen,
})

func hlen(tx *keyspace.Tx, a *command.Args) resp.Reply {
	h, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	return resp.Int(int64(h.len()))
}
