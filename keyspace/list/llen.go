package list

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LLEN", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Tells how many elements a list has.",
		Group:   "list", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO),
		Examples: "> RPUSH l a b c\n:3\n" +
			"> LLEN l\n:3\n" +
			"> LLEN nokey\n:0\n" +
			"> SET k v\n+OK\n" +
			"> LLEN k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: llen,
})

func llen(tx *keyspace.Tx, a *command.Args) resp.Reply {
	l, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	return resp.Int(int64(l.len()))
}
