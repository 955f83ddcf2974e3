package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "MSET", Syntax: "key value [key value ...]", Arity: -3, Complexity: "O(n) for n keys",
		Summary: "Sets the string values of several keys at once.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: []command.Keys{{First: 1, Last: -1, Step: 2, Flags: command.OW | command.Update}},
		Examples: "> MSET a 1 b 2\n+OK\n" +
			"> MGET a b\n[\"1\", \"2\"]\n" +
			"> MSET a 1 b\n-ERR wrong number of arguments for 'mset' command\n",
	},
	Run: mset,
})

func mset(tx *keyspace.Tx, a *command.Args) resp.Reply {
	if a.Len()%2 != 0 {
		return resp.ErrArity(a.Meta().Name)
	}
	putPairs(tx, a.Rest())
	return resp.OK
}

// putPairs records each pair by itself: its shard can then do without the others.
func putPairs(tx *keyspace.Tx, pairs [][]byte) {
	for i := 0; i < len(pairs); i += 2 {
		tx.PutText(pairs[i], pairs[i+1], keyspace.NoDeadline, "set")
		setEffect(tx, pairs[i], pairs[i+1], keyspace.NoDeadline)
	}
}

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "MSETNX", Syntax: "key value [key value ...]", Arity: -3, Complexity: "O(n) for n keys",
		Summary: "Sets the string values of several keys at once, if none of them exists yet.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: []command.Keys{{First: 1, Last: -1, Step: 2, Flags: command.OW | command.Insert}},
		Examples: "> MSETNX a 1 b 2\n:1\n" +
			"> MSETNX b 3 c 4\n:0\n" +
			"> MGET a b c\n[\"1\", \"2\", _]\n" +
			"> MSETNX a 1 b\n-ERR wrong number of arguments for 'msetnx' command\n",
	},
	Run: msetnx,
})

func msetnx(tx *keyspace.Tx, a *command.Args) resp.Reply {
	if a.Len()%2 != 0 {
		return resp.ErrArity(a.Meta().Name)
	}
	pairs := a.Rest()
	for i := 0; i < len(pairs); i += 2 {
		if !tx.Find(pairs[i]).Missing() {
			return resp.Zero
		}
	}
	putPairs(tx, pairs)
	return resp.One
}
