package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "PERSIST", Syntax: "key", Arity: 2, Complexity: "O(log n) for n keys that have an end",
		Summary: "Lets a key that would end go on for ever.",
		Group:   "generic", Since: "0.1.0", Flags: command.Write | command.Fast | command.KeysOnly,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> SET k v EX 100\n+OK\n" +
			"> PERSIST k\n:1\n" +
			"> TTL k\n:-1\n" +
			"> PERSIST k\n:0\n" +
			"> PERSIST\n-ERR wrong number of arguments for 'persist' command\n",
	},
	Run: persist,
})

func persist(tx *keyspace.Tx, a *command.Args) resp.Reply {
	v := tx.FindOutline(a.Key())
	if v.Missing() || tx.Deadline(v) == keyspace.NoDeadline {
		return resp.Zero
	}
	tx.Expire(v, keyspace.NoDeadline, "persist")
	return resp.One
}
