package keyspace

import (
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// LookupMost is how many keys LookupAll takes at a time.
const LookupMost = warmPart

// LookupAll is Lookup for keys one after the other, at most LookupMost, and
// calls visit with what each holds. Their memory is touched before, so that
// the processor waits for all of it at once: see Tx.warm.
func (tx *Tx) LookupAll(keys [][]byte, visit func(i int, v Value)) {
	var sought [LookupMost]sought
	touched := byte(0)
	for i, key := range keys {
		sought[i].begin(tx.homeOf(key), key)
	}
	for i := range keys {
		touched += sought[i].touch()
	}
	tx.warmed += touched // a use, so that the reads are made
	for i, key := range keys {
		v, ok := sought[i].value(key)
		// What may be past its deadline, and what is cold, is left to Lookup.
		if !ok || v.head.cold || v.head.has(flagDeadline) {
			visit(i, tx.Lookup(key))
			continue
		}
		if tx.trace != nil {
			tx.trace(key)
		}
		v.sh.Stats.Hits++
		if !tx.noTouch {
			tx.mark(v.slot)
		}
		visit(i, v)
	}
}

// sought is a key whose look-up has begun: the first slot that may be its, good
// while the table has had so many changes.
type sought struct {
	home
	keys    *table.Table
	probe   table.Probe
	slot    *table.Slot
	ref     slab.Ref
	changes uint64
}

func (s *sought) begin(at home, key []byte) {
	s.home, s.keys = at, at.d.keys
	if s.keys != nil {
		s.probe, s.changes = s.keys.Probe(at.sh.hash(key)), s.keys.Changes()
	}
}

// touch reads a byte of the entry, if there may be one.
func (s *sought) touch() byte {
	if s.keys == nil {
		return 0
	}
	if s.slot = s.probe.Next(); s.slot == nil {
		return 0
	}
	s.ref = s.slot.Ref()
	return s.sh.mem.Bytes(s.ref, 1)[0]
}

// value is the key's value, if it was found at the first place and nothing has
// changed since.
func (s *sought) value(key []byte) (v Value, ok bool) {
	if s.slot == nil || s.d.keys != s.keys || s.keys.Changes() != s.changes {
		return Value{}, false
	}
	head, same := s.sh.holds(s.ref, key)
	return Value{home: s.home, slot: s.slot, head: head}, same
}
