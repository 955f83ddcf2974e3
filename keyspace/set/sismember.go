package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SISMEMBER", Syntax: "key member", Arity: 3, Complexity: "O(1)",
		Summary: "Tells whether a text is a member of a set.",
		Group:   "set", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO),
		Examples: "> SADD s a b\n:2\n" +
			"> SISMEMBER s a\n:1\n" +
			"> SISMEMBER s c\n:0\n" +
			"> SISMEMBER nokey a\n:0\n" +
			"> SET k v\n+OK\n" +
			"> SISMEMBER k a\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: sismember,
})

func sismember(tx *keyspace.Tx, a *command.Args) resp.Reply {
	s, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	return resp.Flag(s.has(a.Bytes()))
}

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SMISMEMBER", Syntax: "key member [member ...]", Arity: -3, Complexity: "O(n) for n members",
		Summary: "Tells of each of several texts whether it is a member of a set.",
		Group:   "set", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SADD s a b\n:2\n" +
			"> SMISMEMBER s a c b\n[:1, :0, :1]\n" +
			"> SMISMEMBER nokey a\n[:0]\n" +
			"> SMISMEMBER s\n-ERR wrong number of arguments for 'smismember' command\n",
	},
	Run: smismember,
})

func smismember(tx *keyspace.Tx, a *command.Args) resp.Reply {
	s, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	items := tx.Items(a.Len())
	for i, text := range a.Rest() {
		items[i] = resp.Flag(s.has(text))
	}
	return resp.Array(items...)
}
