package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SETNX", Syntax: "key value", Arity: 3, Complexity: "O(1)",
		Summary: "Sets the string value of a key that does not exist yet.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.OW | command.Insert),
		Examples: "> SETNX k v\n:1\n" +
			"> SETNX k w\n:0\n" +
			"> GET k\n\"v\"\n" +
			"> SETNX k\n-ERR wrong number of arguments for 'setnx' command\n",
	},
	Run: setnx,
})

func setnx(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, value := a.Key(), a.Bytes()
	if !tx.Find(key).Missing() {
		return resp.Zero
	}
	tx.PutText(key, value, keyspace.NoDeadline, "set")
	return resp.One
}
