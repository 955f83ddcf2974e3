package keyspace

import (
	"math"
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace/slab"
)

// Bound is how much memory a node may use, and how much it does. Its shards
// share it: each tells at the end of a turn what its slabs and tables take; the
// rest of the process is measured from time to time by who knows it.
//
// What counts is what the system has given, with the free room inside slabs.
// But beyond a share of the slabs that room does not, as no key's leaving would
// help against it: it is for compaction to give back.
type Bound struct {
	limit  atomic.Int64 // bytes; 0: none
	shards atomic.Int64 // slabs and tables
	free   atomic.Int64 // of the slabs, what no key has
	keys   atomic.Int64 // that may go
	other  atomic.Int64 // everything else
	coming atomic.Int64 // that is known to come: see Node.Foresee
	whole  atomic.Bool  // the process is the node's, and so are its Buffers

	leaving  atomic.Int64 // of shards, what is on its way to the tier
	spilling atomic.Int64 // shards that have something to send there
	tiered   bool         // there is a tier

	short atomic.Pointer[Shortage] // when nobody has asked since
}

// Shortage is what took the memory when a command was refused for want of it, in
// bytes.
type Shortage struct {
	Limit, Shards, Buffers, Other int64
	Keys                          int64 // that were left and might go
}

// refused notes what takes the memory, if nobody has before.
func (b *Bound) refused() {
	if b.short.Load() == nil {
		b.short.Store(&Shortage{b.Limit(), b.Shards(), b.buffers(), b.other.Load(), b.keys.Load()})
	}
}

// Shortage is what took the memory when a command was first refused since it was
// last asked; nil if none was.
func (b *Bound) Shortage() *Shortage { return b.short.Swap(nil) }

// looseShare is the part of the slabs, one in so many, that their free room may
// take, as keys come and go all over them; and likewise of the limit that is
// taken beyond it where no key goes by itself.
const looseShare = 32

// Limit is the most memory to use, in bytes; 0 is no bound.
func (b *Bound) Limit() int64 { return b.limit.Load() }

// Used is how much is used, in bytes.
func (b *Bound) Used() int64 { return b.shards.Load() + b.other.Load() + b.buffers() }

// loose is the part of what is used that does not count, where so much is in
// shards, and so much of that is free. Where no key goes but those that clients
// delete, the room of each is theirs again.
func (b *Bound) loose(shards, free int64, p Policy) int64 {
	if p == NoEviction && !b.tiered {
		return min(free, b.limit.Load()/looseShare)
	}
	return max(0, free-shards/looseShare)
}

// excess is by how many bytes the node is above its limit; below, if negative.
func (b *Bound) excess(p Policy) int64 {
	shards := b.shards.Load()
	return shards - b.loose(shards, b.free.Load(), p) - b.leaving.Load() - b.beside()
}

// beside is what the limit leaves for shards: all there is, should it have been
// taken away since the turn began.
func (b *Bound) beside() int64 {
	limit := b.limit.Load()
	if limit == 0 {
		return math.MaxInt64 / 2
	}
	return limit - b.other.Load() - b.buffers()
}

// reserve is what is to be left of the limit where keys go: a little, as what comes
// at once is noticed a moment later, and what is known to come.
func (b *Bound) reserve(p Policy) int64 {
	if p == NoEviction {
		return 0
	}
	limit := b.limit.Load()
	return limit/reservePart + min(b.coming.Load(), limit/comingPart)
}

// The parts of the limit, one in so many, that are left in any case, and for what
// comes at the most.
const (
	reservePart = 64
	comingPart  = 16
)

// Shards is the part of Used that is slabs and tables.
func (b *Bound) Shards() int64 { return b.shards.Load() }

// buffers is what large requests and replies take.
func (b *Bound) buffers() int64 {
	if !b.whole.Load() {
		return 0
	}
	return slab.InBuffers()
}

// SetWhole tells that all Buffers of the process count.
func (b *Bound) SetWhole() { b.whole.Store(true) }

