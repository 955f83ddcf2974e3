package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HSETNX", Syntax: "key field value", Arity: 4, Complexity: "O(1)",
		Summary: "Sets a field of a hash unless it is there already.",
		Group:   "hash", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Insert),
		Examples: "> HSETNX h f v\n:1\n" +
			"> HSETNX h f w\n:0\n" +
			"> HGET h f\n\"v\"\n" +
			"> SET k v\n+OK\n" +
			"> HSETNX k f v\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: hsetnx,
})

func hsetnx(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, field, value := a.Key(), a.Bytes(), a.Bytes()
	if tooLong(field, value) {
		return resp.ErrStringSize
	}
	e, ok := open(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	if _, found := e.get(field); found {
		return resp.Zero
	}
	e.set(field, value)
	e.save("hset")
	return resp.One
}
