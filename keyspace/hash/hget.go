package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HGET", Syntax: "key field", Arity: 3, Complexity: "O(1)",
		Summary: "Returns the value of a field of a hash.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> HSET h f v\n:1\n" +
			"> HGET h f\n\"v\"\n" +
			"> HGET h g\n_\n" +
			"> SET k v\n+OK\n" +
			"> HGET k f\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: hget,
})

func hget(tx *keyspace.Tx, a *command.Args) resp.Reply {
	h, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	value, found := h.get(a.Bytes())
	if !found {
		return resp.Nil
	}
	return resp.Bulk(value)
}
