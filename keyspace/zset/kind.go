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
	// A large sorted set is made first, which notices a member that comes
	// twice, and of that a packed one if it is small.
	Put: func(tx *keyspace.Tx, key []byte, elements iter.Seq[keyspace.Element], deadline int64, event string) resp.Reply {
		b := builder{l: newLarge(tx.MemOf(key), tx.NewSeed(key))}
		for e := range elements {
			if !b.add(e) {
				b.free(tx, key)
				return errElements
			}
		}
		b.finish()
		b.put(tx, key, put{deadline, event})
		return resp.Nothing
	},
	Freeze: freeze,
}

// errElements is the answer to elements that are no sorted set.
var errElements = resp.Error("ERR Bad data format")

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

// put makes key what has been built.
func (b *builder) put(tx *keyspace.Tx, key []byte, p put) {
	switch members := b.members(tx); {
	case len(b.order) == 0:
		b.free(tx, key)
		tx.Delete(key, "del")
	case members != nil:
		store(tx, key, members, p)
		b.free(tx, key)
	default:
		tx.PutObject(key, b.l, p.deadline, p.event)
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
func (b *builder) free(tx *keyspace.Tx, key []byte) { b.l.Free(tx.MemOf(key), math.MaxInt) }
