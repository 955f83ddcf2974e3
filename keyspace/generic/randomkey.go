package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "RANDOMKEY", Arity: 1, Complexity: "O(1) for one shard, O(n) for n",
		Summary: "Returns a key of the database, each as likely as any other.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.AllShards | command.Random,
		Examples: "> RANDOMKEY\n_\n" +
			"> SET k v\n+OK\n" +
			"> RANDOMKEY\n\"k\"\n" +
			"> RANDOMKEY k\n-ERR wrong number of arguments for 'randomkey' command\n",
	},
	Run: randomkey,
})

func randomkey(tx *keyspace.Tx, _ *command.Args) resp.Reply {
	v := tx.Random()
	if v.Missing() {
		return resp.Nil
	}
	return resp.Bulk(v.Key())
}
