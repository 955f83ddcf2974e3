package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SREM", Syntax: "key member [member ...]", Arity: -3, Complexity: "O(n) for n members",
		Summary: "Removes members of a set, and the set with its last one, and answers how many were there.",
		Group:   "set", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Delete),
		Examples: "> SADD s 1 2 3\n:3\n" +
			"> SREM s 1 4\n:1\n" +
			"> SREM s 2 3\n:2\n" +
			"> SCARD s\n:0\n" +
			"> SET k v\n+OK\n" +
			"> SREM k 1\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: srem,
})

func srem(tx *keyspace.Tx, a *command.Args) resp.Reply {
	e, ok := open(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	removed := 0
	for _, member := range a.Rest() {
		if e.remove(member) {
			removed++
		}
	}
	if removed > 0 {
		e.save("srem")
	}
	return resp.Int(int64(removed))
}
