package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SADD", Syntax: "key member [member ...]", Arity: -3, Complexity: "O(n) for n members",
		Summary: "Adds members to a set, which is made if it is missing, and answers how many are new.",
		Group:   "set", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Insert),
		Examples: "> SADD s 1 2 3\n:3\n" +
			"> SADD s 3 4 4\n:1\n" +
			"> SMEMBERS s\n~[\"1\", \"2\", \"3\", \"4\"]\n" +
			"> SET k v\n+OK\n" +
			"> SADD k 1\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: sadd,
})

func sadd(tx *keyspace.Tx, a *command.Args) resp.Reply {
	e, ok := open(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	added := 0
	for _, member := range a.Rest() {
		if e.add(member) {
			added++
		}
	}
	if added > 0 {
		e.save("sadd")
	}
	return resp.Int(int64(added))
}
