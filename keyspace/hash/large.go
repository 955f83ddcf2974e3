package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/keyspace/slab"
)

// large is a hash in its large form, a keyspace.Object: the fields are texts
// of a Dict, the values their payloads.
type large struct{ *dict.Dict }

// newLarge makes an empty hash with its elements in mem. No two hashes should
// have the same seed: see keyspace.Tx.NewSeed.
func newLarge(mem *slab.Heap, seed uint64) *large { return &large{dict.New(mem, seed, dict.Text)} }

// Type implements keyspace.Object.
func (l *large) Type() keyspace.Type { return keyspace.Hash }

// Encoding implements keyspace.Object.
func (l *large) Encoding() keyspace.Encoding { return keyspace.HashTable }

// Free implements keyspace.Object.
func (l *large) Free(_ *slab.Heap, effort int) (done bool) { return l.Dict.Free(effort) }

// Copy implements keyspace.Object.
func (l *large) Copy(_, mem *slab.Heap) keyspace.Object { return &large{l.CopyTo(mem, l.NewSeed())} }

// get is the value of a field.
func (l *large) get(field []byte) (value []byte, found bool) {
	e, found := l.Find(field)
	return e.Payload, found
}

// set gives a field its value and reports whether it is new.
func (l *large) set(field, value []byte) (added bool) {
	e, added := l.Add(field, value)
	if !added {
		l.Replace(e, value)
	}
	return added
}

// remove takes a field out and reports whether it was there.
func (l *large) remove(field []byte) bool {
	e, found := l.Find(field)
	if found {
		l.Remove(e)
	}
	return found
}

// each calls visit for every field until it returns false.
func (l *large) each(visit func(field, value []byte) bool) {
	l.Each(func(e dict.Element) bool { return visit(e.Text, e.Payload) })
}

// scan calls visit for the fields of one step of a walk: see dict.Dict.Scan.
func (l *large) scan(cursor uint64, visit func(field, value []byte)) (next uint64) {
	return l.Scan(cursor, func(e dict.Element) { visit(e.Text, e.Payload) })
}
