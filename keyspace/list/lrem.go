package list

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LREM", Syntax: "key count element", Arity: 4, Complexity: "O(n) for n elements looked at",
		Summary: "Takes out the first so many elements of a text, the last ones if count is negative, all if it is 0, and returns how many.",
		Group:   "list", Since: "0.1.0", Flags: command.Write,
		Keys: command.OneKey(command.RW | command.Delete),
		Examples: "> RPUSH l a b a c a\n:5\n" +
			"> LREM l -1 a\n:1\n" +
			"> LREM l 0 a\n:2\n" +
			"> LRANGE l 0 -1\n[\"b\", \"c\"]\n" +
			"> LREM l all b\n-ERR value is not an integer or out of range\n",
	},
	Run: lrem,
})

func lrem(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, count, text := a.Key(), a.Int(), a.Bytes()
	if a.Bad() {
		return a.Err()
	}
	var e edit
	switch {
	case !e.open(tx, key):
		return resp.ErrWrongType
	case e.v.Missing():
		return resp.Zero
	}
	r := removal{text: text, most: math.MaxInt, from: side(count < 0)}
	if count != 0 && count != math.MinInt64 {
		r.most = int(max(count, -count))
	}
	return resp.Int(int64(e.remove(r, "lrem")))
}
