package generic

import (
	"bytes"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "COPY", Syntax: "source destination [DB destination-db] [REPLACE]", Arity: -3,
		Complexity: "O(n) for a value of n elements",
		Summary:    "Copies what a key holds, with its time to live, to another key.",
		Group:      "generic", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: []command.Keys{
			{First: 1, Flags: command.RO | command.Access},
			{First: 2, Flags: command.OW | command.Update},
		},
		Examples: "> SET a v EX 100\n+OK\n" +
			"> COPY a c\n:1\n" +
			"> TTL c\n:100\n" +
			"> COPY a c\n:0\n" +
			"> COPY a c REPLACE\n:1\n" +
			"> COPY a a\n-ERR source and destination objects are the same\n" +
			"> COPY a b DB 99\n-ERR DB index is out of range\n",
	},
	Run: copyKey,
})

func copyKey(tx *keyspace.Tx, a *command.Args) resp.Reply {
	from, to := a.Key(), a.Key()
	db, replace := tx.DB, false
	for a.More() {
		switch {
		case a.Option("REPLACE"):
			replace = true
		case a.OptionWith("DB", 1):
			db = readDatabase(tx, a)
		default:
			a.Syntax()
		}
	}
	switch {
	case a.Bad():
		return a.Err()
	case db == tx.DB && bytes.Equal(from, to):
		return resp.ErrSameObject
	case tx.Lookup(from).Missing(), existsIn(tx, db, to) && !replace:
		return resp.Zero
	}
	tx.Copy(tx.Peek(from), to, db, "copy_to")
	return resp.One
}
