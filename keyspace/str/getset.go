package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GETSET", Syntax: "key value", Arity: 3, Complexity: "O(1)",
		Summary: "Sets the string value of a key and returns the one before.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> GETSET k v\n_\n" +
			"> GETSET k w\n\"v\"\n" +
			"> HSET h f v\n:1\n" +
			"> GETSET h w\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: getset,
})

func getset(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, value := a.Key(), a.Bytes()
	v := tx.Lookup(key)
	if otherType(v) {
		return resp.ErrWrongType
	}
	old := resp.Nil
	if !v.Missing() {
		old = kept(tx, v)
	}
	tx.PutText(key, value, keyspace.NoDeadline, "set")
	return old
}
