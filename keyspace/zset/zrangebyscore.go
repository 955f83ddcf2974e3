package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZRANGEBYSCORE", Syntax: "key min max [WITHSCORES] [LIMIT offset count]", Arity: -4,
		Complexity: "O(log n + m) for m members of a sorted set of n",
		Summary:    "Returns the members of a sorted set whose scores lie in a range.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 10 a 20 b 30 c\n:3\n" +
			"> ZRANGEBYSCORE z -inf (30\n[\"a\", \"b\"]\n" +
			"> ZRANGEBYSCORE z 10 30 WITHSCORES LIMIT 1 1\n[[\"b\", ,20]]\n" +
			"> ZRANGEBYSCORE z low high\n-ERR min or max is not a float\n",
	},
	Run: runRange(query{by: byScore, fixed: true}),
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZREVRANGEBYSCORE", Syntax: "key max min [WITHSCORES] [LIMIT offset count]", Arity: -4,
		Complexity: "O(log n + m) for m members of a sorted set of n",
		Summary:    "Returns the members of a sorted set whose scores lie in a range, those with high scores first.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 10 a 20 b 30 c\n:3\n" +
			"> ZREVRANGEBYSCORE z +inf 20\n[\"c\", \"b\"]\n" +
			"> ZREVRANGEBYSCORE z high low\n-ERR min or max is not a float\n",
	},
	Run: runRange(query{by: byScore, fixed: true, back: true}),
})
