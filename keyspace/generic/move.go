package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "MOVE", Syntax: "key db", Arity: 3, Complexity: "O(1)",
		Summary: "Moves a key to another database, unless that has such a key.",
		Group:   "generic", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> SET k v\n+OK\n" +
			"> MOVE k 1\n:1\n" +
			"> MOVE k 1\n:0\n" +
			"> MOVE k 0\n-ERR source and destination objects are the same\n" +
			"> MOVE k 99\n-ERR DB index is out of range\n",
	},
	Run: move,
})

func move(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, db := a.Key(), readDatabase(tx, a)
	switch {
	case a.Bad():
		return a.Err()
	case db == tx.DB:
		return resp.ErrSameObject
	case tx.Find(key).Missing(), existsIn(tx, db, key):
		return resp.Zero
	}
	tx.Rename(key, key, db, keyspace.Transfer{Gone: "move_from", Made: "move_to"})
	return resp.One
}
