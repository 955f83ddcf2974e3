package str

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "MGET", Syntax: "key [key ...]", Arity: -2, Complexity: "O(n) for n keys",
		Summary: "Returns the string values of several keys; null for one that holds none.",
		Group:   "string", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Keys: []command.Keys{{First: 1, Last: -1, Flags: command.RO | command.Access}},
		Examples: "> MSET a 1 b two\n+OK\n" +
			"> HSET h f v\n:1\n" +
			"> MGET a b nokey h a\n[\"1\", \"two\", _, _, \"1\"]\n" +
			"> MGET\n-ERR wrong number of arguments for 'mget' command\n",
	},
	Run: mget,
})

func mget(tx *keyspace.Tx, a *command.Args) resp.Reply {
	items, digits := tx.Items(a.Len()), tx.Scratch()
	for i := range items {
		switch v := tx.Lookup(a.Key()); {
		case !v.Is(keyspace.String):
			items[i] = resp.Nil
		case v.Encoding() == keyspace.Int:
			start := len(digits)
			digits = strconv.AppendInt(digits, v.Int(), 10)
			items[i] = resp.Bulk(digits[start:])
		default:
			items[i] = resp.Bulk(tx.Text(v))
		}
	}
	tx.KeepScratch(digits)
	return resp.Array(items...)
}
