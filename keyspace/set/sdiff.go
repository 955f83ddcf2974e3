package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SDIFF", Syntax: "key [key ...]", Arity: -2, Complexity: "O(n) for n members of all sets",
		Summary: "Returns the members of a set that are in none of several others.",
		Group:   "set", Since: "0.1.0", Flags: command.ReadOnly | command.Heavy,
		Keys: []command.Keys{{First: 1, Last: -1, Flags: command.RO | command.Access}},
		Examples: "> SADD a 1 2 3\n:3\n" +
			"> SADD b 2 4\n:2\n" +
			"> SDIFF a b\n~[\"1\", \"3\"]\n" +
			"> SDIFF nokey a\n~[]\n" +
			"> SET k v\n+OK\n" +
			"> SDIFF a k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return reply(tx, a, subtract) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SDIFFSTORE", Syntax: "destination key [key ...]", Arity: -3, Complexity: "O(n) for n members of all sets",
		Summary: "Makes a key the set of the members of a set that are in none of several others, and answers how many.",
		Group:   "set", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Heavy,
		Keys: []command.Keys{
			{First: 1, Flags: command.OW | command.Update},
			{First: 2, Last: -1, Flags: command.RO | command.Access},
		},
		Examples: "> SADD a 1 2 3\n:3\n" +
			"> SADD b 2 4\n:2\n" +
			"> SDIFFSTORE c a b\n:2\n" +
			"> SMEMBERS c\n~[\"1\", \"3\"]\n" +
			"> SDIFFSTORE c\n-ERR wrong number of arguments for 'sdiffstore' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return store(tx, a, subtract) },
})
