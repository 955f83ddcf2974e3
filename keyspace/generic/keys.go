package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "KEYS", Syntax: "pattern", Arity: 2, Complexity: "O(n) for n keys in the database",
		Summary: "Lists the keys that match a pattern. It looks at every key: see SCAN.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.AllShards | command.Heavy,
		Categories: []string{"dangerous"},
		Examples: "> MSET one 1 two 2 four 4\n+OK\n" +
			"> KEYS t??\n[\"two\"]\n" +
			"> KEYS nothing*\n[]\n" +
			"> KEYS\n-ERR wrong number of arguments for 'keys' command\n",
	},
	Run: keys,
})

func keys(tx *keyspace.Tx, a *command.Args) resp.Reply {
	wanted := pattern(a.Bytes())
	found := []resp.Reply{}
	tx.Each(func(v keyspace.Value) bool {
		if wanted.match(v.Key()) {
			found = append(found, resp.Bulk(v.Key()))
		}
		return true
	})
	return resp.Array(found...)
}

// pattern is a glob of which "*" also matches the empty key, as in Redis.
type pattern []byte

func (p pattern) match(key []byte) bool { return string(p) == "*" || command.Match(p, key) }
