package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "TYPE", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Tells what kind of value a key holds, none if it is missing.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.Fast | command.KeysOnly,
		Keys: command.OneKey(command.RO),
		Examples: "> SET k v\n+OK\n" +
			"> HSET h f v\n:1\n" +
			"> TYPE k\n+string\n" +
			"> TYPE h\n+hash\n" +
			"> TYPE nokey\n+none\n" +
			"> TYPE\n-ERR wrong number of arguments for 'type' command\n",
	},
	Run: typeOf,
})

func typeOf(tx *keyspace.Tx, a *command.Args) resp.Reply {
	return resp.Simple(tx.Glance(a.Key()).Type().String())
}
