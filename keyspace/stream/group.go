package stream

import (
	"slices"
	"strings"
	"unsafe"
)

// group is a consumer group: how far it has read, and what was delivered to
// whom and is not yet acknowledged.
type group struct {
	name      string
	last      ID    // of the last entry that was delivered
	read      int64 // entries that came before it or are it; unknown if so
	pending   ordered[delivery]
	consumers []*consumer // by their names
	come      mark        // where reading goes on
	numbered  []*consumer // by the numbers that deliveries have; nil for one that is gone
}

// unknown is the count of entries of a group that does not know it.
const unknown = -1

// consumer is one of a group's.
type consumer struct {
	name    string
	number  uint32
	seen    int64 // when it last did something, Unix milliseconds
	pending ordered[ID]
}

// delivery is an entry that was delivered and not acknowledged.
type delivery struct {
	id       ID
	when     int64 // Unix milliseconds
	count    uint64
	consumer uint32 // its number
}

// key implements keyed.
func (d delivery) key() ID { return d.id }

// group is the stream's group of a name, nil if there is none.
func (s *stream) group(name []byte) *group {
	if at, found := s.seekGroup(name); found {
		return s.groups[at]
	}
	return nil
}

func (s *stream) seekGroup(name []byte) (at int, found bool) {
	return slices.BinarySearchFunc(s.groups, name, func(g *group, name []byte) int { return compareName(g.name, name) })
}

// addGroup makes a group, unless there is one of that name.
func (s *stream) addGroup(name []byte, last ID, read int64) (g *group, added bool) {
	at, found := s.seekGroup(name)
	if found {
		return s.groups[at], false
	}
	g = &group{name: string(name), last: last, read: read}
	s.groups = slices.Insert(s.groups, at, g)
	return g, true
}

// removeGroup removes a group and reports whether it was there.
func (s *stream) removeGroup(name []byte) bool {
	at, found := s.seekGroup(name)
	if found {
		s.groups = slices.Delete(s.groups, at, at+1)
	}
	return found
}

// compareName compares a name with a word, which is not copied for that.
func compareName(name string, word []byte) int {
	return strings.Compare(name, unsafe.String(unsafe.SliceData(word), len(word)))
}

func (g *group) seekConsumer(name []byte) (at int, found bool) {
	return slices.BinarySearchFunc(g.consumers, name, func(c *consumer, name []byte) int { return compareName(c.name, name) })
}

// consumer is the group's consumer of a name, nil if there is none.
func (g *group) consumer(name []byte) *consumer {
	if at, found := g.seekConsumer(name); found {
		return g.consumers[at]
	}
	return nil
}

// addConsumer makes a consumer, unless there is one of that name.
func (g *group) addConsumer(name []byte, now int64) (c *consumer, added bool) {
	at, found := g.seekConsumer(name)
	if found {
		return g.consumers[at], false
	}
	c = &consumer{name: string(name), seen: now}
	free := slices.Index(g.numbered, nil)
	if free < 0 {
		free = len(g.numbered)
		g.numbered = append(g.numbered, nil)
	}
	c.number = uint32(free)
	g.numbered[free] = c
	g.consumers = slices.Insert(g.consumers, at, c)
	return c, true
}

// removeConsumer removes a consumer with all that was delivered to it, and
// returns how many entries these are.
func (g *group) removeConsumer(name []byte) (pending int) {
	at, found := g.seekConsumer(name)
	if !found {
		return 0
	}
	c := g.consumers[at]
	c.pending.from(ID{}, func(id *ID) bool {
		g.pending.remove(*id)
		return true
	})
	g.numbered[c.number] = nil
	g.consumers = slices.Delete(g.consumers, at, at+1)
	return c.pending.length
}

// owner is the consumer of a delivery.
func (g *group) owner(d *delivery) *consumer { return g.numbered[d.consumer] }

// deliver notes that an entry was delivered to a consumer, for the first time
// or as if so.
func (g *group) deliver(id ID, c *consumer, now int64) {
	if g.pending.length == 0 || g.pending.last().id.less(id) {
		g.pending.insert(delivery{id, now, 1, c.number})
		c.pending.insert(id)
		return
	}
	if d := g.pending.edit(id); d != nil {
		g.give(d, c)
		d.when, d.count = now, 1
		return
	}
	g.pending.insert(delivery{id, now, 1, c.number})
	c.pending.insert(id)
}

// give makes a delivery, which may be changed, another consumer's.
func (g *group) give(d *delivery, c *consumer) {
	if d.consumer == c.number {
		return
	}
	g.owner(d).pending.remove(d.id)
	c.pending.insert(d.id)
	d.consumer = c.number
}

// acknowledge forgets the delivery of an entry, and reports whether there was
// one.
func (g *group) acknowledge(id ID) bool {
	d, found := g.pending.remove(id)
	if found {
		g.owner(&d).pending.remove(id)
	}
	return found
}

// clone is an independent copy.
func (g *group) clone() *group {
	c := &group{name: g.name, last: g.last, read: g.read, pending: g.pending.clone()}
	c.numbered = make([]*consumer, len(g.numbered))
	for _, from := range g.consumers {
		to := &consumer{name: from.name, number: from.number, seen: from.seen, pending: from.pending.clone()}
		c.consumers = append(c.consumers, to)
		c.numbered[to.number] = to
	}
	return c
}

// bytes is the memory that the group takes.
func (g *group) bytes() int64 {
	n := int64(unsafe.Sizeof(*g)) + int64(len(g.name)) + g.pending.bytes() + int64(cap(g.consumers)+cap(g.numbered))*8
	for _, c := range g.consumers {
		n += int64(unsafe.Sizeof(*c)) + int64(len(c.name)) + c.pending.bytes()
	}
	return n
}

// advance notes that the group has read up to an entry that is there.
func (s *stream) advance(g *group, id ID) {
	if !g.last.less(id) {
		return
	}
	if g.read != unknown && !s.deletedFrom(id) {
		g.read++
	} else if s.added > 0 {
		g.read = s.countTo(id)
	}
	g.last = id
}

// deletedFrom reports whether an entry was deleted at an ID or after it, by
// itself, and not before the first one that is left: what is trimmed away does
// not count.
func (s *stream) deletedFrom(id ID) bool {
	return s.length > 0 && s.tomb != ID{} && !s.tomb.less(s.first) && !s.tomb.less(id)
}

// countTo is how many entries there have ever been up to an ID, or unknown.
func (s *stream) countTo(id ID) int64 {
	switch c := id.compare(s.last); {
	case s.added == 0:
		return 0
	case s.length == 0 && c < 1:
		return int64(s.added)
	case c == 0:
		return int64(s.added)
	case c > 0:
		return unknown
	}
	if s.tomb == (ID{}) || s.tomb.less(s.first) {
		switch c := id.compare(s.first); {
		case c < 0:
			return int64(s.added) - int64(s.length)
		case c == 0:
			return int64(s.added) - int64(s.length) + 1
		}
	}
	return unknown
}

// lag is how many entries the group has not read, or unknown.
func (s *stream) lag(g *group) (n int64, known bool) {
	switch {
	case s.added == 0:
		return 0, true
	case g.read != unknown && !s.deletedFrom(g.last):
		return int64(s.added) - g.read, true
	}
	if read := s.countTo(g.last); read != unknown {
		return int64(s.added) - read, true
	}
	return 0, false
}
