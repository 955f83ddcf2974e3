package stream

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XLEN", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Tells how many entries a stream has.",
		Group:   "stream", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO),
		Examples: "> XADD s 1-1 f v\n\"1-1\"\n" +
			"> XLEN s\n:1\n" +
			"> XLEN nokey\n:0\n" +
			"> SET k v\n+OK\n" +
			"> XLEN k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: xlen,
})

func xlen(tx *keyspace.Tx, a *command.Args) resp.Reply {
	s, ok := lookup(tx, a.Key())
	switch {
	case !ok:
		return resp.ErrWrongType
	case s == nil:
		return resp.Zero
	}
	return resp.Int(int64(s.length))
}
