package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "FLUSHDB", Syntax: "[ASYNC | SYNC]", Arity: -1, Complexity: "O(1); the memory is freed later, O(n) for n keys",
		Summary: "Removes every key of the database.",
		Group:   "server", Since: "0.1.0", Flags: command.Write | command.AllShards,
		Categories: []string{"keyspace", "dangerous"},
		Examples: "> SET k v\n+OK\n" +
			"> FLUSHDB\n+OK\n" +
			"> DBSIZE\n:0\n" +
			"> FLUSHDB NOW\n-ERR syntax error\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return flush(tx, a, tx.DB, tx.DB+1) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "FLUSHALL", Syntax: "[ASYNC | SYNC]", Arity: -1, Complexity: "O(1); the memory is freed later, O(n) for n keys",
		Summary: "Removes every key of every database.",
		Group:   "server", Since: "0.1.0", Flags: command.Write | command.AllShards,
		Categories: []string{"keyspace", "dangerous"},
		Examples: "> SET k v\n+OK\n" +
			"> FLUSHALL ASYNC\n+OK\n" +
			"> DBSIZE\n:0\n" +
			"> FLUSHALL NOW\n-ERR syntax error\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return flush(tx, a, 0, tx.Databases()) },
})

// flush empties the databases from first to before last. Both ways of flushing
// are one here: the keys are gone at once, their memory is freed in slices.
func flush(tx *keyspace.Tx, a *command.Args, first, last int) resp.Reply {
	if !a.Option("SYNC") {
		a.Option("ASYNC")
	}
	if a.End(); a.Bad() {
		return a.Err()
	}
	for db := first; db < last; db++ {
		tx.Flush(db)
	}
	return resp.OK
}
