package zset

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/troupedb/troupe/keyspace"
)

// Member is one member of a sorted set. Its text may lie in the slab.
type Member struct {
	Text  []byte
	Score float64
}

// compare is the order of a sorted set.
func (m Member) compare(other Member) int {
	if m.Score != other.Score {
		return cmp.Compare(m.Score, other.Score)
	}
	return bytes.Compare(m.Text, other.Text)
}

// Store makes key a sorted set of these members, which it puts in order; no
// two have the same text. Whatever the key held before goes, with its time to
// live; the texts may be of that. Of no members becomes no key. event is what
// keyspace notifications call the change.
func Store(tx *keyspace.Tx, key []byte, members []Member, event string) {
	if len(members) == 0 {
		tx.Delete(key, "del")
		return
	}
	slices.SortFunc(members, Member.compare)
	store(tx, key, members, put{keyspace.NoDeadline, event})
}

// put is how a key's new value is put: see keyspace.Tx.PutPacked.
type put struct {
	deadline int64
	event    string
}

// store is Store for members in their order, of which there are some.
func store(tx *keyspace.Tx, key []byte, members []Member, p put) {
	if canPack(tx, members) {
		b := packed(tx.Scratch())
		for _, m := range members {
			b = b.append(m.Text, m.Score)
		}
		tx.PutPacked(key, form(b), p.deadline, p.event)
		tx.KeepScratch(b)
		return
	}
	l := newLarge(tx.MemOf(key), tx.NewSeed(key))
	for _, m := range members {
		l.append(m.Text, m.Score)
	}
	tx.PutObject(key, l, p.deadline, p.event)
}

// canPack reports whether members are few and short enough to be packed.
func canPack(tx *keyspace.Tx, members []Member) bool {
	if len(members) > tx.Settings.SortedSetPackedEntries {
		return false
	}
	total := 0
	for _, m := range members {
		if len(m.Text) > tx.Settings.SortedSetPackedValue {
			return false
		}
		total += len(m.Text)
	}
	return total < packedMax
}
