package rdb

import (
	"encoding/binary"

	"github.com/troupedb/troupe/keyspace"
)

const (
	nodeEntries  = 100     // of a listpack of a stream: Redis's stream-node-max-entries
	nodeBytesMax = 4 << 10 // of their texts: its stream-node-max-bytes, about
)

// stream writes a stream in the form of 7.0: see Decoder.Stream.
func (e *Encoder) stream(p *keyspace.StreamParts) {
	e.Length(countNodes(p))
	cut := nodeCutter{}
	var w streamNode
	for id, fields := range p.Entries {
		if cut.add(fields) && len(w.entries) > 0 {
			e.node(&w)
		}
		w.add(id, fields)
	}
	if len(w.entries) > 0 {
		e.node(&w)
	}
	e.Length(p.Length)
	e.id(p.Last)
	e.id(p.First)
	e.id(p.Deleted)
	e.Length(p.Added)
	e.Length(uint64(len(p.Groups)))
	for i := range p.Groups {
		e.group(&p.Groups[i])
	}
}

func (e *Encoder) id(id keyspace.StreamID) {
	e.Length(id.Time)
	e.Length(id.Seq)
}

// appendID appends an ID in 128 bits.
func appendID(dst []byte, id keyspace.StreamID) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, id.Time), id.Seq)
}

// group writes a consumer group.
func (e *Encoder) group(g *keyspace.StreamGroup) {
	e.Text(g.Name)
	e.id(g.Last)
	e.Length(uint64(g.Read))
	e.Length(uint64(len(g.Pending)))
	owned := make([][]keyspace.StreamID, len(g.Consumers))
	for _, p := range g.Pending {
		e.out = appendID(e.out, p.ID)
		e.millis(uint64(p.When))
		e.Length(p.Count)
		owned[p.Consumer] = append(owned[p.Consumer], p.ID)
		e.mayFlush()
	}
	e.Length(uint64(len(g.Consumers)))
	for i, c := range g.Consumers {
		e.Text(c.Name)
		e.millis(uint64(c.Seen))
		e.Length(uint64(len(owned[i])))
		for _, id := range owned[i] {
			e.out = appendID(e.out, id)
		}
		e.mayFlush()
	}
}

// nodeCutter cuts entries into listpacks.
type nodeCutter struct {
	nodes          uint64
	entries, bytes int // of the last one
}

// add says whether an entry begins a listpack.
func (c *nodeCutter) add(fields [][]byte) (begins bool) {
	size := 0
	for _, text := range fields {
		size += len(text)
	}
	if begins = c.nodes == 0 || c.entries == nodeEntries || c.bytes+size > nodeBytesMax; begins {
		c.nodes++
		c.entries, c.bytes = 0, 0
	}
	c.entries++
	c.bytes += size
	return begins
}

func countNodes(p *keyspace.StreamParts) uint64 {
	c := nodeCutter{}
	for _, fields := range p.Entries {
		c.add(fields)
	}
	return c.nodes
}

// streamNode is the entries of a listpack to be. Their texts are the stream's.
type streamNode struct {
	entries []streamEntry
	texts   [][]byte
}

type streamEntry struct {
	id    keyspace.StreamID
	texts int // how many of them are its own
}

func (w *streamNode) add(id keyspace.StreamID, fields [][]byte) {
	w.entries = append(w.entries, streamEntry{id, len(fields)})
	w.texts = append(w.texts, fields...)
}

// node writes a listpack, and empties it.
func (e *Encoder) node(w *streamNode) {
	first := w.entries[0]
	names := w.texts[:first.texts]
	e.Text(appendID(nil, first.id))
	e.block.begin()
	e.block.number(int64(len(w.entries)))
	e.block.number(0)
	e.block.number(int64(len(names) / 2))
	for i := 0; i < len(names); i += 2 {
		e.block.text(names[i])
	}
	e.block.number(0)
	rest := w.texts
	for _, entry := range w.entries {
		e.nodeEntry(entry.id, first.id, rest[:entry.texts], names)
		rest = rest[entry.texts:]
	}
	e.Text(e.block.end())
	*w = streamNode{w.entries[:0], w.texts[:0]}
}

// nodeEntry adds an entry to the listpack.
func (e *Encoder) nodeEntry(id, first keyspace.StreamID, fields, names [][]byte) {
	same := sameNames(fields, names)
	flags := int64(0)
	if same {
		flags = streamSameNames
	}
	e.block.number(flags)
	e.block.number(int64(id.Time - first.Time))
	e.block.number(int64(id.Seq - first.Seq))
	items := 3
	if !same {
		e.block.number(int64(len(fields) / 2))
		items++
	}
	for i, text := range fields {
		if !same || i%2 == 1 {
			e.block.text(text)
			items++
		}
	}
	e.block.number(int64(items))
}

// sameNames reports whether two lists of names and values have the same names.
func sameNames(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i += 2 {
		if string(a[i]) != string(b[i]) {
			return false
		}
	}
	return true
}
