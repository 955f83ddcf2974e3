package stream

import (
	"slices"

	"github.com/troupedb/troupe/keyspace"
)

// frozenGroup is a group as it was. Its pieces are the group's too.
type frozenGroup struct {
	head      keyspace.StreamGroupHead
	pending   []piece[delivery]
	at        []int // of the consumers, by their numbers
	consumers []frozenConsumer
	told      [2]bool // the head, and how many consumers there are
}

type frozenConsumer struct {
	head    keyspace.StreamConsumerHead
	pending []piece[ID]
	told    bool // the head
}

func (g *group) freeze() frozenGroup {
	f := frozenGroup{
		head:      keyspace.StreamGroupHead{Name: []byte(g.name), Last: keyspace.StreamID(g.last), Read: g.read, Pending: g.pending.length},
		pending:   g.pending.share(),
		at:        make([]int, len(g.numbered)),
		consumers: make([]frozenConsumer, len(g.consumers)),
	}
	for i, c := range g.consumers {
		f.at[c.number] = i
		f.consumers[i] = frozenConsumer{
			head:    keyspace.StreamConsumerHead{StreamConsumer: keyspace.StreamConsumer{Name: []byte(c.name), Seen: c.seen}, Pending: c.pending.length},
			pending: c.pending.share(),
		}
	}
	return f
}

// groupWalk is the groups that the walk has yet to show: what was shown is taken
// off in front.
type groupWalk struct {
	groups     []frozenGroup
	deliveries []keyspace.StreamDelivery // for the part being shown
	owned      []keyspace.StreamID
}

// next is the next part of the first group, which there is, and the effort that
// it takes.
func (w *groupWalk) next() (part keyspace.StreamPart, took int) {
	g := &w.groups[0]
	switch {
	case !g.told[0]:
		g.told[0] = true
		return g.head, 1
	case len(g.pending) > 0:
		return w.nextDeliveries(g)
	case !g.told[1]:
		g.told[1] = true
		n := len(g.consumers)
		w.shorten()
		return keyspace.StreamConsumers(n), 1
	}
	part, took = w.nextOfConsumer(&g.consumers[0])
	w.shorten()
	return part, took
}

// shorten takes off what has been shown whole.
func (w *groupWalk) shorten() {
	g := &w.groups[0]
	for len(g.consumers) > 0 && g.consumers[0].told && len(g.consumers[0].pending) == 0 {
		g.consumers[0] = frozenConsumer{}
		g.consumers = g.consumers[1:]
	}
	if len(g.consumers) == 0 {
		w.groups[0] = frozenGroup{}
		w.groups = w.groups[1:]
	}
}

// nextDeliveries are those of the group's first piece.
func (w *groupWalk) nextDeliveries(g *frozenGroup) (part keyspace.StreamDeliveries, took int) {
	w.deliveries = w.deliveries[:0]
	for _, d := range g.pending[0].things {
		w.deliveries = append(w.deliveries, keyspace.StreamDelivery{ID: keyspace.StreamID(d.id), When: d.when, Count: d.count, Consumer: g.at[d.consumer]})
	}
	g.pending[0] = piece[delivery]{}
	g.pending = g.pending[1:]
	return w.deliveries, len(w.deliveries)
}

// nextOfConsumer is the consumer's head, and then the IDs of its first piece.
func (w *groupWalk) nextOfConsumer(c *frozenConsumer) (part keyspace.StreamPart, took int) {
	if !c.told {
		c.told = true
		return c.head, 1
	}
	w.owned = w.owned[:0]
	for _, id := range c.pending[0].things {
		w.owned = append(w.owned, keyspace.StreamID(id))
	}
	c.pending[0] = piece[ID]{}
	c.pending = c.pending[1:]
	return keyspace.StreamOwned(w.owned), len(w.owned)
}

// share returns the pieces, which are not changed any more: see own.
func (o *ordered[T]) share() []piece[T] {
	for i := range o.pieces {
		o.pieces[i].shared = true
	}
	return slices.Clone(o.pieces)
}

// own makes a piece one that may be changed where it is.
func (o *ordered[T]) own(i int) {
	p := &o.pieces[i]
	if !p.shared {
		return
	}
	room := cap(p.things)
	o.room -= room
	p.things, p.shared = append(o.newPiece(room), p.things...), false
}

// edit is get for one who changes the thing.
func (o *ordered[T]) edit(id ID) *T {
	s, found := o.seek(id)
	if !found {
		return nil
	}
	o.own(s.piece)
	return &o.pieces[s.piece].things[s.at]
}
