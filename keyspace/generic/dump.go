package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "DUMP", Syntax: "key", Arity: 2, Complexity: "O(n) for a value of n bytes",
		Summary: "Returns what a key holds in Redis's own format, for RESTORE here or there.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.Heavy,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SET k 10\n+OK\n" +
			`> DUMP k` + "\n" + `"\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb"` + "\n" +
			"> DUMP nokey\n_\n" +
			"> DUMP\n-ERR wrong number of arguments for 'dump' command\n",
	},
	Run: dump,
})

var errNoFormat = resp.Error("ERR values of this type have no format to be dumped in")

func dump(tx *keyspace.Tx, a *command.Args) resp.Reply {
	v := tx.Lookup(a.Key())
	if v.Missing() {
		return resp.Nil
	}
	value, ok := rdb.ValueOf(tx, v)
	if !ok {
		return errNoFormat
	}
	payload := rdb.Dump(value)
	if payload == nil {
		return resp.Nil
	}
	return resp.Bulk(payload)
}
