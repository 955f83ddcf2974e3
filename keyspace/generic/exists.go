package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "EXISTS", Syntax: "key [key ...]", Arity: -2, Complexity: "O(n) for n keys",
		Summary: "Returns how many of the keys exist; one that is named twice counts twice.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.Fast | command.KeysOnly,
		Keys: []command.Keys{{First: 1, Last: -1, Flags: command.RO}},
		Examples: "> SET a 1\n+OK\n" +
			"> EXISTS a a nokey\n:2\n" +
			"> EXISTS\n-ERR wrong number of arguments for 'exists' command\n",
	},
	Run: exists,
})

func exists(tx *keyspace.Tx, a *command.Args) resp.Reply {
	return countKeys(a, func(key []byte) bool { return !tx.Glance(key).Missing() })
}

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "TOUCH", Syntax: "key [key ...]", Arity: -2, Complexity: "O(n) for n keys",
		Summary: "Marks keys as used just now and returns how many of them exist.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.Fast | command.Marks | command.KeysOnly,
		Keys: []command.Keys{{First: 1, Last: -1, Flags: command.RO}},
		Examples: "> MSET a 1 b 2\n+OK\n" +
			"> TOUCH a b nokey\n:2\n" +
			"> TOUCH\n-ERR wrong number of arguments for 'touch' command\n",
	},
	Run: touch,
})

func touch(tx *keyspace.Tx, a *command.Args) resp.Reply {
	return countKeys(a, func(key []byte) bool { return !tx.LookupOutline(key).Missing() })
}
