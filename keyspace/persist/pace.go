package persist

import (
	"time"

	"github.com/troupedb/troupe/keyspace"
)

// A snapshot takes all processors as long as nobody else wants them. While keys of
// a shard are used, its walk rests after each slice: those who use them are
// answered about as fast as without a snapshot, which lasts longer then. It does
// not rest while much is kept for it in memory.

const (
	// restShare is for how many times as long as a slice took a walk rests. What a
	// slice takes grows when processors are wanted, and with it the rest.
	restShare = 8
	// restMax bounds a rest.
	restMax = 10 * time.Millisecond
	// hurryAbove is how much, in bytes, may be kept in memory while a walk rests.
	hurryAbove = earlyMax / 8
)

// pace says when a walk rests.
type pace struct {
	store *Store
	began time.Time // of the slice
	uses  int64     // of keys, so far
	busy  bool
}

// look notes within a slice whether keys of the shard were used since the last one.
func (p *pace) look(tx *keyspace.Tx) {
	var uses int64
	tx.EachShard(func(sh *keyspace.Shard) { uses += sh.Stats.Hits + sh.Stats.Misses + sh.Stats.Changes })
	p.busy = uses != p.uses && !p.began.IsZero()
	p.uses = uses
}

// rest ends a slice.
func (p *pace) rest() {
	now := time.Now()
	if p.busy && p.store.Node.EarlyBytes() < hurryAbove {
		time.Sleep(min(restShare*now.Sub(p.began), restMax))
		now = time.Now()
	}
	p.began = now
}
