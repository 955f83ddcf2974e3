package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SUNION", Syntax: "key [key ...]", Arity: -2, Complexity: "O(n) for n members of all sets",
		Summary: "Returns the members of several sets, each once.",
		Group:   "set", Since: "0.1.0", Flags: command.ReadOnly | command.Heavy,
		Keys: []command.Keys{{First: 1, Last: -1, Flags: command.RO | command.Access}},
		Examples: "> SADD a 1 2\n:2\n" +
			"> SADD b 2 3\n:2\n" +
			"> SUNION a b nokey\n~[\"1\", \"2\", \"3\"]\n" +
			"> SET k v\n+OK\n" +
			"> SUNION a k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return reply(tx, a, unite) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SUNIONSTORE", Syntax: "destination key [key ...]", Arity: -3, Complexity: "O(n) for n members of all sets",
		Summary: "Makes a key the set of the members of several sets, and answers how many.",
		Group:   "set", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Heavy,
		Keys: []command.Keys{
			{First: 1, Flags: command.OW | command.Update},
			{First: 2, Last: -1, Flags: command.RO | command.Access},
		},
		Examples: "> SADD a 1 2\n:2\n" +
			"> SADD b 2 3\n:2\n" +
			"> SUNIONSTORE c a b\n:3\n" +
			"> SMEMBERS c\n~[\"1\", \"2\", \"3\"]\n" +
			"> SUNIONSTORE c\n-ERR wrong number of arguments for 'sunionstore' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return store(tx, a, unite) },
})
