package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HGETALL", Syntax: "key", Arity: 2, Complexity: "O(n) for a hash of n fields",
		Summary: "Returns all fields of a hash with their values.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> HSET h a 1 b 2\n:2\n" +
			"> HGETALL h\n%{\"a\": \"1\", \"b\": \"2\"}\n" +
			"> HGETALL nokey\n%{}\n" +
			"> SET k v\n+OK\n" +
			"> HGETALL k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: hgetall,
})

func hgetall(tx *keyspace.Tx, a *command.Args) resp.Reply {
	h, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	return resp.Map(h.list(tx, pairs)...)
}
