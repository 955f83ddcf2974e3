package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HGETDEL", Syntax: "key FIELDS numfields field [field ...]", Arity: -5, Complexity: "O(n) for n fields",
		Summary: "Returns the values of fields of a hash and removes them, and the hash with the last one.",
		Group:   "hash", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Delete),
		Examples: "> HSET h a 1 b 2\n:2\n" +
			"> HGETDEL h FIELDS 2 a x\n[\"1\", _]\n" +
			"> HGETDEL h FIELDS 1 b\n[\"2\"]\n" +
			"> HLEN h\n:0\n" +
			"> HGETDEL h 1 b c\n-ERR Mandatory argument FIELDS is missing or not at the right position\n",
	},
	Run: hgetdel,
})

func hgetdel(tx *keyspace.Tx, a *command.Args) resp.Reply {
	e, ok := open(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	names := readFields(a, errFieldCount)
	if a.Bad() {
		return a.Err()
	}
	var copied values
	items, removed := tx.Items(len(names)), false
	for i, field := range names {
		items[i] = copied.of(&e, field)
		removed = e.remove(field) || removed
	}
	if removed {
		e.save("hdel")
		tx.EffectWith(names, []byte("HDEL"), e.key)
	}
	return resp.Array(items...)
}
