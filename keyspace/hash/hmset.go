package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HMSET", Syntax: "key field value [field value ...]", Arity: -4, Complexity: "O(n) for n fields",
		Summary: "Sets fields of a hash, as HSET does, and answers OK.",
		Group:   "hash", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> HMSET h a 1 b 2\n+OK\n" +
			"> HMGET h a b\n[\"1\", \"2\"]\n" +
			"> HMSET h a 1 b\n-ERR wrong number of arguments for 'hmset' command\n",
	},
	Run: hmset,
})

func hmset(tx *keyspace.Tx, a *command.Args) resp.Reply {
	if _, err := setAll(tx, a); err.IsError() {
		return err
	}
	return resp.OK
}
