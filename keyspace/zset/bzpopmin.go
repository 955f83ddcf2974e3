package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BZPOPMIN", Syntax: "key [key ...] timeout", Arity: -3, Complexity: "O(log n) in a sorted set of n members",
		Summary: "Removes the member with the lowest score from the first of several sorted sets that is not empty, or waits for one.",
		Group:   "sorted-set", Since: "0.1.0", Flags: command.Write | command.NoScript | command.Blocking | command.Fast,
		Keys: []command.Keys{{First: 1, Last: -2, Flags: command.RW | command.Access | command.Delete}},
		Examples: "> ZADD {z}2 10 a 20 b\n:2\n" +
			"> BZPOPMIN {z}1 {z}2 0\n[\"{z}2\", \"a\", ,10]\n" +
			"> BZPOPMIN {z}1 0.01\n_\n" +
			"> BZPOPMIN {z}1 soon\n-ERR timeout is not a float or out of range\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return bzpop(tx, a, lowest) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BZPOPMAX", Syntax: "key [key ...] timeout", Arity: -3, Complexity: "O(log n) in a sorted set of n members",
		Summary: "Removes the member with the highest score from the first of several sorted sets that is not empty, or waits for one.",
		Group:   "sorted-set", Since: "0.1.0", Flags: command.Write | command.NoScript | command.Blocking | command.Fast,
		Keys: []command.Keys{{First: 1, Last: -2, Flags: command.RW | command.Access | command.Delete}},
		Examples: "> ZADD {z}2 10 a 20 b\n:2\n" +
			"> BZPOPMAX {z}1 {z}2 0\n[\"{z}2\", \"b\", ,20]\n" +
			"> BZPOPMAX {z}1 0.01\n_\n" +
			"> BZPOPMAX {z}1 -1\n-ERR timeout is negative\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return bzpop(tx, a, highest) },
})

func bzpop(tx *keyspace.Tx, a *command.Args, from side) resp.Reply {
	const firstKey = 1
	var keys [][]byte
	for a.Len() > 1 {
		keys = append(keys, a.Key())
	}
	millis := keyspace.ReadSeconds(a)
	if a.Bad() {
		return a.Err()
	}
	for _, key := range keys {
		e, ok := Open(tx, key)
		switch {
		case !ok:
			return resp.ErrWrongType
		case e.Len() > 0:
			return e.popOne(from)
		}
	}
	return tx.Block(keyspace.Wait{
		Type: keyspace.SortedSet, Keys: places(firstKey, len(keys)), Millis: millis, TimedOut: resp.NilArray,
		Serve: func(tx *keyspace.Tx, _ *command.Args, key []byte) resp.Reply {
			e, _ := Open(tx, key)
			return e.popOne(from)
		},
	})
}

// popOne takes one member out and answers with the key, it and its score.
func (e *Edit) popOne(from side) resp.Reply {
	items := e.pop(from, 1, 1)
	items[0] = resp.Bulk(e.key)
	return resp.Array(items...)
}
