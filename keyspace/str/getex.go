package str

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GETEX", Arity: -2, Complexity: "O(1)",
		Syntax:  "key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | PERSIST]",
		Summary: "Returns the string value of a key and says when the key ends.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> SET k v\n+OK\n" +
			"> GETEX k EX 100\n\"v\"\n" +
			"> TTL k\n:100\n" +
			"> GETEX k PERSIST\n\"v\"\n" +
			"> TTL k\n:-1\n" +
			"> GETEX k EX 10 PERSIST\n-ERR syntax error\n" +
			"> GETEX k EXAT 1\n\"v\"\n" +
			"> EXISTS k\n:0\n",
	},
	Run: getex,
})

func getex(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, end, persist := a.Key(), ending{}, false
	for a.More() {
		switch {
		case end.unit == nil && a.Option("PERSIST"):
			persist = true
		case !persist && end.read(a):
		default:
			a.Syntax()
		}
	}
	if a.Bad() {
		return a.Err()
	}
	v := tx.Lookup(key)
	switch {
	case v.Missing():
		return resp.Nil
	case otherType(v):
		return resp.ErrWrongType
	}
	deadline := end.deadline(tx, a, keyspace.NoDeadline) // the number is looked at last, as in Redis 7.0
	if a.Bad() {
		return a.Err()
	}
	reply := kept(tx, v)
	switch {
	case end.unit != nil && deadline <= tx.Now():
		tx.Remove(v, "del")
		tx.Effect([]byte("DEL"), key)
	case end.unit != nil:
		tx.Expire(v, deadline, "expire")
		var digits [deadlineDigits]byte
		tx.Effect([]byte("PEXPIREAT"), key, strconv.AppendInt(digits[:0], deadline, 10))
	case persist && tx.Deadline(v) != keyspace.NoDeadline:
		tx.Expire(v, keyspace.NoDeadline, "persist")
		tx.Effect([]byte("PERSIST"), key)
	}
	return reply
}
