package dict

import (
	"github.com/troupedb/troupe/keyspace/pack"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// Insert adds an element whose text is known to be new. Its bytes are copied.
func (d *Dict) Insert(text, payload []byte) slab.Ref {
	return d.insert(table.Hash(d.seed, text), text, payload).Ref()
}

// Add is Insert for a text that may be there: then added is false, nothing is
// changed, and the element is the one that there is. It is faster than Find
// and then Insert.
func (d *Dict) Add(text, payload []byte) (e Element, added bool) {
	hash := table.Hash(d.seed, text)
	if e, found := d.find(text, hash); found {
		return e, false
	}
	return d.in(d.insert(hash, text, payload)), true
}

func (d *Dict) insert(hash uint64, text, payload []byte) *table.Slot {
	stamp := uint32(0)
	if d.frozen != nil && d.frozen.ahead(hash) {
		stamp = noted
	}
	return d.index.Insert(hash, d.write(text, payload), stamp)
}

// write makes the bytes of an element.
func (d *Dict) write(text, payload []byte) slab.Ref {
	size := d.sizeOf(len(text), len(payload))
	r := d.mem.Alloc(size)
	b := d.mem.Bytes(r, size)
	d.putPayload(b, pack.Put(b, 0, text), payload)
	d.held += int64(d.mem.Size(size))
	return r
}

func (d *Dict) putPayload(b []byte, at int, payload []byte) {
	switch d.payload {
	case Eight:
		copy(b[at:], payload)
	case Text:
		pack.Put(b, at, payload)
	}
}

// Replace gives an element another payload, whose bytes are not this Dict's,
// and says where the element is now: it stays where it was if its slab has
// room for it. e is good for SetMark afterwards.
func (d *Dict) Replace(e Element, payload []byte) slab.Ref {
	was, size := d.sizeOf(len(e.Text), len(e.Payload)), d.sizeOf(len(e.Text), len(payload))
	if d.frozen != nil && d.frozen.needs(&e) {
		d.frozen.take(&e, was)
		r := d.write(e.Text, payload)
		e.slot.SetRef(r)
		return r
	}
	if d.mem.Size(size) == d.mem.Size(was) {
		d.mem.Resize(e.Ref, was, size)
		d.putPayload(d.mem.Bytes(e.Ref, size), pack.Size(len(e.Text)), payload)
		return e.Ref
	}
	r := d.write(e.Text, payload)
	d.slotOf(e).SetRef(r)
	d.free(e.Ref, was)
	return r
}

// slotOf is the slot of an element, which is looked for if At has read it.
func (d *Dict) slotOf(e Element) *table.Slot {
	if e.slot != nil {
		return e.slot
	}
	probe := d.index.Probe(table.Hash(d.seed, e.Text))
	slot := probe.Next()
	for slot.Ref() != e.Ref {
		slot = probe.Next()
	}
	return slot
}

// Remove takes an element out.
func (d *Dict) Remove(e Element) {
	size := d.sizeOf(len(e.Text), len(e.Payload))
	if d.frozen != nil && d.frozen.needs(&e) {
		d.frozen.take(&e, size)
		d.index.Remove(table.Hash(d.seed, e.Text), e.Ref)
		return
	}
	d.index.Remove(table.Hash(d.seed, e.Text), e.Ref)
	d.free(e.Ref, size)
}

// free frees the so many bytes of an element that no slot names any more.
func (d *Dict) free(r slab.Ref, size int) {
	d.mem.Free(r, size)
	d.held -= int64(d.mem.Size(size))
}

// chunkEffort is what closing a chunk of a table takes, as slab.Heap.Effort
// counts: keyspace.ChunkEffort.
const chunkEffort = 128

// Free gives memory back, with about so much effort (one for each small
// element, as slab.Heap.Effort counts), and reports whether all is given back:
// first the elements, bucket by bucket, then the table. The Dict is used for
// nothing else meanwhile.
func (d *Dict) Free(effort int) (done bool) {
	for end := d.mem.Effort() + uint64(effort); !d.emptied; d.emptied = d.freed == 0 {
		if d.mem.Effort() >= end {
			return false
		}
		d.freed = d.Scan(d.freed, func(e Element) {
			size := d.sizeOf(len(e.Text), len(e.Payload))
			d.mem.Discard(e.Ref, size)
			d.held -= int64(d.mem.Size(size))
		})
	}
	return d.index.CloseSome(1 + effort/chunkEffort)
}

// CopyTo makes a copy, Marks included, with its elements in mem, which is not
// frozen. For the seed see New.
func (d *Dict) CopyTo(mem *slab.Heap, seed uint64) *Dict {
	c := New(mem, seed, d.payload)
	d.Each(func(e Element) bool {
		r := c.write(e.Text, e.Payload)
		c.index.Insert(table.Hash(seed, e.Text), r, e.Mark())
		return true
	})
	return c
}

// NewSeed is a seed for the copy of this Dict.
func (d *Dict) NewSeed() uint64 { return table.Hash(d.seed, nil) }
