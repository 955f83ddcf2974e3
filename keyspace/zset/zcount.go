package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZCOUNT", Syntax: "key min max", Arity: 4, Complexity: "O(log n) in a sorted set of n members",
		Summary: "Returns the number of members of a sorted set whose scores lie in a range.",
		Group:   "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 10 a 20 b 30 c\n:3\n" +
			"> ZCOUNT z (10 +inf\n:2\n" +
			"> ZCOUNT z low high\n-ERR min or max is not a float\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return count(tx, a, readScores) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZLEXCOUNT", Syntax: "key min max", Arity: 4, Complexity: "O(log n) in a sorted set of n members",
		Summary: "Returns the number of members between two others, of a sorted set whose scores are all equal.",
		Group:   "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 0 a 0 b 0 c 0 d\n:4\n" +
			"> ZLEXCOUNT z [b (d\n:2\n" +
			"> ZLEXCOUNT z - +\n:4\n" +
			"> ZLEXCOUNT z b d\n-ERR min or max not valid string range item\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return count(tx, a, readTexts) },
})

func count(tx *keyspace.Tx, a *command.Args, read edgeReader) resp.Reply {
	key := a.Key()
	e, mistake := read(a.Bytes(), a.Bytes())
	if mistake.IsError() {
		return mistake
	}
	m, ok := Lookup(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	first, end := m.within(e)
	return resp.Int(int64(end - first))
}
