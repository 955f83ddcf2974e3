package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HDEL", Syntax: "key field [field ...]", Arity: -3, Complexity: "O(n) for n fields",
		Summary: "Removes fields of a hash, and the hash with its last one, and answers how many were there.",
		Group:   "hash", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Delete),
		Examples: "> HSET h a 1 b 2\n:2\n" +
			"> HDEL h a c\n:1\n" +
			"> HDEL h b\n:1\n" +
			"> HKEYS h\n[]\n" +
			"> SET k v\n+OK\n" +
			"> HDEL k a\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: hdel,
})

func hdel(tx *keyspace.Tx, a *command.Args) resp.Reply {
	e, ok := open(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	removed := 0
	for _, field := range a.Rest() {
		if e.remove(field) {
			removed++
		}
	}
	if removed > 0 {
		e.save("hdel")
	}
	return resp.Int(int64(removed))
}
