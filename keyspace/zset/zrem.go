package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZREM", Syntax: "key member [member ...]", Arity: -3,
		Complexity: "O(log n) for each member, in a sorted set of n",
		Summary:    "Removes members from a sorted set and answers how many were there.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Delete),
		Examples: "> ZADD z 1 a 2 b 3 c\n:3\n" +
			"> ZREM z a c d\n:2\n" +
			"> ZREM z\n-ERR wrong number of arguments for 'zrem' command\n",
	},
	Run: zrem,
})

func zrem(tx *keyspace.Tx, a *command.Args) resp.Reply {
	e, ok := Open(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	removed := 0
	for _, member := range a.Rest() {
		if e.Len() > 0 && e.Remove(member) {
			removed++
		}
	}
	if removed > 0 {
		e.Save("zrem")
	}
	return resp.Int(int64(removed))
}
