package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZUNION", Arity: -3,
		Syntax:     "numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>] [WITHSCORES]",
		Complexity: "O(n + m log m) for n members in all, m of them different",
		Summary:    "Returns the members of all the sorted sets or sets given, by rising score.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Heavy,
		Keys: []command.Keys{{First: 1, Counted: true, Flags: command.RO | command.Access}},
		Examples: "> ZADD {z}1 1 a 2 b\n:2\n" +
			"> ZADD {z}2 5 b 6 c\n:2\n" +
			"> ZUNION 2 {z}1 {z}2 WITHSCORES\n[[\"a\", ,1], [\"c\", ,6], [\"b\", ,7]]\n" +
			"> ZUNION 2 {z}1 {z}2 WEIGHTS 1 0 AGGREGATE MAX\n[\"c\", \"a\", \"b\"]\n" +
			"> ZUNION 0 {z}1\n-ERR at least 1 input key is needed for 'zunion' command\n",
	},
	Run: combination{make: (*combination).union, weighed: true}.run,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZUNIONSTORE", Arity: -4,
		Syntax:     "destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>]",
		Complexity: "O(n + m log m) for n members in all, m of them different",
		Summary:    "Makes a key the sorted set of the members of all the sorted sets or sets given, and returns their number.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Heavy,
		Keys: destinationAndSources,
		Examples: "> ZADD {z}1 1 a 2 b\n:2\n" +
			"> ZADD {z}2 5 b 6 c\n:2\n" +
			"> ZUNIONSTORE {z}3 2 {z}1 {z}2 WEIGHTS 10 1\n:3\n" +
			"> ZRANGE {z}3 0 -1 WITHSCORES\n[[\"c\", ,6], [\"a\", ,10], [\"b\", ,25]]\n" +
			"> ZUNIONSTORE {z}3 1 {z}1 WEIGHTS ten\n-ERR weight value is not a float\n",
	},
	Run: combination{make: (*combination).union, weighed: true, store: "zunionstore"}.run,
})

// destinationAndSources are the keys of the commands that store what they make.
var destinationAndSources = []command.Keys{
	{First: 1, Flags: command.OW | command.Update},
	{First: 2, Counted: true, Flags: command.RO | command.Access},
}
