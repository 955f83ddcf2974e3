package set

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SINTER", Syntax: "key [key ...]", Arity: -2, Complexity: "O(n*m) for m sets, the smallest of n members",
		Summary: "Returns the members that several sets have in common.",
		Group:   "set", Since: "0.1.0", Flags: command.ReadOnly | command.Heavy,
		Keys: []command.Keys{{First: 1, Last: -1, Flags: command.RO | command.Access}},
		Examples: "> SADD a 1 2 3\n:3\n" +
			"> SADD b 2 3 4\n:3\n" +
			"> SINTER a b\n~[\"2\", \"3\"]\n" +
			"> SINTER a nokey\n~[]\n" +
			"> SET k v\n+OK\n" +
			"> SINTER a k\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return reply(tx, a, gatherCommon) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SINTERSTORE", Syntax: "destination key [key ...]", Arity: -3, Complexity: "O(n*m) for m sets, the smallest of n members",
		Summary: "Makes a key the set of the members that several sets have in common, and answers how many.",
		Group:   "set", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Heavy,
		Keys: []command.Keys{
			{First: 1, Flags: command.RW | command.Update},
			{First: 2, Last: -1, Flags: command.RO | command.Access},
		},
		Examples: "> SADD a 1 2 3\n:3\n" +
			"> SADD b 2 3 4\n:3\n" +
			"> SINTERSTORE c a b\n:2\n" +
			"> SMEMBERS c\n~[\"2\", \"3\"]\n" +
			"> SINTERSTORE c\n-ERR wrong number of arguments for 'sinterstore' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return store(tx, a, gatherCommon) },
})

// gatherCommon adds the members that all the sets have.
func gatherCommon(sets []members, to collection) {
	intersect(sets, func(text []byte) bool {
		to.put(text)
		return true
	})
}

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SINTERCARD", Syntax: "numkeys key [key ...] [LIMIT limit]", Arity: -3,
		Complexity: "O(n*m) for m sets, the smallest of n members",
		Summary:    "Returns how many members several sets have in common, counting to a limit if one is given.",
		Group:      "set", Since: "0.1.0", Flags: command.ReadOnly | command.Heavy,
		Keys: []command.Keys{{First: 1, Counted: true, Flags: command.RO | command.Access}},
		Examples: "> SADD a 1 2 3\n:3\n" +
			"> SADD b 1 2 3 4\n:4\n" +
			"> SINTERCARD 2 a b\n:3\n" +
			"> SINTERCARD 2 a b LIMIT 2\n:2\n" +
			"> SINTERCARD 3 a b\n-ERR Number of keys can't be greater than number of args\n",
	},
	Run: sintercard,
})

var (
	errKeyCount = resp.Error("ERR numkeys should be greater than 0")
	errTooFew   = resp.Error("ERR Number of keys can't be greater than number of args")
	errLimit    = resp.Error("ERR LIMIT can't be negative")
)

func sintercard(tx *keyspace.Tx, a *command.Args) resp.Reply {
	keys := readKeys(a)
	limit := int64(0)
	for a.More() {
		if !a.OptionWith("LIMIT", 1) {
			a.Syntax()
		}
		limit = a.IntIn(0, math.MaxInt64, errLimit)
	}
	if a.Bad() {
		return a.Err()
	}
	sets, ok := lookupAll(tx, keys)
	if !ok {
		return resp.ErrWrongType
	}
	n := int64(0)
	intersect(sets, func([]byte) bool {
		n++
		return n != limit
	})
	return resp.Int(n)
}

// readKeys reads a number of keys and so many of them.
func readKeys(a *command.Args) (keys [][]byte) {
	n := a.IntIn(1, math.MaxInt64, errKeyCount)
	if n > int64(a.Len()) {
		a.Fail(errTooFew)
	}
	for int64(len(keys)) < n && !a.Bad() {
		keys = append(keys, a.Key())
	}
	return keys
}
