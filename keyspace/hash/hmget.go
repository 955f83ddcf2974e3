package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HMGET", Syntax: "key field [field ...]", Arity: -3, Complexity: "O(n) for n fields",
		Summary: "Returns the values of several fields of a hash, a null for each that is not there.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> HSET h a 1 b 2\n:2\n" +
			"> HMGET h b c a\n[\"2\", _, \"1\"]\n" +
			"> HMGET nokey a b\n[_, _]\n" +
			"> SET k v\n+OK\n" +
			"> HMGET k a\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: hmget,
})

func hmget(tx *keyspace.Tx, a *command.Args) resp.Reply {
	h, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	fields := a.Rest()
	items := tx.Items(len(fields))
	for i, field := range fields {
		items[i] = resp.Nil
		if value, found := h.get(field); found {
			items[i] = resp.Bulk(value)
		}
	}
	return resp.Array(items...)
}
