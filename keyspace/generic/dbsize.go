package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "DBSIZE", Arity: 1, Complexity: "O(1)",
		Summary: "Returns how many keys the database holds.",
		Group:   "server", Since: "0.1.0", Flags: command.ReadOnly | command.Fast | command.AllShards,
		Categories: []string{"keyspace"},
		Examples: "> DBSIZE\n:0\n" +
			"> MSET a 1 b 2\n+OK\n" +
			"> DBSIZE\n:2\n" +
			"> DBSIZE 0\n-ERR wrong number of arguments for 'dbsize' command\n",
	},
	Run: func(tx *keyspace.Tx, _ *command.Args) resp.Reply { return resp.Int(int64(tx.Len())) },
})
