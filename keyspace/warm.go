package keyspace

import (
	"github.com/troupedb/troupe/keyspace/table"
)

// Commands that wait in one batch mostly wait for memory: the bucket of a key
// and then its entry, each a cache miss, one after the other. Before a part of
// a batch runs, warm touches the buckets of all its keys, then all their
// entries: the misses of different keys do not depend on each other, so the
// processor takes them at the same time. Measured at 1 M keys, 512 GETs a
// batch: see the README's figures.
const (
	warmPart = 32 // requests at a time: their lines fit into the first cache
	warmMin  = 4  // fewer are not worth it
)

// warm looks ahead for the requests of a part, and keeps the hashes of their
// keys for Tx.hash.
func (tx *Tx) warm(part []Request) {
	sh := tx.only
	if sh == nil || len(part) < warmMin {
		return
	}
	var probes [warmPart]table.Probe
	for i := range part {
		q := &part[i]
		q.keys = nil
		pos := 0
		if q.Spec != nil {
			pos = q.Spec.SingleKey()
		}
		if d := &sh.dbs[q.DB]; pos > 0 && d.keys != nil {
			q.keys, q.hash = d.keys, sh.hash(q.Argv[pos])
			probes[i] = d.keys.Probe(q.hash)
		}
	}
	touched := byte(0)
	for i := range part {
		q := &part[i]
		if q.keys == nil {
			continue
		}
		q.changes = q.keys.Changes()
		if q.slot = probes[i].Next(); q.slot != nil {
			touched += sh.mem.Bytes(q.slot.Ref(), 1)[0]
		}
	}
	touched += sh.warmElements(part)
	tx.warmed += touched // a use, so that the reads are made
}

// Warm looks ahead for keys of one database, of the one shard at hand, so that
// what is then done with them waits less for memory.
func (tx *Tx) Warm(db int, keys [][]byte) {
	d := &tx.only.dbs[db]
	if d.keys == nil {
		return
	}
	var probes [warmPart]table.Probe
	for len(keys) > 0 {
		part := keys[:min(len(keys), warmPart)]
		for i, key := range part {
			probes[i] = d.keys.Probe(tx.only.hash(key))
		}
		touched := byte(0)
		for i := range part {
			if slot := probes[i].Next(); slot != nil {
				touched += tx.only.mem.Bytes(slot.Ref(), 1)[0]
			}
		}
		tx.warmed += touched
		keys = keys[len(part):]
	}
}

// warmSlots touches the entries of slots.
func (tx *Tx) warmSlots(sh *Shard, slots []*table.Slot) {
	touched := byte(0)
	for _, slot := range slots {
		touched += sh.mem.Bytes(slot.Ref(), 1)[0]
	}
	tx.warmed += touched
}

// ahead is what warm has found out about a request's key: where it is looked
// for, its hash, and the first slot that may be its, good while the table has
// had so many changes.
type ahead struct {
	keys    *table.Table // nil: nothing
	hash    uint64
	slot    *table.Slot
	changes uint64
}

// hint makes what warm has found known to the command.
func (tx *Tx) hint(q *Request) {
	tx.hinted = nil
	if q.keys != nil {
		if key := q.Argv[q.Spec.SingleKey()]; len(key) > 0 {
			tx.hinted, tx.hintLen, tx.ahead = &key[0], len(key), q.ahead
		}
	}
}

// isHinted reports whether key is the one that warm has looked for.
func (tx *Tx) isHinted(key []byte) bool {
	return len(key) == tx.hintLen && tx.hinted != nil && &key[0] == tx.hinted
}

// hash is the hash of a key, worked out only if warm has not.
func (tx *Tx) hash(sh *Shard, key []byte) uint64 {
	if tx.isHinted(key) {
		return tx.ahead.hash
	}
	return sh.hash(key)
}

// find looks for a key, beginning where warm has found one.
func (tx *Tx) find(at home, key []byte) (*table.Slot, header) {
	if !tx.isHinted(key) {
		return at.find(key, at.sh.hash(key))
	}
	if slot := tx.ahead.slot; slot != nil && at.d.keys == tx.ahead.keys && at.d.keys.Changes() == tx.ahead.changes {
		if head, same := at.sh.holds(slot.Ref(), key); same {
			return slot, head
		}
	}
	return at.find(key, tx.ahead.hash)
}
