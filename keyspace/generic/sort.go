package generic

import (
	"bytes"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// sortCategories are Redis's, which do not count SORT among the commands on
// keys.
var sortCategories = []string{"-keyspace", "set", "sortedset", "list", "dangerous"}

// The keys of SORT: that of the value, those that BY and GET reach, and that of
// STORE.
var (
	sortedKey  = command.Keys{First: 1, Flags: command.RO | command.Access}
	reachedKey = command.Keys{Search: command.Nowhere, Flags: command.RO | command.Access}
	storedKey  = command.Keys{Search: func(argv [][]byte) int { _, at := scanSort(argv); return at }, Flags: command.OW | command.Update}
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name:   "SORT",
		Syntax: "key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC] [ALPHA] [STORE destination]",
		Arity:  -2, Complexity: "O(n log n) for n elements",
		Summary: "Lists the elements of a list, set or sorted set in order, or what is kept for each elsewhere, or stores that as a list.",
		Group:   "generic", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Heavy, Categories: sortCategories,
		Keys: []command.Keys{sortedKey, reachedKey, storedKey}, Reaches: sortReaches,
		Examples: "> RPUSH l 3 20 1\n:3\n" +
			"> SORT l\n[\"1\", \"3\", \"20\"]\n" +
			"> SORT l ALPHA DESC LIMIT 0 2\n[\"3\", \"20\"]\n" +
			"> MSET weight_1 5 weight_3 9 weight_20 7 name_1 one name_3 three\n+OK\n" +
			"> SORT l BY weight_* GET # GET name_*\n[\"1\", \"one\", \"20\", _, \"3\", \"three\"]\n" +
			"> SORT l BY nosort STORE copy\n:3\n" +
			"> LRANGE copy 0 -1\n[\"3\", \"20\", \"1\"]\n" +
			"> RPUSH l four\n:4\n" +
			"> SORT l\n-ERR One or more scores can't be converted into double\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return sort(tx, a, true) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name:   "SORT_RO",
		Syntax: "key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC] [ALPHA]",
		Arity:  -2, Complexity: "O(n log n) for n elements",
		Summary: "Lists the elements of a list, set or sorted set in order, or what is kept for each elsewhere.",
		Group:   "generic", Since: "0.1.0", Flags: command.ReadOnly | command.Heavy, Categories: sortCategories,
		Keys: []command.Keys{sortedKey, reachedKey}, Reaches: sortReaches,
		Examples: "> RPUSH l 3 20 1\n:3\n" +
			"> SORT_RO l DESC\n[\"20\", \"3\", \"1\"]\n" +
			"> SORT_RO l STORE k\n-ERR syntax error\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return sort(tx, a, false) },
})

// scanSort goes through the words of a SORT before it is run: whether it
// reaches keys that are not among them, and where the destination is, 0 for
// nowhere. The last STORE counts.
func scanSort(argv [][]byte) (reaches bool, store int) {
	for i := 2; i+1 < len(argv); i++ {
		switch word := argv[i]; {
		case command.EqualFold(word, "LIMIT"):
			i += 2
		case command.EqualFold(word, "BY"), command.EqualFold(word, "GET"):
			i++
			reaches = reaches || hasStar(argv[i])
		case command.EqualFold(word, "STORE"):
			i++
			store = i
		}
	}
	return reaches, store
}

func sortReaches(argv [][]byte) bool { reaches, _ := scanSort(argv); return reaches }

// sorting is what a SORT is asked for.
type sorting struct {
	asIs          bool // in the order in which the elements are kept: BY a pattern without a star
	by            *reference
	gets          []*reference
	offset, count int64 // of the answer; a negative count is for all
	desc, alpha   bool
	store         []byte
	stores        bool
}

func parseSort(tx *keyspace.Tx, a *command.Args, mayStore bool) sorting {
	o := sorting{count: -1}
	for a.More() {
		switch {
		case a.Option("ASC"):
			o.desc = false
		case a.Option("DESC"):
			o.desc = true
		case a.Option("ALPHA"):
			o.alpha = true
		case a.OptionWith("LIMIT", 2):
			o.offset, o.count = a.Int(), a.Int()
		case mayStore && a.OptionWith("STORE", 1):
			o.store, o.stores = a.Key(), true
		case a.OptionWith("BY", 1):
			o.by = parseReference(a.Bytes())
			o.asIs = o.asIs || !o.by.reaches
			if o.by.reaches && !readsAll(tx, a) {
				a.Fail(errSortBy)
			}
		case a.OptionWith("GET", 1):
			o.gets = append(o.gets, parseReference(a.Bytes()))
			if !readsAll(tx, a) {
				a.Fail(errSortGet)
			}
		default:
			a.Syntax()
		}
	}
	return o
}

// window is which of n elements are the answer: those from first up to, and
// without, end.
func (o *sorting) window(n int) (first, end int) {
	first = int(min(max(o.offset, 0), int64(n)))
	if o.count < 0 || o.count > int64(n-first) {
		return first, n
	}
	return first, first + int(o.count)
}

// sorted are the types of value that can be sorted.
func canSort(t keyspace.Type) bool {
	return t == keyspace.List || t == keyspace.Set || t == keyspace.SortedSet
}

func sort(tx *keyspace.Tx, a *command.Args, mayStore bool) resp.Reply {
	key, o := a.Key(), parseSort(tx, a, mayStore)
	if a.Bad() {
		return a.Err()
	}
	v := tx.Lookup(key)
	if !v.Missing() && !canSort(v.Type()) {
		return resp.ErrWrongType
	}
	if o.asIs && v.Is(keyspace.Set) && o.stores {
		o.asIs, o.alpha, o.by = false, true, nil // so that what is stored does not depend on how the set is kept
	}
	s := sorter{tx: tx, sorting: &o}
	if !v.Missing() {
		s.load(v)
	}
	switch {
	case !o.asIs && !s.order():
		return errScores
	case s.isTooMuch():
		return resp.ErrOutOfRange
	case o.stores:
		return s.keep()
	}
	return s.answer()
}

var (
	errScores  = resp.Error("ERR One or more scores can't be converted into double")
	errSortBy  = resp.Error("ERR BY option of SORT denied due to insufficient ACL permissions.")
	errSortGet = resp.Error("ERR GET option of SORT denied due to insufficient ACL permissions.")
)

// readsAll reports whether whoever asks may read every key, as BY and GET let him:
// who knows nothing of rights may.
func readsAll(tx *keyspace.Tx, a *command.Args) bool {
	asking, hasRights := tx.Caller.(interface {
		ReadsAll(meta *command.Meta, argv [][]byte) bool
	})
	return !hasRights || asking.ReadsAll(a.Meta(), a.Argv())
}

// hasStar reports whether a pattern of BY or GET has a place for the element.
func hasStar(pattern []byte) bool { return bytes.IndexByte(pattern, '*') >= 0 }
