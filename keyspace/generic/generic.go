// Package generic holds the commands on keys whatever they hold, and those on
// whole databases.
package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]

// readDatabase reads the number of a database.
func readDatabase(tx *keyspace.Tx, a *command.Args) int {
	n := a.Int32()
	if n < 0 || n >= tx.Databases() {
		a.Fail(resp.ErrDBIndex)
	}
	return n
}

// existsIn reports whether a key of another database exists.
func existsIn(tx *keyspace.Tx, db int, key []byte) bool {
	home := tx.DB
	tx.DB = db
	defer func() { tx.DB = home }()
	return !tx.FindOutline(key).Missing()
}

// countKeys is how many of the words left are keys for which is says yes.
func countKeys(a *command.Args, is func(key []byte) bool) resp.Reply {
	n := int64(0)
	for a.More() {
		if is(a.Key()) {
			n++
		}
	}
	return resp.Int(n)
}
