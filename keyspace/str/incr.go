package str

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "INCR", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Adds one to the integer that a key holds, 0 if it is missing.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> SET k 10\n+OK\n" +
			"> INCR k\n:11\n" +
			"> SET k \" 11\"\n+OK\n" +
			"> INCR k\n-ERR value is not an integer or out of range\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return add(tx, a.Key(), 1) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "DECR", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Takes one from the integer that a key holds, 0 if it is missing.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> DECR k\n:-1\n" +
			"> SET k -9223372036854775808\n+OK\n" +
			"> DECR k\n-ERR increment or decrement would overflow\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return add(tx, a.Key(), -1) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "INCRBY", Syntax: "key increment", Arity: 3, Complexity: "O(1)",
		Summary: "Adds to the integer that a key holds, 0 if it is missing.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> INCRBY k 5\n:5\n" +
			"> INCRBY k -7\n:-2\n" +
			"> INCRBY k 1.5\n-ERR value is not an integer or out of range\n",
	},
	Run: incrby,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "DECRBY", Syntax: "key decrement", Arity: 3, Complexity: "O(1)",
		Summary: "Takes from the integer that a key holds, 0 if it is missing.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> DECRBY k 5\n:-5\n" +
			"> DECRBY k -9223372036854775808\n-ERR decrement would overflow\n",
	},
	Run: decrby,
})

var errDecrement = resp.Error("ERR decrement would overflow")

func incrby(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, by := a.Key(), a.Int()
	if a.Bad() {
		return a.Err()
	}
	return add(tx, key, by)
}

func decrby(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, by := a.Key(), a.Int()
	switch {
	case a.Bad():
		return a.Err()
	case by == math.MinInt64: // which has no opposite
		return errDecrement
	}
	return add(tx, key, -by)
}

func add(tx *keyspace.Tx, key []byte, by int64) resp.Reply {
	v := tx.Find(key)
	if otherType(v) {
		return resp.ErrWrongType
	}
	n := int64(0)
	if !v.Missing() {
		var ok bool
		if n, ok = number(tx, v); !ok {
			return resp.ErrNotInteger
		}
	}
	if by > 0 && n > math.MaxInt64-by || by < 0 && n < math.MinInt64-by {
		return resp.ErrOverflow
	}
	tx.PutInt(key, n+by, keyspace.KeepDeadline, "incrby")
	return resp.Int(n + by)
}

// number is the integer that a string is.
func number(tx *keyspace.Tx, v keyspace.Value) (n int64, ok bool) {
	if v.Encoding() == keyspace.Int {
		return v.Int(), true
	}
	return command.ParseInt(tx.Text(v))
}
