package list

import (
	"bytes"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LINSERT", Syntax: "key <BEFORE | AFTER> pivot element", Arity: 5,
		Complexity: "O(n) for n elements up to the pivot",
		Summary:    "Puts an element next to the first one of a text, and returns the length, or -1 if there is none.",
		Group:      "list", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: command.OneKey(command.RW | command.Insert),
		Examples: "> RPUSH l a c\n:2\n" +
			"> LINSERT l BEFORE c b\n:3\n" +
			"> LINSERT l AFTER x y\n:-1\n" +
			"> LRANGE l 0 -1\n[\"a\", \"b\", \"c\"]\n" +
			"> LINSERT l BESIDE a b\n-ERR syntax error\n",
	},
	Run: linsert,
})

func linsert(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, after := a.Key(), 0
	switch {
	case a.Option("AFTER"):
		after = 1
	case !a.Option("BEFORE"):
		return resp.ErrSyntax
	}
	pivot, text := a.Bytes(), a.Bytes()
	var e edit
	switch {
	case !e.open(tx, key):
		return resp.ErrWrongType
	case e.v.Missing():
		return resp.Zero
	}
	i, found := 0, false
	e.each(func(element []byte) bool {
		if found = bytes.Equal(element, pivot); !found {
			i++
		}
		return !found
	})
	if !found {
		return resp.Int(-1)
	}
	n := e.len() + 1
	e.insert(i+after, text, "linsert")
	return resp.Int(int64(n))
}
