package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "DEL", Syntax: "key [key ...]", Arity: -2, Complexity: "O(n) for n keys; what large values leave is freed later",
		Summary: "Deletes keys and returns how many there were.",
		Group:   "generic", Since: "0.1.0", Flags: command.Write,
		Keys: []command.Keys{{First: 1, Last: -1, Flags: command.RM | command.Delete}},
		Examples: "> MSET a 1 b 2\n+OK\n" +
			"> DEL a b nokey\n:2\n" +
			"> DEL a\n:0\n" +
			"> DEL\n-ERR wrong number of arguments for 'del' command\n",
	},
	Run: del,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "UNLINK", Syntax: "key [key ...]", Arity: -2, Complexity: "O(n) for n keys; what large values leave is freed later",
		Summary: "Deletes keys and returns how many there were: the same as DEL, which never waits either.",
		Group:   "generic", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: []command.Keys{{First: 1, Last: -1, Flags: command.RM | command.Delete}},
		Examples: "> MSET a 1 b 2\n+OK\n" +
			"> UNLINK a b nokey\n:2\n" +
			"> UNLINK\n-ERR wrong number of arguments for 'unlink' command\n",
	},
	Run: del,
})

// del records each key by itself: its shard can then do without the others.
func del(tx *keyspace.Tx, a *command.Args) resp.Reply {
	several := a.Len() > 1
	return countKeys(a, func(key []byte) bool {
		deleted := tx.Delete(key, "del")
		if deleted && several {
			tx.Effect([]byte("DEL"), key)
		}
		return deleted
	})
}
