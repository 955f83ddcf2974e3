package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZINTER", Arity: -3,
		Syntax:     "numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>] [WITHSCORES]",
		Complexity: "O(n k + m log m) for k keys, n members of the smallest and m in the result",
		Summary:    "Returns the members that all the sorted sets or sets given have, by rising score.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Heavy,
		Keys: []command.Keys{{First: 1, Counted: true, Flags: command.RO | command.Access}},
		Examples: "> ZADD {z}1 1 a 2 b 3 c\n:3\n" +
			"> ZADD {z}2 5 b 6 c\n:2\n" +
			"> ZINTER 2 {z}1 {z}2 WITHSCORES\n[[\"b\", ,7], [\"c\", ,9]]\n" +
			"> ZINTER 3 {z}1 {z}2\n-ERR syntax error\n",
	},
	Run: combination{make: (*combination).intersection, weighed: true}.run,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZINTERSTORE", Arity: -4,
		Syntax:     "destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>]",
		Complexity: "O(n k + m log m) for k keys, n members of the smallest and m in the result",
		Summary:    "Makes a key the sorted set of the members that all the sorted sets or sets given have, and returns their number.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Heavy,
		Keys: destinationAndSources,
		Examples: "> ZADD {z}1 1 a 2 b 3 c\n:3\n" +
			"> ZADD {z}2 5 b 6 c\n:2\n" +
			"> ZINTERSTORE {z}3 2 {z}1 {z}2 AGGREGATE MIN\n:2\n" +
			"> ZRANGE {z}3 0 -1 WITHSCORES\n[[\"b\", ,2], [\"c\", ,3]]\n" +
			"> ZINTERSTORE {z}3 1 {z}1 AGGREGATE AVG\n-ERR syntax error\n",
	},
	Run: combination{make: (*combination).intersection, weighed: true, store: "zinterstore"}.run,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZINTERCARD", Arity: -3, Syntax: "numkeys key [key ...] [LIMIT limit]",
		Complexity: "O(n k) for k keys and n members of the smallest",
		Summary:    "Returns how many members all the sorted sets or sets given have, counting up to a limit.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Heavy,
		Keys: []command.Keys{{First: 1, Counted: true, Flags: command.RO | command.Access}},
		Examples: "> ZADD {z}1 1 a 2 b 3 c\n:3\n" +
			"> ZADD {z}2 5 b 6 c\n:2\n" +
			"> ZINTERCARD 2 {z}1 {z}2\n:2\n" +
			"> ZINTERCARD 2 {z}1 {z}2 LIMIT 1\n:1\n" +
			"> ZINTERCARD 1 {z}1 LIMIT -1\n-ERR LIMIT can't be negative\n",
	},
	Run: combination{make: (*combination).intersection, counted: true}.run,
})
