package generic

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SWAPDB", Syntax: "index1 index2", Arity: 3, Complexity: "O(n) for n watched keys of both databases",
		Summary: "Exchanges the contents of two databases.",
		Group:   "server", Since: "0.1.0", Flags: command.Write | command.Fast | command.AllShards,
		Categories: []string{"keyspace", "dangerous"},
		Examples: "> SET k v\n+OK\n" +
			"> SWAPDB 0 1\n+OK\n" +
			"> DBSIZE\n:0\n" +
			"> SWAPDB one 1\n-ERR invalid first DB index\n" +
			"> SWAPDB 0 99\n-ERR DB index is out of range\n",
	},
	Run: swapdb,
})

var (
	errFirstDB  = resp.Error("ERR invalid first DB index")
	errSecondDB = resp.Error("ERR invalid second DB index")
)

func swapdb(tx *keyspace.Tx, a *command.Args) resp.Reply {
	x := a.IntIn(math.MinInt32, math.MaxInt32, errFirstDB)
	y := a.IntIn(math.MinInt32, math.MaxInt32, errSecondDB)
	n := int64(tx.Databases())
	switch {
	case a.Bad():
		return a.Err()
	case x < 0 || x >= n || y < 0 || y >= n:
		return resp.ErrDBIndex
	case x != y:
		tx.SwapDB(int(x), int(y))
	}
	return resp.OK
}
