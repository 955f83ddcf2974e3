package generic

import (
	"bytes"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "RENAME", Syntax: "key newkey", Arity: 3,
		Complexity: "O(1); O(n) for a large value of n elements that moves to another shard",
		Summary:    "Gives a key another name, which then holds its value and time to live.",
		Group:      "generic", Since: "0.1.0", Flags: command.Write,
		Keys: []command.Keys{
			{First: 1, Flags: command.RW | command.Access | command.Delete},
			{First: 2, Flags: command.OW | command.Update},
		},
		Examples: "> SET a v EX 100\n+OK\n" +
			"> SET b w\n+OK\n" +
			"> RENAME a b\n+OK\n" +
			"> GET b\n\"v\"\n" +
			"> TTL b\n:100\n" +
			"> RENAME a b\n-ERR no such key\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return rename(tx, a, false) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "RENAMENX", Syntax: "key newkey", Arity: 3,
		Complexity: "O(1); O(n) for a large value of n elements that moves to another shard",
		Summary:    "Gives a key another name, if that does not exist yet.",
		Group:      "generic", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: []command.Keys{
			{First: 1, Flags: command.RW | command.Access | command.Delete},
			{First: 2, Flags: command.OW | command.Insert},
		},
		Examples: "> MSET a v b w\n+OK\n" +
			"> RENAMENX a b\n:0\n" +
			"> RENAMENX a c\n:1\n" +
			"> RENAMENX a c\n-ERR no such key\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return rename(tx, a, true) },
})

// rename is both: onlyNew is RENAMENX.
func rename(tx *keyspace.Tx, a *command.Args, onlyNew bool) resp.Reply {
	from, to := a.Key(), a.Key()
	if tx.Find(from).Missing() {
		return resp.ErrNoSuchKey
	}
	switch same := bytes.Equal(from, to); {
	case onlyNew && (same || !tx.FindOutline(to).Missing()):
		return resp.Zero
	case !same:
		tx.Rename(from, to, tx.DB, keyspace.Transfer{Gone: "rename_from", Made: "rename_to"})
	}
	if onlyNew {
		return resp.One
	}
	return resp.OK
}
