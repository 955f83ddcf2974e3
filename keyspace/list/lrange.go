package list

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LRANGE", Syntax: "key start stop", Arity: 4, Complexity: "O(n) for n elements of the answer",
		Summary: "Lists the elements from one place of a list to another, both counted from -1 backwards if negative.",
		Group:   "list", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> RPUSH l a b c\n:3\n" +
			"> LRANGE l 0 1\n[\"a\", \"b\"]\n" +
			"> LRANGE l -2 100\n[\"b\", \"c\"]\n" +
			"> LRANGE nokey 0 -1\n[]\n" +
			"> LRANGE l 0 last\n-ERR value is not an integer or out of range\n",
	},
	Run: lrange,
})

func lrange(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, start, stop := a.Key(), a.Int(), a.Int()
	if a.Bad() {
		return a.Err()
	}
	l, ok := lookup(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	i, n := l.span(start, stop)
	if n == 0 {
		return resp.EmptyList
	}
	items := tx.Items(n)
	w := l.walk(i)
	for at := range items {
		items[at] = resp.Bulk(w.next())
	}
	return resp.Array(items...)
}
