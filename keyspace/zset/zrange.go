package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZRANGE", Arity: -4,
		Syntax:     "key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]",
		Complexity: "O(log n + m) for m members of a sorted set of n",
		Summary:    "Returns a range of a sorted set: of ranks, of scores or, where all scores are equal, of members.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 10 a 20 b 30 c\n:3\n" +
			"> ZRANGE z 0 -1\n[\"a\", \"b\", \"c\"]\n" +
			"> ZRANGE z 0 0 REV WITHSCORES\n[[\"c\", ,30]]\n" +
			"> ZRANGE z (10 +inf BYSCORE LIMIT 0 1\n[\"b\"]\n" +
			"> ZRANGE z 0 -1 LIMIT 0 1\n-ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX\n" +
			"> ZRANGE z a c BYLEX\n-ERR min or max not valid string range item\n",
	},
	Run: runRange(query{}),
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZREVRANGE", Syntax: "key start stop [WITHSCORES]", Arity: -4,
		Complexity: "O(log n + m) for m members of a sorted set of n",
		Summary:    "Returns the members of a range of ranks of a sorted set, those with high scores first.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 10 a 20 b 30 c\n:3\n" +
			"> ZREVRANGE z 0 1 WITHSCORES\n[[\"c\", ,30], [\"b\", ,20]]\n" +
			"> ZREVRANGE z 0 last\n-ERR value is not an integer or out of range\n",
	},
	Run: runRange(query{fixed: true, back: true}),
})
