package zset

import (
	"cmp"
	"slices"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// source is an input of ZUNION and its relatives: a sorted set, or a set, whose
// members then have the score 1.
type source struct {
	weight  float64
	n       int // members
	members Members
	set     keyspace.Value
	kind    *keyspace.Kind // of a set, nil for a sorted set
	text    []byte         // a copy of a set's member
}

// readSources finds the inputs, each with the weight 1.
func readSources(tx *keyspace.Tx, a *command.Args) []source {
	n := a.Int()
	switch {
	case a.Bad():
		return nil
	case n < 1:
		a.Fail(resp.Error("ERR at least 1 input key is needed for '" + a.Meta().Lower() + "' command"))
		return nil
	case n > int64(a.Len()):
		a.Syntax()
		return nil
	}
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = a.Key()
		// A key past its deadline goes now, which makes void what was found
		// before it: so all of them are looked at first.
		if v := tx.Lookup(keys[i]); !v.Missing() && !v.Is(keyspace.SortedSet) && !v.Is(keyspace.Set) {
			a.Fail(resp.ErrWrongType)
			return nil
		}
	}
	sources := make([]source, n)
	for i, key := range keys {
		sources[i] = sourceOf(tx, tx.Peek(key))
	}
	return sources
}

func sourceOf(tx *keyspace.Tx, v keyspace.Value) source {
	if v.Is(keyspace.Set) {
		kind := tx.Kind(keyspace.Set)
		return source{weight: 1, n: kind.Len(v), set: v, kind: kind}
	}
	m := membersOf(v)
	return source{weight: 1, n: m.Len(), members: m}
}

// each calls visit for every member until it returns false. The text of a
// set's member is good until the next one.
func (s *source) each(tx *keyspace.Tx, visit visitor) {
	if s.kind == nil {
		s.members.Each(0, s.n, visit)
		return
	}
	s.kind.Each(tx, s.set, func(e keyspace.Element) bool {
		s.text = append(s.text[:0], e.Text...)
		return visit(s.text, 1)
	})
}

// find looks for a member.
func (s *source) find(tx *keyspace.Tx, text []byte) (score float64, found bool) {
	if s.kind == nil {
		return s.members.Score(text)
	}
	_, found = s.kind.Find(tx, s.set, text)
	return 1, found
}

// sortSources puts the small ones first, which is the least work, and the
// order in which Redis adds up.
func sortSources(sources []source) {
	slices.SortStableFunc(sources, func(x, y source) int { return cmp.Compare(x.n, y.n) })
}
