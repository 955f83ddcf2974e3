package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HSTRLEN", Syntax: "key field", Arity: 3, Complexity: "O(1)",
		Summary: "Returns the length of the value of a field of a hash, in bytes.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO),
		Examples: "> HSET h f hello\n:1\n" +
			"> HSTRLEN h f\n:5\n" +
			"> HSTRLEN h g\n:0\n" +
			"> SET k v\n+OK\n" +
			"> HSTRLEN k f\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: hstrlen,
})

func hstrlen(tx *keyspace.Tx, a *command.Args) resp.Reply {
	h, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	value, _ := h.get(a.Bytes())
	return resp.Int(int64(len(value)))
}
