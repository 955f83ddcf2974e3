package stream

import (
	"iter"
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Kind is the stream as a type among others. It has no elements that other
// commands could treat, but parts.
var Kind = keyspace.Kind{
	Type: keyspace.Stream,
	Each: func(*keyspace.Tx, keyspace.Value, func(keyspace.Element) bool) {},
	Len: func(v keyspace.Value) int {
		s, _ := streamOf(v)
		return s.length
	},
	Put: func(*keyspace.Tx, []byte, iter.Seq[keyspace.Element], int64, string) resp.Reply {
		return errParts
	},
	Parts: func(_ *keyspace.Tx, v keyspace.Value) *keyspace.StreamParts {
		s, _ := streamOf(v)
		return s.parts()
	},
	PutParts: func(tx *keyspace.Tx, key []byte, p *keyspace.StreamParts, deadline int64, event string) resp.Reply {
		s := newStream(tx.MemOf(key))
		if !s.fill(p, limitsOf(tx.Settings)) {
			s.Free(s.mem, math.MaxInt)
			return errParts
		}
		tx.PutObject(key, s, deadline, event)
		return resp.Nothing
	},
	Freeze: freeze,
}

// errParts is the answer to parts that are no stream.
var errParts = resp.Error("ERR Bad data format")

// parts are those of the stream, good until it changes.
func (s *stream) parts() *keyspace.StreamParts {
	p := &keyspace.StreamParts{
		Length: uint64(s.length), Added: s.added,
		Last: keyspace.StreamID(s.last), First: keyspace.StreamID(s.first), Deleted: keyspace.StreamID(s.tomb),
	}
	p.Entries = func(yield func(keyspace.StreamID, [][]byte) bool) {
		var fields [][]byte
		w := s.walk(interval{ID{}, maxID})
		for e, ok := w.next(); ok; e, ok = w.next() {
			fields = fields[:0]
			e.each(func(name, value []byte) { fields = append(fields, name, value) })
			if !yield(keyspace.StreamID(e.id), fields) {
				return
			}
		}
	}
	for _, g := range s.groups {
		p.Groups = append(p.Groups, g.parts())
	}
	return p
}

func (g *group) parts() keyspace.StreamGroup {
	p := keyspace.StreamGroup{Name: []byte(g.name), Last: keyspace.StreamID(g.last), Read: g.read}
	at := make([]int, len(g.numbered))
	for i, c := range g.consumers {
		at[c.number] = i
		p.Consumers = append(p.Consumers, keyspace.StreamConsumer{Name: []byte(c.name), Seen: c.seen})
	}
	g.pending.from(ID{}, func(d *delivery) bool {
		p.Pending = append(p.Pending, keyspace.StreamDelivery{ID: keyspace.StreamID(d.id), When: d.when, Count: d.count, Consumer: at[d.consumer]})
		return true
	})
	return p
}

// fill makes an empty stream one of parts, and reports whether they are a
// stream's.
func (s *stream) fill(p *keyspace.StreamParts, lim limits) (ok bool) {
	for id, fields := range p.Entries {
		if id := ID(id); !s.last.less(id) || sizeOf(fields) > blockMax {
			return false
		}
		s.append(&fresh{id: ID(id), fields: fields}, lim)
	}
	if last := ID(p.Last); last.less(s.last) {
		return false
	}
	s.last, s.tomb, s.added = ID(p.Last), ID(p.Deleted), p.Added
	for i := range p.Groups {
		if !s.fillGroup(&p.Groups[i]) {
			return false
		}
	}
	return true
}

func (s *stream) fillGroup(p *keyspace.StreamGroup) (ok bool) {
	read := p.Read
	if read < unknown {
		read = s.countTo(ID(p.Last))
	}
	g, added := s.addGroup(p.Name, ID(p.Last), read)
	if !added {
		return false
	}
	for _, c := range p.Consumers {
		if _, added := g.addConsumer(c.Name, c.Seen); !added {
			return false
		}
	}
	for _, d := range p.Pending {
		if d.Consumer < 0 || d.Consumer >= len(p.Consumers) {
			return false
		}
		c := g.consumer(p.Consumers[d.Consumer].Name)
		g.pending.insert(delivery{ID(d.ID), d.When, d.Count, c.number})
		c.pending.insert(ID(d.ID))
	}
	return true
}
