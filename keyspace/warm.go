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
	n := 0
	for i := range part {
		q := &part[i]
		q.hashed = false
		if q.Spec == nil || q.Spec.SingleKey() == 0 {
			continue
		}
		if d := &sh.dbs[q.DB]; d.keys != nil {
			q.hash, q.hashed = sh.hash(q.Argv[q.Spec.SingleKey()]), true
			probes[n] = d.keys.Probe(q.hash)
			n++
		}
	}
	touched := byte(0)
	for i := range probes[:n] {
		if slot := probes[i].Next(); slot != nil {
			touched += sh.mem.Bytes(slot.Ref(), 1)[0]
		}
	}
	tx.warmed += touched // a use, so that the reads are made
}

// hint makes the hash that warm has worked out known to the command.
func (tx *Tx) hint(q *Request) {
	tx.hinted = nil
	if q.hashed {
		if key := q.Argv[q.Spec.SingleKey()]; len(key) > 0 {
			tx.hinted, tx.hintLen, tx.hintHash = &key[0], len(key), q.hash
		}
	}
}

// hash is the hash of a key, worked out only if warm has not.
func (tx *Tx) hash(sh *Shard, key []byte) uint64 {
	if len(key) == tx.hintLen && tx.hinted != nil && &key[0] == tx.hinted {
		return tx.hintHash
	}
	return sh.hash(key)
}
