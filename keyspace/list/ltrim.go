package list

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LTRIM", Syntax: "key start stop", Arity: 4, Complexity: "O(n) for n elements that go",
		Summary: "Leaves the elements from one place of a list to another, both counted from -1 backwards if negative.",
		Group:   "list", Since: "0.1.0", Flags: command.Write,
		Keys: command.OneKey(command.RW | command.Delete),
		Examples: "> RPUSH l a b c d\n:4\n" +
			"> LTRIM l 1 -2\n+OK\n" +
			"> LRANGE l 0 -1\n[\"b\", \"c\"]\n" +
			"> LTRIM l 5 9\n+OK\n" +
			"> LLEN l\n:0\n" +
			"> LTRIM l 0 last\n-ERR value is not an integer or out of range\n",
	},
	Run: ltrim,
})

// ltrim tells of a change even if nothing goes, as Redis does.
func ltrim(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, start, stop := a.Key(), a.Int(), a.Int()
	if a.Bad() {
		return a.Err()
	}
	var e edit
	switch {
	case !e.open(tx, key):
		return resp.ErrWrongType
	case e.v.Missing():
		return resp.OK
	}
	if i, n := e.span(start, stop); n == 0 {
		e.clear("ltrim")
	} else {
		e.trim(i, n, "ltrim")
	}
	return resp.OK
}
