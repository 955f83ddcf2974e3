package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HTTL", Syntax: "key FIELDS numfields field [field ...]", Arity: -5, Complexity: "O(n) for n fields",
		Summary: "Returns in how many seconds fields of a hash end: -1 for never, -2 if there is no such field.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly | command.Fast, Keys: command.OneKey(command.RO | command.Access),
		Examples: "> HSET h a 1 b 2\n:2\n" +
			"> HEXPIRE h 100 FIELDS 1 a\n[:1]\n" +
			"> HTTL h FIELDS 3 a b x\n[:100, :-1, :-2]\n" +
			"> HTTL nokey FIELDS 1 a\n[:-2]\n" +
			"> HTTL h FIELDS 0 a\n-ERR Number of fields must be a positive integer\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return httl(tx, a, tx.Now(), 1000) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HPTTL", Syntax: "key FIELDS numfields field [field ...]", Arity: -5, Complexity: "O(n) for n fields",
		Summary: "Returns in how many milliseconds fields of a hash end: -1 for never, -2 if there is no such field.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly | command.Fast, Keys: command.OneKey(command.RO | command.Access),
		Examples: "> HSET h a 1\n:1\n" +
			"> HPTTL h FIELDS 2 a x\n[:-1, :-2]\n" +
			"> HPTTL h a 1 b\n-ERR Mandatory argument FIELDS is missing or not at the right position\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return httl(tx, a, tx.Now(), 1) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HEXPIRETIME", Syntax: "key FIELDS numfields field [field ...]", Arity: -5, Complexity: "O(n) for n fields",
		Summary: "Returns at which second of Unix time fields of a hash end: -1 for never, -2 if there is no such field.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly | command.Fast, Keys: command.OneKey(command.RO | command.Access),
		Examples: "> HSET h a 1\n:1\n" +
			"> HEXPIREAT h 33177117420 FIELDS 1 a\n[:1]\n" +
			"> HEXPIRETIME h FIELDS 2 a x\n[:33177117420, :-2]\n" +
			"> HEXPIRETIME h FIELDS 1 a b\n-ERR The `numfields` parameter must match the number of arguments\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return httl(tx, a, 0, 1000) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HPEXPIRETIME", Syntax: "key FIELDS numfields field [field ...]", Arity: -5, Complexity: "O(n) for n fields",
		Summary: "Returns at which millisecond of Unix time fields of a hash end: -1 for never, -2 if there is no such field.",
		Group:   "hash", Since: "0.1.0", Flags: command.ReadOnly | command.Fast, Keys: command.OneKey(command.RO | command.Access),
		Examples: "> HSET h a 1\n:1\n" +
			"> HPEXPIREAT h 33177117420123 FIELDS 1 a\n[:1]\n" +
			"> HPEXPIRETIME h FIELDS 2 a x\n[:33177117420123, :-2]\n" +
			"> HPEXPIRETIME h FIELDS one a\n-ERR Number of fields must be a positive integer\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return httl(tx, a, 0, 1) },
})

// httl tells when fields end, counted from since, in units of so many
// milliseconds, rounded up.
func httl(tx *keyspace.Tx, a *command.Args, since, millis int64) resp.Reply {
	h, ok := lookup(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	names := readFields(a, errFieldCount)
	if a.Bad() {
		return a.Err()
	}
	items := tx.Items(len(names))
	for i, field := range names {
		switch _, deadline, found := h.find(field, true); {
		case !found:
			items[i] = resp.Int(noField)
		case deadline == 0:
			items[i] = resp.Int(noDeadline)
		default:
			items[i] = resp.Int((deadline - since + millis - 1) / millis)
		}
	}
	return resp.Array(items...)
}
