package rdb

import "github.com/troupedb/troupe/keyspace"

// StreamWriter writes a stream that comes in parts.
type StreamWriter struct{ node streamNode }

// BeginStream writes a key and the begin of a stream of so many runs of entries,
// each of which becomes a listpack. The parts, in their order, are written by
// StreamWriter.Append, and nothing else before the last one.
func (e *Encoder) BeginStream(m Meta, key []byte, runs int) StreamWriter {
	e.begin(m, Stream2, key)
	e.Length(uint64(runs))
	return StreamWriter{}
}

// Append writes the next part to e, which may be another Encoder than that of
// the parts before, if its bytes follow theirs.
func (w *StreamWriter) Append(e *Encoder, part keyspace.StreamPart) {
	switch p := part.(type) {
	case keyspace.StreamRun:
		for id, fields := range p.Entries {
			w.node.add(id, fields)
		}
		e.node(&w.node)
	case keyspace.StreamHead:
		e.Length(p.Length)
		e.id(p.Last)
		e.id(p.First)
		e.id(p.Deleted)
		e.Length(p.Added)
		e.Length(uint64(p.Groups))
	case keyspace.StreamGroupHead:
		e.Text(p.Name)
		e.id(p.Last)
		e.Length(uint64(p.Read))
		e.Length(uint64(p.Pending))
	case keyspace.StreamDeliveries:
		for i := range p {
			e.delivery(&p[i])
		}
	case keyspace.StreamConsumers:
		e.Length(uint64(p))
	case keyspace.StreamConsumerHead:
		e.Text(p.Name)
		e.millis(uint64(p.Seen))
		e.Length(uint64(p.Pending))
	case keyspace.StreamOwned:
		for _, id := range p {
			e.out = appendID(e.out, id)
		}
	}
	e.mayFlush()
}

func (e *Encoder) delivery(d *keyspace.StreamDelivery) {
	e.out = appendID(e.out, d.ID)
	e.millis(uint64(d.When))
	e.Length(d.Count)
}
