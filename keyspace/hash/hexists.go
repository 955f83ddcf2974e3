package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HEXISTS", Syntax: "key field", Arity: 3, Complexity: "O(1)",
		Summary: "Tells whether a hash has a field.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO),
		Examples: "> HSET h f v\n:1\n" +
			"> HEXISTS h f\n:1\n" +
			"> HEXISTS h g\n:0\n" +
			"> SET k v\n+OK\n" +
			"> HEXISTS k f\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: hexists,
})

func hexists(tx *keyspace.Tx, a *command.Args) resp.Reply {
	h, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	_, found := h.get(a.Bytes())
	return resp.Flag(found)
}
