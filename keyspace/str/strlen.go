package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "STRLEN", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Returns the length of a string in bytes, 0 if it is missing.",
		Group:   "string", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO),
		Examples: "> SET k Hello\n+OK\n" +
			"> STRLEN k\n:5\n" +
			"> STRLEN nokey\n:0\n" +
			"> HSET h f v\n:1\n" +
			"> STRLEN h\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: strlen,
})

func strlen(tx *keyspace.Tx, a *command.Args) resp.Reply {
	v := tx.Lookup(a.Key())
	if otherType(v) {
		return resp.ErrWrongType
	}
	return resp.Int(int64(len(text(tx, v))))
}
