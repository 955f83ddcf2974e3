package admin

import (
	"math"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = KeyspaceCommands.Add(command.Spec[View]{
	Meta: command.Meta{
		Name: "DEBUG|POPULATE", Syntax: "count [prefix [size]]", Arity: debugArity, Complexity: "O(N), where N is the number of keys",
		Summary: "Makes the keys prefix:0, prefix:1 and so on, of those that are missing, with values of so many bytes.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags | command.AllShards | command.Heavy | command.Write,
		Examples: "> DEBUG POPULATE 3\n+OK\n> GET key:2\n\"value:2\"\n> DEBUG POPULATE 1 p 3\n+OK\n> GET p:0\n\"val\"\n" +
			"> DEBUG POPULATE many\n-ERR value is out of range, must be positive\n",
	},
	Run: takes(1, 3, debugPopulate),
})

func debugPopulate(v View, a *command.Args) resp.Reply {
	count := a.IntIn(0, math.MaxInt64, resp.ErrNotPositive)
	prefix, size := []byte("key"), -1
	if a.More() {
		prefix = a.Bytes()
	}
	if a.More() {
		size = int(a.IntIn(0, int64(v.Tx.Settings.BulkMax), resp.ErrNotPositive))
	}
	if a.Bad() {
		return a.Err()
	}
	var key, value []byte
	for i := range count {
		key = strconv.AppendInt(append(append(key[:0], prefix...), ':'), i, 10)
		if v.Tx.Peek(key).Missing() {
			value = fill(strconv.AppendInt(append(value[:0], "value:"...), i, 10), size)
			v.Tx.PutText(key, value, keyspace.NoDeadline, "set")
			v.Tx.Effect([]byte("SET"), key, value) // who reads it may have no DEBUG
		}
	}
	return resp.OK
}

// fill makes a value size bytes long: by cutting it, or with zero bytes. A
// negative size leaves it as it is.
func fill(value []byte, size int) []byte {
	if size < 0 || size == len(value) {
		return value
	}
	if size < len(value) {
		return value[:size]
	}
	return append(value, make([]byte, size-len(value))...)
}
