package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// large is a hash in its large form, a keyspace.Object.
type large struct {
	mem   *slab.Heap
	index *table.Table
	seed  uint64
	held  int64 // bytes that the elements occupy

	freed   uint64 // the cursor up to which Free has come
	emptied bool   // Free has come to the last element
}

// newLarge makes an empty hash with its elements in mem. No two hashes should
// have the same seed: see keyspace.Tx.NewSeed.
func newLarge(mem *slab.Heap, seed uint64) *large {
	l := &large{mem: mem, seed: seed}
	l.index = table.New(l.hashOf)
	return l
}

// Type implements keyspace.Object.
func (l *large) Type() keyspace.Type { return keyspace.Hash }

// Encoding implements keyspace.Object.
func (l *large) Encoding() keyspace.Encoding { return keyspace.HashTable }

// Len implements keyspace.Object.
func (l *large) Len() int { return l.index.Len() }

// Bytes implements keyspace.Object.
func (l *large) Bytes() int64 { return l.held + l.index.Bytes() }

// Free implements keyspace.Object. It frees the elements bucket by bucket and
// then the table.
func (l *large) Free(mem *slab.Heap, effort int) (done bool) {
	for end := mem.Effort() + uint64(effort); !l.emptied; l.emptied = l.freed == 0 {
		if mem.Effort() >= end {
			return false
		}
		l.freed = l.index.Scan(l.freed, func(slot *table.Slot) {
			b, p := l.element(slot.Ref())
			mem.Discard(slot.Ref(), len(b))
			l.held -= int64(mem.Size(p.end))
		})
	}
	return l.index.CloseSome(1 + effort/keyspace.ChunkEffort)
}

// Copy implements keyspace.Object.
func (l *large) Copy(from, mem *slab.Heap) keyspace.Object {
	// Elements come in the order of the table that they are in, so the copy's
	// order is another (see keyspace.Tx.NewSeed).
	c := newLarge(mem, table.Hash(l.seed, nil))
	l.index.Each(func(slot *table.Slot) bool {
		b, p := l.element(slot.Ref())
		c.insert(table.Hash(c.seed, p.fieldOf(b)), p.fieldOf(b), p.valueOf(b))
		return true
	})
	return c
}

// element reads the element at r.
func (l *large) element(r slab.Ref) (b []byte, p pair) {
	var n int
	n, p.field = lengthAt(l.mem.Bytes(r, lengthMax), 0)
	p.length = p.field + n
	n, p.value = lengthAt(l.mem.Bytes(r, p.length+lengthMax), p.length)
	p.end = p.value + n
	return l.mem.Bytes(r, p.end), p
}

// hashOf is the hash of the element at r, for the table when it grows.
func (l *large) hashOf(r slab.Ref) uint64 {
	b, p := l.element(r)
	return table.Hash(l.seed, p.fieldOf(b))
}

// find looks for a field of the given hash; slot is nil if it is not there.
func (l *large) find(field []byte, hash uint64) (slot *table.Slot, b []byte, p pair) {
	probe := l.index.Probe(hash)
	for slot = probe.Next(); slot != nil; slot = probe.Next() {
		b, p = l.element(slot.Ref())
		if string(p.fieldOf(b)) == string(field) {
			return slot, b, p
		}
	}
	return nil, nil, pair{}
}

// get is the value of a field.
func (l *large) get(field []byte) (value []byte, found bool) {
	slot, b, p := l.find(field, table.Hash(l.seed, field))
	if slot == nil {
		return nil, false
	}
	return p.valueOf(b), true
}

// set gives a field its value and reports whether it is new.
func (l *large) set(field, value []byte) (added bool) {
	hash := table.Hash(l.seed, field)
	slot, b, p := l.find(field, hash)
	if slot == nil {
		l.insert(hash, field, value)
		return true
	}
	size := p.length + textSize(len(value))
	if l.mem.Size(size) != l.mem.Size(len(b)) {
		r := slot.Ref()
		slot.SetRef(l.write(field, value))
		l.free(r, len(b))
		return false
	}
	l.mem.Resize(slot.Ref(), len(b), size)
	putText(l.mem.Bytes(slot.Ref(), size), p.length, value)
	return false
}

// insert adds a field that is known to be new.
func (l *large) insert(hash uint64, field, value []byte) {
	l.index.Insert(hash, l.write(field, value), 0)
}

// write makes an element of a field and its value.
func (l *large) write(field, value []byte) slab.Ref {
	size := textSize(len(field)) + textSize(len(value))
	r := l.mem.Alloc(size)
	b := l.mem.Bytes(r, size)
	putText(b, putText(b, 0, field), value)
	l.held += int64(l.mem.Size(size))
	return r
}

// remove takes a field out and reports whether it was there.
func (l *large) remove(field []byte) bool {
	hash := table.Hash(l.seed, field)
	slot, b, _ := l.find(field, hash)
	if slot == nil {
		return false
	}
	r := slot.Ref()
	l.index.Remove(hash, r)
	l.free(r, len(b))
	return true
}

// free frees the element of so many bytes at r.
func (l *large) free(r slab.Ref, size int) {
	l.mem.Free(r, size)
	l.held -= int64(l.mem.Size(size))
}

// each calls visit for every field until it returns false.
func (l *large) each(visit func(field, value []byte) bool) {
	l.index.Each(func(slot *table.Slot) bool {
		b, p := l.element(slot.Ref())
		return visit(p.fieldOf(b), p.valueOf(b))
	})
}

// scan calls visit for the fields of one step of a walk: see table.Table.Scan.
func (l *large) scan(cursor uint64, visit func(field, value []byte)) (next uint64) {
	return l.index.Scan(cursor, func(slot *table.Slot) {
		b, p := l.element(slot.Ref())
		visit(p.fieldOf(b), p.valueOf(b))
	})
}
