package generic

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "KEYRANGE", Syntax: "start stop [REV] [PREFIX prefix] [TYPE type] [LIMIT count] [WITHVALUES]", Arity: -3,
		Complexity: "O(n) for n keys in the database, whatever the range is; memory for the keys of the answer only",
		Summary:    "Lists keys in the order of their bytes, from one to another, with the texts of strings if asked. It looks at every key.",
		Group:      "generic", Since: "0.1.0", Flags: command.ReadOnly | command.AllShards | command.Heavy,
		Categories: []string{"dangerous"},
		Examples: "> MSET a:1 one a:2 two a:3 three b:1 four\n+OK\n" +
			"> KEYRANGE [a:2 +\n[\"a:2\", \"a:3\", \"b:1\"]\n" +
			"> KEYRANGE - + PREFIX a: LIMIT 2 WITHVALUES\n[[\"a:1\", \"one\"], [\"a:2\", \"two\"]]\n" +
			"> KEYRANGE (a:2 + PREFIX a: LIMIT 2\n[\"a:3\"]\n" +
			"> KEYRANGE + - REV LIMIT 1\n[\"b:1\"]\n" +
			"> KEYRANGE a b\n-ERR min or max not valid string range item\n",
	},
	Run: keyrange,
})

// errKeyEdge is the answer to what is no end of a range, that of ZRANGE BYLEX.
var errKeyEdge = resp.Error("ERR min or max not valid string range item")

// edge is an end of a range of keys: "[k" includes the key, "(k" does not; "-"
// is before and "+" behind all keys.
type edge struct {
	key   []byte
	open  bool
	where int // of "-" and "+": -1 and 1
}

func readEdge(a *command.Args) edge {
	word := a.Bytes()
	switch {
	case len(word) == 1 && word[0] == '-':
		return edge{where: -1}
	case len(word) == 1 && word[0] == '+':
		return edge{where: 1}
	case len(word) > 0 && (word[0] == '[' || word[0] == '('):
		return edge{key: word[1:], open: word[0] == '('}
	}
	a.Fail(errKeyEdge)
	return edge{}
}

// compare is below 0 for a key before the edge, above 0 for one behind it, 0
// for its own.
func (e *edge) compare(key []byte) int {
	if e.where != 0 {
		return -e.where
	}
	return bytes.Compare(key, e.key)
}

// keysWanted is what KEYRANGE is asked for.
type keysWanted struct {
	low, high  edge
	prefix     []byte
	typ        string // if typed
	typed      bool
	limit      int
	reverse    bool
	withValues bool
}

func parseKeyrange(a *command.Args) keysWanted {
	k := keysWanted{low: readEdge(a), high: readEdge(a), limit: math.MaxInt}
	for a.More() {
		switch {
		case a.Option("REV"):
			k.reverse = true
		case a.Option("WITHVALUES"):
			k.withValues = true
		case a.OptionWith("PREFIX", 1):
			k.prefix = a.Bytes()
		case a.OptionWith("TYPE", 1):
			k.typ, k.typed = command.Lower(a.Bytes()), true
		case a.OptionWith("LIMIT", 1):
			k.limit = int(a.IntIn(0, math.MaxInt, resp.ErrNotPositive))
		default:
			a.Syntax()
		}
	}
	if k.reverse {
		k.low, k.high = k.high, k.low
	}
	return k
}

// wants reports whether a value's key is in the range, and all else as asked. A
// type that does not exist is no mistake, it finds nothing.
func (k *keysWanted) wants(v keyspace.Value) bool {
	key := v.Key()
	low, high := k.low.compare(key), k.high.compare(key)
	switch {
	case low < 0, low == 0 && k.low.open, high > 0, high == 0 && k.high.open:
		return false
	}
	return bytes.HasPrefix(key, k.prefix) && (!k.typed || k.typ == v.Type().String())
}

// order is the order in which keys are listed.
func (k *keysWanted) order(a, b []byte) int {
	if k.reverse {
		return bytes.Compare(b, a)
	}
	return bytes.Compare(a, b)
}

func keyrange(tx *keyspace.Tx, a *command.Args) resp.Reply {
	k := parseKeyrange(a)
	if a.Bad() {
		return a.Err()
	}
	keys := k.find(tx)
	if k.withValues {
		return withTexts(tx, keys)
	}
	items := tx.Items(len(keys))
	for i, key := range keys {
		items[i] = resp.Bulk(key)
	}
	return resp.Array(items...)
}

// find lists the first keys of the range, in order. At most twice as many as
// are asked for are kept meanwhile: once there are so many, they are sorted,
// and what comes behind the last of the first half is no longer looked at.
func (k *keysWanted) find(tx *keyspace.Tx) (keys [][]byte) {
	if k.limit == 0 {
		return nil
	}
	full := false
	tx.Each(func(v keyspace.Value) bool {
		if !k.wants(v) || full && k.order(v.Key(), keys[k.limit-1]) > 0 {
			return true
		}
		keys = append(keys, v.Key())
		if len(keys)/2 >= k.limit {
			slices.SortFunc(keys, k.order)
			keys, full = keys[:k.limit], true
		}
		return true
	})
	slices.SortFunc(keys, k.order)
	return keys[:min(len(keys), k.limit)]
}

// withTexts lists keys with what they hold: the text of a string, null for
// other values.
func withTexts(tx *keyspace.Tx, keys [][]byte) resp.Reply {
	items := tx.Items(2 * len(keys))[:0]
	for _, key := range keys {
		text, v := resp.Nil, tx.Lookup(key)
		switch {
		case !v.Is(keyspace.String):
		case v.Encoding() == keyspace.Int:
			text = resp.BulkString(strconv.FormatInt(v.Int(), 10))
		default:
			text = resp.Bulk(v.Packed())
		}
		items = append(items, resp.Bulk(key), text)
	}
	return resp.Twos(items...)
}
