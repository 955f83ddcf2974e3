package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZCARD", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Returns the number of members of a sorted set.",
		Group:   "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO),
		Examples: "> ZADD z 1 a 2 b\n:2\n" +
			"> ZCARD z\n:2\n" +
			"> ZCARD nokey\n:0\n" +
			"> SET k v\n+OK\n" +
			"> ZCARD k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: zcard,
})

func zcard(tx *keyspace.Tx, a *command.Args) resp.Reply {
	m, ok := Lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	return resp.Int(int64(m.Len()))
}
