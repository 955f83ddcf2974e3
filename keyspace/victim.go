package keyspace

import (
	"math/bits"

	"github.com/troupedb/troupe/keyspace/deadline"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// Which key goes when memory is short. The method is that of Redis (evict.c,
// since 3.0): for each victim a few keys are drawn from every database, and the
// best candidates of the last draws are kept in a pool, the best of which goes.
// Other than there, a candidate that was used since it was drawn is one no
// longer, and volatile-ttl draws nothing: the order of deadlines knows.

// poolSize is how many candidates are kept, as in Redis.
const poolSize = 16

// pool is the candidates of a shard, those that can be done without best last.
type pool struct {
	list   [poolSize]candidate
	n      int
	policy Policy
}

// candidate is a key that may go. Nothing tells when it moves or goes away, so
// it is looked for by its hash.
type candidate struct {
	score uint32 // how well it can be done without
	stamp uint32 // its access clock
	db    int
	ref   slab.Ref
	hash  uint64
}

// victim is the key of the shard that can best be done without; missing, if the
// policy lets none go. The victim's database becomes the selected one.
func (tx *Tx) victim(sh *Shard) Value {
	p := tx.Settings.Policy
	switch {
	case sh.evictable(p) == 0:
		return Value{}
	case p == VolatileTTL:
		return tx.firstToEnd(sh)
	case p == AllKeysRandom || p == VolatileRandom:
		return tx.anyKey(sh, p)
	}
	if sh.pool.policy != p {
		sh.pool = pool{policy: p}
	}
	for {
		tx.draw(sh)
		for sh.pool.n > 0 {
			sh.pool.n--
			if v := tx.recall(sh, &sh.pool.list[sh.pool.n]); !v.Missing() {
				return v
			}
		}
	}
}

// firstToEnd is the key whose deadline is the nearest. There must be one.
func (tx *Tx) firstToEnd(sh *Shard) (first Value) {
	nearest := int64(deadline.Max) + 1
	for i := range sh.dbs[:sh.opened] {
		d := &sh.dbs[i]
		for _, order := range [...]*deadline.Queue{d.due[keyEnds].watched, d.due[keyEnds].others} {
			if order == nil {
				continue
			}
			if when, ref, ok := order.Min(); ok && when < nearest {
				nearest, tx.DB = when, i
				first = home{sh, d}.valueAt(ref)
			}
		}
	}
	return first
}

// anyKey is a key by chance, of those that the policy lets go. There must be
// one. Each is as likely, in whatever database.
func (tx *Tx) anyKey(sh *Shard, p Policy) Value {
	n := tx.below(sh.evictable(p))
	for i := range sh.dbs[:sh.opened] {
		at := home{sh, &sh.dbs[i]}
		have := sh.Keys(i)
		if p.expiring() {
			have = sh.Expiring(i)
		}
		if n >= have {
			n -= have
			continue
		}
		tx.DB = i
		if p.expiring() {
			return at.valueAt(at.expiringAt(n))
		}
		slot := at.d.keys.Random(tx.Rand())
		return Value{home: at, slot: slot, head: readHeader(sh.mem, slot.Ref())}
	}
	return Value{}
}

// below is a random number from 0 up to, and without, n.
func (tx *Tx) below(n int) int {
	i, _ := bits.Mul64(tx.Rand(), uint64(n))
	return int(i)
}

// expiringAt is the nth of the keys with a time to live, in no certain order.
func (at home) expiringAt(n int) slab.Ref {
	order := at.d.due[keyEnds].watched
	if n >= order.Len() {
		n -= order.Len()
		order = at.d.due[keyEnds].others
	}
	_, ref := order.At(uint32(n))
	return ref
}

// draw adds keys of every database to the candidates, where they are better.
func (tx *Tx) draw(sh *Shard) {
	for i := range sh.dbs[:sh.opened] {
		at := home{sh, &sh.dbs[i]}
		if !sh.pool.policy.expiring() {
			if at.d.keys != nil {
				at.d.keys.Sample(tx.Rand(), tx.Settings.Samples, func(slot *table.Slot) { tx.consider(sh, i, slot) })
			}
			continue
		}
		have := sh.Expiring(i)
		for range min(tx.Settings.Samples, have) {
			v := at.valueAt(at.expiringAt(tx.below(have)))
			tx.consider(sh, i, v.slot)
		}
	}
}

// consider adds a key to the candidates if it is better than the worst of them.
func (tx *Tx) consider(sh *Shard, db int, slot *table.Slot) {
	p := &sh.pool
	one := candidate{score: tx.score(slot.Stamp()), stamp: slot.Stamp(), db: db, ref: slot.Ref()}
	at := 0
	for at < p.n && p.list[at].score < one.score {
		at++
	}
	switch {
	case p.n < poolSize:
		copy(p.list[at+1:p.n+1], p.list[at:p.n])
		p.n++
	case at == 0:
		return
	default:
		at--
		copy(p.list[:at], p.list[1:at+1])
	}
	one.hash = sh.hashOf(one.ref)
	p.list[at] = one
}

// score is how well a key can be done without that has such an access clock:
// how long it was not used, or how seldom it is.
func (tx *Tx) score(stamp uint32) uint32 {
	if tx.Settings.LFU {
		return counterMax - tx.decayed(stamp)
	}
	return (tx.stamp - stamp) & stampMask
}

// recall finds a candidate again, if it is still there and has not been used.
func (tx *Tx) recall(sh *Shard, c *candidate) Value {
	at := home{sh, &sh.dbs[c.db]}
	if at.d.keys == nil {
		return Value{}
	}
	probe := at.d.keys.Probe(c.hash)
	for slot := probe.Next(); slot != nil; slot = probe.Next() {
		if slot.Ref() != c.ref || slot.Stamp() != c.stamp || sh.hashOf(c.ref) != c.hash {
			continue
		}
		v := Value{home: at, slot: slot, head: readHeader(sh.mem, c.ref)}
		if sh.pool.policy.expiring() && !v.head.has(flagDeadline) {
			return Value{}
		}
		tx.DB = c.db
		return v
	}
	return Value{}
}
