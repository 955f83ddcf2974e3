package hll

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "PFCOUNT", Syntax: "key [key ...]", Arity: -2,
		Complexity: "O(1), and O(n) for n keys, with a larger constant: registers are gone over",
		Summary:    "Returns about how many different elements a HyperLogLog has seen, or several together.",
		Group:      "hyperloglog", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: []command.Keys{{First: 1, Last: -1, Flags: command.RW | command.Access}},
		Examples: "> PFADD a x y z\n:1\n" +
			"> PFADD b y z w\n:1\n" +
			"> PFCOUNT a\n:3\n" +
			"> PFCOUNT a b nokey\n:4\n" +
			"> PFCOUNT nokey\n:0\n" +
			"> HSET h f v\n:1\n" +
			"> PFCOUNT h\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: pfcount,
})

func pfcount(tx *keyspace.Tx, a *command.Args) resp.Reply {
	if keys := a.Rest(); len(keys) > 1 {
		return countTogether(tx, keys)
	} else {
		return countOne(tx, keys[0])
	}
}

// countOne counts a sketch and keeps the number in it. That is a change of the
// value, though not one that notifications speak of.
func countOne(tx *keyspace.Tx, key []byte) resp.Reply {
	v := tx.Lookup(key)
	if v.Missing() {
		return resp.Zero
	}
	s, mistake := sketchOf(v)
	if mistake.IsError() {
		return mistake
	}
	n, known := s.counted()
	if known {
		return resp.Int(int64(n))
	}
	n, ok := s.count()
	if !ok {
		return errCorrupt
	}
	s.setCounted(n)
	tx.Touch(v, "")
	tx.Effect([]byte("PFCOUNT"), key)
	return resp.Int(int64(n))
}

func countTogether(tx *keyspace.Tx, keys [][]byte) resp.Reply {
	var u union
	if _, mistake := u.addKeys(tx, keys); mistake.IsError() {
		return mistake
	}
	return resp.Int(int64(u.count()))
}

// addKeys takes in the sketches of keys, those that there are, and tells
// whether one of them is dense.
func (u *union) addKeys(tx *keyspace.Tx, keys [][]byte) (anyDense bool, mistake resp.Reply) {
	for _, key := range keys {
		v := tx.Lookup(key)
		if v.Missing() {
			continue
		}
		s, mistake := sketchOf(v)
		if mistake.IsError() {
			return false, mistake
		}
		if !u.add(s) {
			return false, errCorrupt
		}
		anyDense = anyDense || s.form() == dense
	}
	return anyDense, resp.Nothing
}
