package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SETEX", Syntax: "key seconds value", Arity: 4, Complexity: "O(1)",
		Summary: "Sets the string value of a key that ends after some seconds.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: command.OneKey(command.OW | command.Update),
		Examples: "> SETEX k 10 v\n+OK\n" +
			"> TTL k\n:10\n" +
			"> SETEX k 0 v\n-ERR invalid expire time in 'setex' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return setFor(tx, a, 1000) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "PSETEX", Syntax: "key milliseconds value", Arity: 4, Complexity: "O(1)",
		Summary: "Sets the string value of a key that ends after some milliseconds.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: command.OneKey(command.OW | command.Update),
		Examples: "> PSETEX k 10000 v\n+OK\n" +
			"> TTL k\n:10\n" +
			"> PSETEX k -1 v\n-ERR invalid expire time in 'psetex' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return setFor(tx, a, 1) },
})

// setFor is SETEX and PSETEX, whose unit is so many milliseconds.
func setFor(tx *keyspace.Tx, a *command.Args, millis int64) resp.Reply {
	key := a.Key()
	deadline := tx.ReadDeadline(a, millis, false)
	value := a.Bytes()
	if a.Bad() {
		return a.Err()
	}
	tx.PutText(key, value, deadline, "set")
	tx.Also(key, "expire")
	setEffect(tx, key, value, deadline)
	return resp.OK
}
