package list

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LINDEX", Syntax: "key index", Arity: 3, Complexity: "O(log n) for a list of n elements",
		Summary: "Tells the element at a place of a list, from 0 on, or from -1 for the last one.",
		Group:   "list", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> RPUSH l a b c\n:3\n" +
			"> LINDEX l 1\n\"b\"\n" +
			"> LINDEX l -1\n\"c\"\n" +
			"> LINDEX l 3\n_\n" +
			"> LINDEX l first\n-ERR value is not an integer or out of range\n",
	},
	Run: lindex,
})

// lindex looks for the key before it looks at the index, as Redis does.
func lindex(tx *keyspace.Tx, a *command.Args) resp.Reply {
	l, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	if l.len() == 0 {
		return resp.Nil
	}
	index := a.Int()
	if a.Bad() {
		return a.Err()
	}
	i, ok := l.index(index)
	if !ok {
		return resp.Nil
	}
	w := l.walk(i)
	return resp.Bulk(w.next())
}
