package zset

import (
	"bytes"
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/resp"
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

// Kind is the sorted set as a type among others.
var Kind = keyspace.Kind{
	Type: keyspace.SortedSet,
	Each: func(_ *keyspace.Tx, v keyspace.Value, visit func(keyspace.Element) bool) {
		m := membersOf(v)
		m.Each(0, m.Len(), func(member []byte, score float64) bool {
			return visit(keyspace.Element{Text: member, Score: score})
		})
	},
	Len: func(v keyspace.Value) int {
		m := membersOf(v)
		return m.Len()
	},
	Find: func(_ *keyspace.Tx, v keyspace.Value, text []byte) (e keyspace.Element, found bool) {
		m := membersOf(v)
		score, found := m.Score(text)
		return keyspace.Element{Text: text, Score: score}, found
	},
	Put: putElements,
}

// errElements is the answer to elements that are no sorted set.
var errElements = resp.Error("ERR Bad data format")

// putElements makes a large sorted set first, which notices a member that comes
// twice, and of that a packed one if it is small.
func putElements(tx *keyspace.Tx, key []byte, elements iter.Seq[keyspace.Element], deadline int64, event string) resp.Reply {
	b := builder{l: newLarge(tx.MemOf(key), tx.NewSeed(key))}
	for e := range elements {
		if !b.add(e) {
			b.free(tx, key)
			return errElements
		}
	}
	b.finish()
	switch members := b.members(tx); {
	case len(b.order) == 0:
		b.free(tx, key)
		tx.Delete(key, "del")
	case members != nil:
		store(tx, key, members, put{deadline, event})
		b.free(tx, key)
	default:
		tx.PutObject(key, b.l, deadline, event)
	}
	return resp.Nothing
}

// builder makes a large sorted set of members in any order.
type builder struct {
	l     *large
	order []ordered
}

type ordered struct {
	score float64
	ref   slab.Ref
}

// add adds a member, unless it can't be one.
func (b *builder) add(e keyspace.Element) (ok bool) {
	if math.IsNaN(e.Score) || TooLong(e.Text) {
		return false
	}
	score := bytesOf(e.Score)
	el, added := b.l.members.Add(e.Text, score[:])
	b.order = append(b.order, ordered{e.Score, el.Ref})
	return added
}

// finish puts the members in order.
func (b *builder) finish() {
	slices.SortFunc(b.order, func(x, y ordered) int {
		if x.score != y.score {
			return cmp.Compare(x.score, y.score)
		}
		return bytes.Compare(b.l.text(x.ref), b.l.text(y.ref))
	})
	for _, o := range b.order {
		b.l.order.Append(o.score, o.ref)
	}
}

// members lists the members if they can be packed.
func (b *builder) members(tx *keyspace.Tx) (list []Member) {
	if len(b.order) > tx.Settings.SortedSetPackedEntries {
		return nil
	}
	b.l.each(0, b.l.Len(), func(member []byte, score float64) bool {
		list = append(list, Member{member, score})
		return true
	})
	if !canPack(tx, list) {
		return nil
	}
	return list
}

// free gives back what has been made. It has no use any more.
func (b *builder) free(tx *keyspace.Tx, key []byte) {
	for mem := tx.MemOf(key); !b.l.Free(mem, 1<<16); {
	}
}
