package list

import (
	"math"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LMPOP", Syntax: "numkeys key [key ...] <LEFT | RIGHT> [COUNT count]", Arity: -4,
		Complexity: "O(n+m) for n keys and m elements",
		Summary:    "Takes an element away, or so many, at an end of the first list there is of several, and returns its key and them.",
		Group:      "list", Since: "0.1.0", Flags: command.Write,
		Keys: []command.Keys{{First: 1, Counted: true, Flags: command.RW | command.Access | command.Delete}},
		Examples: "> RPUSH l a b c\n:3\n" +
			"> LMPOP 2 nokey l LEFT\n[\"l\", [\"a\"]]\n" +
			"> LMPOP 1 l RIGHT COUNT 5\n[\"l\", [\"c\", \"b\"]]\n" +
			"> LMPOP 1 l RIGHT\n_\n" +
			"> LMPOP 0 l RIGHT\n-ERR numkeys should be greater than 0\n",
	},
	Run: lmpop,
})

// The answers to numbers that LMPOP can't use.
var (
	errNumKeys  = resp.Error("ERR numkeys should be greater than 0")
	errPopCount = resp.Error("ERR count should be greater than 0")
)

// manyPop is what LMPOP takes: at most so many elements at an end of the first
// of the keys that is there.
type manyPop struct {
	keys  [][]byte
	at    side
	count int64
}

func readManyPop(a *command.Args) manyPop {
	n := a.IntIn(1, math.MaxInt64, errNumKeys)
	if n >= int64(a.Len()) {
		a.Syntax()
	}
	if a.Bad() {
		return manyPop{}
	}
	p := manyPop{keys: readWords(a, int(n)), at: readSide(a), count: 1}
	if a.OptionWith("COUNT", 1) {
		p.count = a.IntIn(1, math.MaxInt64, errPopCount)
	}
	a.End()
	return p
}

func lmpop(tx *keyspace.Tx, a *command.Args) resp.Reply {
	p := readManyPop(a)
	if a.Bad() {
		return a.Err()
	}
	var e edit
	key, mistake := firstList(tx, p.keys, &e)
	switch {
	case mistake.IsError():
		return mistake
	case key == nil:
		return resp.NilArray
	}
	return p.take(key, &e)
}

// firstList begins to change the first list there is among the keys. If there
// is none, key is nil; if another type comes first, that is the mistake.
func firstList(tx *keyspace.Tx, keys [][]byte, e *edit) (key []byte, mistake resp.Reply) {
	for _, key := range keys {
		switch {
		case !e.open(tx, key):
			return nil, resp.ErrWrongType
		case !e.v.Missing():
			return key, resp.Nothing
		}
	}
	return nil, resp.Nothing
}

// take takes the elements from a list that has one, and answers its key and
// them.
func (p *manyPop) take(key []byte, e *edit) resp.Reply {
	n := min(p.count, int64(e.len()))
	items := e.pop(n, p.at)
	var digits [20]byte
	e.tx.Effect(p.at.pop(), key, strconv.AppendInt(digits[:0], n, 10))
	return resp.Array(resp.Bulk(key), items)
}

// readWords reads the next n words, which there are.
func readWords(a *command.Args, n int) [][]byte {
	rest := a.Argv()[len(a.Argv())-a.Len():]
	for range n {
		a.Bytes()
	}
	return rest[:n]
}
