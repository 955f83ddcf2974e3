package keyspace

import (
	"math/bits"
	"slices"

	"github.com/troupedb/troupe/keyspace/deadline"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// Which key goes when memory is short. The method is that of Redis (evict.c,
// since 3.0): for each victim a few keys are drawn from every database, and the
// best candidates of the last draws are kept in a pool, the best of which goes.
// Other than there, a candidate that was used since it was drawn is one no
// longer, and volatile-ttl draws nothing: the order of deadlines knows.

// What that costs is mostly waiting for memory. So whoever is to find several
// victims draws for all of them at once.

// poolSize is how many candidates are kept, as in Redis.
const poolSize = 16

// drawTimes is how many times the samples asked for are drawn of a table: those
// that lie beside each other cost next to nothing, and twice as many make the
// policies notably truer.
const drawTimes = 2

// drawMost is for how many victims is drawn at once.
const drawMost = poolSize / 2

// pool is the candidates of a shard, those that can be done without best last.
type pool struct {
	list   [poolSize]candidate
	n      int
	drawn  int // victims that may be taken until the next draw
	policy Policy
}

// candidate is a key that may go. Nothing tells when it moves or goes away, so
// it is looked for by its hash. That is known when others may come to work.
type candidate struct {
	score   uint32 // how well it can be done without
	stamp   uint32 // its access clock
	db      int
	ref     slab.Ref
	hash    uint64
	isKnown bool // the hash
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
	for {
		if sh.pool.drawn == 0 || sh.pool.policy != p {
			tx.draw(sh, 1)
		}
		for sh.pool.n > 0 {
			sh.pool.n--
			if v := tx.recall(sh, &sh.pool.list[sh.pool.n]); !v.Missing() {
				sh.pool.drawn--
				return v
			}
		}
		sh.pool.drawn = 0
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

// draw adds keys of every database to the candidates, where they are better: as
// many as for n victims, at most drawMost.
func (tx *Tx) draw(sh *Shard, n int) {
	if p := tx.Settings.Policy; sh.pool.policy != p {
		sh.pool = pool{policy: p}
	}
	for i := range sh.dbs[:sh.opened] {
		switch at := (home{sh, &sh.dbs[i]}); {
		case at.d.keys == nil:
		case sh.pool.policy.expiring():
			tx.drawExpiring(at, i, n)
		default:
			tx.drawAny(at, i, n)
		}
	}
	sh.pool.drawn = n
	touched := byte(0)
	for k := max(0, sh.pool.n-n); k < sh.pool.n; k++ { // they are read next
		if c := &sh.pool.list[k]; !c.isKnown {
			touched += sh.mem.Bytes(c.ref, 1)[0]
		}
	}
	tx.warmed += touched
}

func (tx *Tx) drawAny(at home, db, n int) {
	var random [drawMost]uint64
	touched := byte(0)
	for k := range n {
		random[k] = tx.Rand()
		touched += at.d.keys.Touch(random[k])
	}
	tx.warmed += touched // a use, so that the reads are made
	for _, r := range random[:n] {
		at.d.keys.Sample(r, drawTimes*tx.Settings.Samples, func(slot *table.Slot) { tx.consider(at.sh, db, slot) })
	}
}

func (tx *Tx) drawExpiring(at home, db, n int) {
	have := at.d.due[keyEnds].len()
	for range n * min(tx.Settings.Samples, have) {
		v := at.valueAt(at.expiringAt(tx.below(have)))
		tx.consider(at.sh, db, v.slot)
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
	if p.n == poolSize && at == 0 || p.has(one.ref) {
		return
	}
	if p.n < poolSize {
		copy(p.list[at+1:p.n+1], p.list[at:p.n])
		p.n++
	} else {
		at--
		copy(p.list[:at], p.list[1:at+1])
	}
	p.list[at] = one
}

func (p *pool) has(r slab.Ref) bool {
	return slices.ContainsFunc(p.list[:p.n], func(c candidate) bool { return c.ref == r })
}

// know finds out the hashes of all candidates: before anything but their going may
// change what is at their places.
func (sh *Shard) know() (touched byte) {
	p := &sh.pool
	for i := range p.list[:p.n] {
		if c := &p.list[i]; !c.isKnown {
			touched += sh.mem.Bytes(c.ref, 1)[0] // the processor waits for all of them at once
		}
	}
	for i := range p.list[:p.n] {
		if c := &p.list[i]; !c.isKnown {
			c.hash, c.isKnown = sh.hashOf(c.ref), true
		}
	}
	return touched
}

// score is how well a key can be done without that has such an access clock:
// how long it was not used, or how seldom it is, and how long it was not.
func (tx *Tx) score(stamp uint32) uint32 {
	if tx.Settings.LFU {
		return (usesMask-tx.decayed(stamp))<<(24-usesBits) | tx.unused(stamp)
	}
	return (tx.stamp - stamp) & stampMask
}

// recall finds a candidate again, if it is still there and has not been used.
func (tx *Tx) recall(sh *Shard, c *candidate) Value {
	at := home{sh, &sh.dbs[c.db]}
	if at.d.keys == nil {
		return Value{}
	}
	if !c.isKnown {
		c.hash, c.isKnown = sh.hashOf(c.ref), true
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
