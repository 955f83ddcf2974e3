package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SMEMBERS", Syntax: "key", Arity: 2, Complexity: "O(n) for n members",
		Summary: "Returns all members of a set.",
		Group:   "set", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SADD s 3 1 2\n:3\n" +
			"> SMEMBERS s\n~[\"1\", \"2\", \"3\"]\n" +
			"> SMEMBERS nokey\n~[]\n" +
			"> SET k v\n+OK\n" +
			"> SMEMBERS k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: smembers,
})

func smembers(tx *keyspace.Tx, a *command.Args) resp.Reply {
	s, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	return resp.Set(s.list(tx)...)
}
