package keyspace

import "github.com/troupedb/troupe/keyspace/slab"

// Under allkeys-lfu most keys that come are not used a second time, and all of
// these have the same, least counter. To find them by chance among the others
// takes until a good part of the memory is full of them. So a shard remembers, of
// the keys that came lately, which; the oldest of these that nobody has used since
// is a candidate too, and goes before others that are used as seldom. That makes
// the policy truer: it is as good as one that would not take such keys in, and
// still each stays until many others have come.

// newcomer is a key that has come.
type newcomer struct {
	hash  uint64
	ref   slab.Ref
	stamp uint32
	db    uint32
}

// newcomers are the last ones, in a ring.
type newcomers struct {
	ring  []newcomer // a power of two long
	first uint64     // the oldest, counted from the beginning of time
	next  uint64     // the next to come, likewise
}

const (
	newcomersMin  = 1 << 8
	newcomersMax  = 1 << 16
	newcomersPart = 32 // of the keys, one in so many, stays for its time
)

// add remembers a key, and forgets the oldest if there is no more room: the ring
// is twice as long as is made use of.
func (n *newcomers) add(one newcomer, keys int) {
	if want := 2 * keys / newcomersPart; len(n.ring) == 0 || want > len(n.ring) && len(n.ring) < newcomersMax {
		n.grow()
	}
	if n.next-n.first == uint64(len(n.ring)) {
		n.first++
	}
	n.ring[n.next&uint64(len(n.ring)-1)] = one
	n.next++
}

func (n *newcomers) grow() {
	old := *n
	n.ring = make([]newcomer, max(newcomersMin, 2*len(old.ring)))
	for i := old.first; i < old.next; i++ {
		n.ring[i&uint64(len(n.ring)-1)] = old.ring[i&uint64(len(old.ring)-1)]
	}
}

// came remembers a key that has come, where that is of use.
func (tx *Tx) came(at home, hash uint64, ref slab.Ref) {
	if tx.bound == nil || tx.Settings.Policy != AllKeysLFU {
		return
	}
	at.sh.newcomers.add(newcomer{hash, ref, tx.stamp, uint32(tx.DB)}, at.d.keys.Len())
}

// oldNewcomer is the oldest key of those that came lately and were not used since,
// if there are enough; else missing. It stays remembered: see forgetNewcomer.
func (tx *Tx) oldNewcomer(sh *Shard) Value {
	n := &sh.newcomers
	keys := sh.evictable(AllKeysLFU)
	for n.next-n.first > uint64(max(keys/newcomersPart, 1)) {
		one := &n.ring[n.first&uint64(len(n.ring)-1)]
		c := candidate{stamp: one.stamp, db: int(one.db), ref: one.ref, hash: one.hash, isKnown: true}
		if v := tx.recall(sh, &c); !v.Missing() {
			return v
		}
		n.first++
	}
	return Value{}
}

// warmNewcomers reads where the next n of them are looked for.
func (sh *Shard) warmNewcomers(n int) (touched byte) {
	r := &sh.newcomers
	for i := r.first; i < min(r.next, r.first+uint64(n)); i++ {
		one := &r.ring[i&uint64(len(r.ring)-1)]
		if d := &sh.dbs[one.db]; d.keys != nil {
			probe := d.keys.Probe(one.hash)
			if probe.Next() != nil {
				touched++
			}
		}
	}
	return touched
}
