package set

import (
	"bytes"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SMOVE", Syntax: "source destination member", Arity: 4, Complexity: "O(1)",
		Summary: "Moves a member from one set to another, and answers whether it was in the first.",
		Group:   "set", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: []command.Keys{
			{First: 1, Flags: command.RW | command.Access | command.Delete},
			{First: 2, Flags: command.RW | command.Insert},
		},
		Examples: "> SADD a 1 2\n:2\n" +
			"> SMOVE a b 1\n:1\n" +
			"> SMOVE a b 3\n:0\n" +
			"> SMEMBERS b\n~[\"1\"]\n" +
			"> SET k v\n+OK\n" +
			"> SMOVE a k 2\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: smove,
})

func smove(tx *keyspace.Tx, a *command.Args) resp.Reply {
	source, destination, member := a.Key(), a.Key(), a.Bytes()
	if tx.Find(source).Missing() {
		return resp.Zero
	}
	other := tx.Find(destination)
	fits := other.Missing() || other.Is(keyspace.Set)
	from, ok := open(tx, source) // last: a key that goes at its time makes Values void
	switch {
	case !ok || !fits:
		return resp.ErrWrongType
	case bytes.Equal(source, destination):
		return resp.Flag(from.has(member))
	case !from.remove(member):
		return resp.Zero
	}
	from.save("srem")
	to, _ := open(tx, destination)
	if to.add(member) {
		to.save("sadd")
	}
	return resp.One
}
