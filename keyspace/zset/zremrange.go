package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZREMRANGEBYRANK", Syntax: "key start stop", Arity: 4,
		Complexity: "O(m log n) for m members of a sorted set of n",
		Summary:    "Removes the members of a range of ranks from a sorted set and answers how many.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write,
		Keys: command.OneKey(command.RW | command.Delete),
		Examples: "> ZADD z 10 a 20 b 30 c\n:3\n" +
			"> ZREMRANGEBYRANK z 0 1\n:2\n" +
			"> ZREMRANGEBYRANK z 0 last\n-ERR value is not an integer or out of range\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		return removeRange(tx, a, query{by: byRank}, "zremrangebyrank")
	},
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZREMRANGEBYSCORE", Syntax: "key min max", Arity: 4,
		Complexity: "O(m log n) for m members of a sorted set of n",
		Summary:    "Removes the members whose scores lie in a range from a sorted set and answers how many.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write,
		Keys: command.OneKey(command.RW | command.Delete),
		Examples: "> ZADD z 10 a 20 b 30 c\n:3\n" +
			"> ZREMRANGEBYSCORE z (10 20\n:1\n" +
			"> ZREMRANGEBYSCORE z low high\n-ERR min or max is not a float\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		return removeRange(tx, a, query{by: byScore}, "zremrangebyscore")
	},
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZREMRANGEBYLEX", Syntax: "key min max", Arity: 4,
		Complexity: "O(m log n) for m members of a sorted set of n",
		Summary:    "Removes the members between two others, from a sorted set whose scores are all equal, and answers how many.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write,
		Keys: command.OneKey(command.RW | command.Delete),
		Examples: "> ZADD z 0 a 0 b 0 c 0 d\n:4\n" +
			"> ZREMRANGEBYLEX z [b (d\n:2\n" +
			"> ZREMRANGEBYLEX z b d\n-ERR min or max not valid string range item\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		return removeRange(tx, a, query{by: byText}, "zremrangebylex")
	},
})

func removeRange(tx *keyspace.Tx, a *command.Args, q query, event string) resp.Reply {
	key := a.Key()
	if q.read(a); a.Bad() {
		return a.Err()
	}
	e, ok := Open(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	first, end := q.ranks(&e.Members)
	if first < end {
		e.Cut(first, end)
		e.Save(event)
	}
	return resp.Int(int64(end - first))
}