// SetOther tells how much the process uses beside shards and the buffers of
// large requests and replies.
func (b *Bound) SetOther(bytes int64) { b.other.Store(bytes) }

// footprint is what a shard takes, in bytes, as a Bound counts it.
type footprint struct {
	used int64 // slabs and tables
	free int64 // of the slabs, what no key has
	keys int64 // that may go
}

// footprint is what the shard takes now.
func (sh *Shard) footprint() footprint {
	s := sh.mem.Stats()
	return footprint{used: s.Resident + sh.TableBytes(), free: s.Resident - s.Held}
}

// shareStep is how much of a shard's free room comes or goes until it tells, in
// bytes.
const shareStep = 4 << 10

// tell tells the Bound what the shard takes.
func (sh *Shard) tell(b *Bound, p Policy) {
	now := sh.footprint()
	if d := now.used - sh.told.used; d != 0 {
		b.shards.Add(d)
		sh.told.used = now.used
	}
	if d := now.free - sh.told.free; d <= -shareStep || d >= shareStep {
		b.free.Add(d)
		sh.told.free = now.free
	}
	limit := b.limit.Load()
	if sh.remembers && (limit == 0 || !p.CountsUses()) {
		sh.forgetAllUses()
	}
	if limit == 0 {
		return
	}
	if n := int64(sh.evictable(p)); n != sh.told.keys {
		b.keys.Add(n - sh.told.keys)
		sh.told.keys = n
	}
}

// excess is the Bound's, as the shards at hand know better than what they told.
// Bytes that are about to be free do not count.
func (tx *Tx) excess() int64 {
	b := tx.bound
	shards, free := b.shards.Load(), b.free.Load()
	leaving := b.leaving.Load()
	tx.EachShard(func(sh *Shard) {
		now := sh.footprint()
		shards += now.used - sh.told.used
		free += now.free - sh.told.free
		leaving += sh.garbage.bytes
	})
	return shards - b.loose(shards, free, tx.Settings.Policy) - leaving - b.beside()
}

// lack is how much has to go, so that there is the reserve too.
func (tx *Tx) lack() int64 { return tx.excess() + tx.bound.reserve(tx.Settings.Policy) }

// othersMay reports whether keys of shards that are not at hand may go.
func (tx *Tx) othersMay() bool {
	if tx.Settings.Policy == NoEviction {
		return false
	}
	others := tx.bound.keys.Load()
	tx.EachShard(func(sh *Shard) { others -= sh.told.keys })
	return others > 0
}

// Policy says which keys may go when memory is short, and which go first: a
// maxmemory-policy.
type Policy uint8

// The policies. The zero Policy keeps every key.
const (
	NoEviction Policy = iota
	AllKeysLRU
	AllKeysLFU
	AllKeysRandom
	VolatileLRU
	VolatileLFU
	VolatileRandom
	VolatileTTL
)

// policyNames are the policies in Redis's words, in their order.
var policyNames = [...]string{
	"noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
}

// String is the policy as the setting names it.
func (p Policy) String() string { return policyNames[p] }

// ParsePolicy finds a policy by its name; NoEviction if there is none.
func ParsePolicy(name string) Policy {
	for i, have := range policyNames {
		if have == name {
			return Policy(i)
		}
	}
	return NoEviction
}

// expiring reports whether only keys with a time to live may go.
func (p Policy) expiring() bool { return p >= VolatileLRU }

// samples reports whether keys are drawn and compared.
func (p Policy) samples() bool {
	return p == AllKeysLRU || p == AllKeysLFU || p == VolatileLRU || p == VolatileLFU
}

// CountsUses reports whether keys' access clocks count how often they are used.
func (p Policy) CountsUses() bool { return p == AllKeysLFU || p == VolatileLFU }

// evictable is how many keys of the shard the policy lets go.
func (sh *Shard) evictable(p Policy) (n int) {
	if p == NoEviction {
		return 0
	}
	for i := range sh.dbs[:sh.opened] {
		if p.expiring() {
			n += sh.Expiring(i)
		} else {
			n += sh.Keys(i)
		}
	}
	return n
}
