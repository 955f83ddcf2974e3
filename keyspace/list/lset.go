package list

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LSET", Syntax: "key index element", Arity: 4, Complexity: "O(log n) for a list of n elements",
		Summary: "Puts another element at a place of a list.",
		Group:   "list", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> RPUSH l a b c\n:3\n" +
			"> LSET l -1 d\n+OK\n" +
			"> LRANGE l 0 -1\n[\"a\", \"b\", \"d\"]\n" +
			"> LSET l 3 e\n-ERR index out of range\n" +
			"> LSET nokey 0 a\n-ERR no such key\n",
	},
	Run: lset,
})

var errIndex = resp.Error("ERR index out of range")

func lset(tx *keyspace.Tx, a *command.Args) resp.Reply {
	var e edit
	switch {
	case !e.open(tx, a.Key()):
		return resp.ErrWrongType
	case e.v.Missing():
		return resp.ErrNoSuchKey
	}
	index, text := a.Int(), a.Bytes()
	if a.Bad() {
		return a.Err()
	}
	i, ok := e.index(index)
	if !ok {
		return errIndex
	}
	e.set(i, text, "lset")
	return resp.OK
}
