package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rank"
)

// Members is a sorted set as a command reads it, in whichever form. It is good
// until the next change of any key. The zero Members is that of a missing key,
// and empty.
type Members struct {
	packed packed
	large  *large
}

// membersOf are those of a Value that is a sorted set or missing.
func membersOf(v keyspace.Value) Members {
	switch {
	case v.Missing():
		return Members{}
	case v.IsObject():
		return Members{large: v.Object().(*large)}
	}
	return Members{packed: v.Packed()}
}

// Lookup finds the sorted set of a reading command. If ok is false, the key
// holds something else.
func Lookup(tx *keyspace.Tx, key []byte) (m Members, ok bool) {
	v := tx.Lookup(key)
	if !v.Missing() && !v.Is(keyspace.SortedSet) {
		return Members{}, false
	}
	return membersOf(v), true
}

// Len is the number of members.
func (m *Members) Len() int {
	if m.large != nil {
		return m.large.Len()
	}
	return m.packed.len()
}

// Score is the score of a member.
func (m *Members) Score(member []byte) (score float64, found bool) {
	if m.large != nil {
		return m.large.get(member)
	}
	found1, _, found := m.packed.find(member)
	return found1.score, found
}

// RankOf is the rank of a member, and its score.
func (m *Members) RankOf(member []byte) (at int, score float64, found bool) {
	if m.large == nil {
		it, at, found := m.packed.find(member)
		return at, it.score, found
	}
	score, found = m.large.get(member)
	if found {
		at = m.large.order.Rank(rank.Before(score, member))
	}
	return at, score, found
}

// Rank is the number of members that lie before a bound.
func (m *Members) Rank(b rank.Bound) int {
	if m.large != nil {
		return m.large.order.Rank(b)
	}
	before, _ := m.packed.place(b)
	return before
}

// Each calls visit for the members of the ranks from first up to, and without,
// end, in their order, until it returns false. visit changes nothing.
func (m *Members) Each(first, end int, visit func(member []byte, score float64) bool) {
	if m.large != nil {
		m.large.each(first, end, visit)
		return
	}
	m.packed.each(first, end, visit)
}

// EachBack is Each from the last one back.
func (m *Members) EachBack(first, end int, visit func(member []byte, score float64) bool) {
	if m.large != nil {
		m.large.eachBack(first, end, visit)
		return
	}
	m.packed.eachBack(first, end, visit)
}
