package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "TTL", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Returns in how many seconds a key ends: -1 for never, -2 if it does not exist.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.Fast | command.KeysOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SET k v EX 100\n+OK\n" +
			"> TTL k\n:100\n" +
			"> TTL nokey\n:-2\n" +
			"> TTL\n-ERR wrong number of arguments for 'ttl' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return end(tx, a, tx.Now(), 1000) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "PTTL", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Returns in how many milliseconds a key ends: -1 for never, -2 if it does not exist.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.Fast | command.KeysOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SET k v\n+OK\n" +
			"> PTTL k\n:-1\n" +
			"> PTTL nokey\n:-2\n" +
			"> PTTL\n-ERR wrong number of arguments for 'pttl' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return end(tx, a, tx.Now(), 1) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "EXPIRETIME", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Returns at which second of Unix time a key ends: -1 for never, -2 if it does not exist.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.Fast | command.KeysOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SET k v EXAT 33177117420\n+OK\n" +
			"> EXPIRETIME k\n:33177117420\n" +
			"> EXPIRETIME\n-ERR wrong number of arguments for 'expiretime' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return end(tx, a, 0, 1000) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "PEXPIRETIME", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Returns at which millisecond of Unix time a key ends: -1 for never, -2 if it does not exist.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.Fast | command.KeysOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SET k v PXAT 33177117420000\n+OK\n" +
			"> PEXPIRETIME k\n:33177117420000\n" +
			"> PEXPIRETIME\n-ERR wrong number of arguments for 'pexpiretime' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return end(tx, a, 0, 1) },
})

// end is when a key ends, counted from since, in units of so many milliseconds,
// rounded to the nearest.
func end(tx *keyspace.Tx, a *command.Args, since, millis int64) resp.Reply {
	v := tx.Glance(a.Key())
	if v.Missing() {
		return resp.Int(-2)
	}
	deadline := tx.Deadline(v)
	if deadline == keyspace.NoDeadline {
		return resp.Int(-1)
	}
	return resp.Int((deadline - since + millis/2) / millis)
}
