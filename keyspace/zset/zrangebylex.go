package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZRANGEBYLEX", Syntax: "key min max [LIMIT offset count]", Arity: -4,
		Complexity: "O(log n + m) for m members of a sorted set of n",
		Summary:    "Returns the members between two others, of a sorted set whose scores are all equal.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 0 a 0 b 0 c 0 d\n:4\n" +
			"> ZRANGEBYLEX z [b (d\n[\"b\", \"c\"]\n" +
			"> ZRANGEBYLEX z - + LIMIT 1 2\n[\"b\", \"c\"]\n" +
			"> ZRANGEBYLEX z b d\n-ERR min or max not valid string range item\n",
	},
	Run: runRange(query{by: byText, fixed: true}),
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZREVRANGEBYLEX", Syntax: "key max min [LIMIT offset count]", Arity: -4,
		Complexity: "O(log n + m) for m members of a sorted set of n",
		Summary:    "Returns the members between two others, from the last one on, of a sorted set whose scores are all equal.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 0 a 0 b 0 c 0 d\n:4\n" +
			"> ZREVRANGEBYLEX z (d [b\n[\"c\", \"b\"]\n" +
			"> ZREVRANGEBYLEX z d b\n-ERR min or max not valid string range item\n",
	},
	Run: runRange(query{by: byText, fixed: true, back: true}),
})
