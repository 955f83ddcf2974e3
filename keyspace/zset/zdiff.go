package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZDIFF", Arity: -3, Syntax: "numkeys key [key ...] [WITHSCORES]",
		Complexity: "O(n k) for k keys and n members of the first",
		Summary:    "Returns the members of the first sorted set or set that none of the others has, by rising score.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Heavy,
		Keys: []command.Keys{{First: 1, Counted: true, Flags: command.RO | command.Access}},
		Examples: "> ZADD {z}1 1 a 2 b 3 c\n:3\n" +
			"> ZADD {z}2 5 b\n:1\n" +
			"> ZDIFF 2 {z}1 {z}2 WITHSCORES\n[[\"a\", ,1], [\"c\", ,3]]\n" +
			"> ZDIFF 2 {z}1 {z}2 WEIGHTS 1 2\n-ERR syntax error\n",
	},
	Run: combination{make: (*combination).difference}.run,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZDIFFSTORE", Arity: -4, Syntax: "destination numkeys key [key ...]",
		Complexity: "O(n k) for k keys and n members of the first",
		Summary:    "Makes a key the sorted set of the first one's members that none of the others has, and returns their number.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Heavy,
		Keys: destinationAndSources,
		Examples: "> ZADD {z}1 1 a 2 b 3 c\n:3\n" +
			"> ZADD {z}2 5 b\n:1\n" +
			"> ZDIFFSTORE {z}3 2 {z}1 {z}2\n:2\n" +
			"> ZDIFFSTORE {z}3 2 {z}1\n-ERR syntax error\n",
	},
	Run: combination{make: (*combination).difference, store: "zdiffstore"}.run,
})
