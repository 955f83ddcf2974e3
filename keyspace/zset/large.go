package zset

import (
	"encoding/binary"
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/keyspace/rank"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/resp"
)

// large is a sorted set in its large form, a keyspace.Object: the members are
// texts of a Dict, with their scores as payloads, and elements of an order.
type large struct {
	members *dict.Dict
	order   *rank.Tree
}

// newLarge makes an empty sorted set with its members in mem. No two should
// have the same seed: see keyspace.Tx.NewSeed.
func newLarge(mem *slab.Heap, seed uint64) *large {
	l := &large{members: dict.New(mem, seed, dict.Eight)}
	l.order = rank.New(mem, l.text)
	return l
}

func (l *large) text(r slab.Ref) []byte { return l.members.TextAt(r) }

// Type implements keyspace.Object.
func (l *large) Type() keyspace.Type { return keyspace.SortedSet }

// Encoding implements keyspace.Object.
func (l *large) Encoding() keyspace.Encoding { return keyspace.Skiplist }

// Len implements keyspace.Object.
func (l *large) Len() int { return l.members.Len() }

// Bytes implements keyspace.Object.
func (l *large) Bytes() int64 { return l.members.Bytes() + l.order.Bytes() }

// Free implements keyspace.Object.
func (l *large) Free(mem *slab.Heap, effort int) (done bool) {
	before := mem.Effort()
	return l.order.Free(effort) && l.members.Free(max(0, effort-int(mem.Effort()-before)))
}

// Copy implements keyspace.Object.
func (l *large) Copy(_, mem *slab.Heap) keyspace.Object {
	c := newLarge(mem, l.members.NewSeed())
	l.each(0, l.Len(), func(member []byte, score float64) bool {
		c.append(member, score)
		return true
	})
	return c
}

// scoreOf is the score of a member.
func scoreOf(e *dict.Element) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(e.Payload))
}

func bytesOf(score float64) (b [8]byte) {
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(score))
	return b
}

// get is the score of a member.
func (l *large) get(member []byte) (score float64, found bool) {
	e, found := l.members.Find(member)
	if !found {
		return 0, false
	}
	return scoreOf(&e), true
}

// append puts in a member that comes after all others.
func (l *large) append(member []byte, score float64) {
	b := bytesOf(score)
	l.order.Append(score, l.members.Insert(member, b[:]))
}

// put gives a member its score, unless it is there: then added is false, and
// the element is its.
func (l *large) put(member []byte, score float64) (e dict.Element, added bool) {
	b := bytesOf(score)
	e, added = l.members.Add(member, b[:])
	if added {
		l.order.Insert(score, e.Ref)
	}
	return e, added
}

// change gives a member that is there another score.
func (l *large) change(e *dict.Element, score float64) {
	l.order.RemoveAt(l.order.Rank(rank.Before(scoreOf(e), e.Text)))
	l.members.Keep(*e)
	binary.LittleEndian.PutUint64(e.Payload, math.Float64bits(score))
	l.order.Insert(score, e.Ref)
}

// remove takes a member out and reports whether it was there.
func (l *large) remove(member []byte) bool {
	e, found := l.members.Find(member)
	if found {
		l.order.RemoveAt(l.order.Rank(rank.Before(scoreOf(&e), e.Text)))
		l.members.Remove(e)
	}
	return found
}

// cut takes out the members of the ranks from first up to, and without, end.
func (l *large) cut(first, end int) {
	for ; end > first; end-- {
		_, r := l.order.RemoveAt(first)
		l.members.Remove(l.members.At(r))
	}
}

// each calls visit for the members of the ranks from first up to, and without,
// end, until it returns false.
func (l *large) each(first, end int, visit visitor) {
	for first < end {
		run := l.order.RunFrom(first, end-first)
		first += run.Len()
		for i := range run.Len() {
			if score, r := run.At(i); !visit(l.text(r), score) {
				return
			}
		}
	}
}

// eachBack is each from the last one back.
func (l *large) eachBack(first, end int, visit visitor) {
	for first < end {
		run := l.order.RunTo(end-1, end-first)
		end -= run.Len()
		for i := run.Len() - 1; i >= 0; i-- {
			if score, r := run.At(i); !visit(l.text(r), score) {
				return
			}
		}
	}
}

// appendBulks appends the members of a range of ranks to the texts of a
// resp.Bulks: each without a visitor, for the range that is asked for most.
func (l *large) appendBulks(texts []byte, first, end int) []byte {
	for first < end {
		run := l.order.RunFrom(first, end-first)
		first += run.Len()
		for i := range run.Len() {
			_, r := run.At(i)
			texts = resp.AppendBulk(texts, l.text(r))
		}
	}
	return texts
}
