package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SCARD", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Returns the number of members of a set.",
		Group:   "set", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO),
		Examples: "> SADD s a b\n:2\n" +
			"> SCARD s\n:2\n" +
			"> SCARD nokey\n:0\n" +
			"> SET k v\n+OK\n" +
			"> SCARD k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: scard,
})

func scard(tx *keyspace.Tx, a *command.Args) resp.Reply {
	s, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	return resp.Int(int64(s.len()))
}
