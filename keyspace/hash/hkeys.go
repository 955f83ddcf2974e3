package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HKEYS", Syntax: "key", Arity: 2, Complexity: "O(n) for a hash of n fields",
		Summary: "Returns the names of all fields of a hash.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> HSET h a 1 b 2\n:2\n" +
			"> HKEYS h\n[\"a\", \"b\"]\n" +
			"> HKEYS nokey\n[]\n" +
			"> SET k v\n+OK\n" +
			"> HKEYS k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: hkeys,
})

func hkeys(tx *keyspace.Tx, a *command.Args) resp.Reply {
	h, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	return resp.Array(h.list(tx, onlyFields)...)
}
