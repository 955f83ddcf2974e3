package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GET", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Returns the string value of a key.",
		Group:   "string", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys:     command.OneKey(command.RO | command.Access),
		Examples: "> SET k v\n+OK\n> GET k\n\"v\"\n> GET nokey\n_\n> HSET h f v\n:1\n> GET h\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: get,
})

func get(tx *keyspace.Tx, a *command.Args) resp.Reply {
	v := tx.Lookup(a.Key())
	switch {
	case v.Missing():
		return resp.Nil
	case !v.Is(keyspace.String):
		return resp.ErrWrongType
	}
	return resp.Bulk(tx.Text(v))
}
