package watch

import (
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace"
)

// tap is where shards touch a Subscription: it counts the changes of the keys
// that the query has read, and rings once until the state has been read again.
// Shards write to it in their turns, several at a time.
type tap struct {
	of      *Subscription
	covered atomic.Int64
	version atomic.Uint64 // of the newest change
	rung    atomic.Bool
}

// Follow implements keyspace.Follower.
func (t *tap) Follow(tx *keyspace.Tx, change int) {
	if t.of.every != nil {
		t.of.follow(tx, change)
	}
}

// Touched is called by a shard in the turn that changed a key.
func (t *tap) Touched(version uint64, changes int) {
	if t.of.every != nil {
		t.of.every.versions(version, changes, t.count)
	} else {
		t.count(version, changes)
	}
	if !t.rung.Load() && t.rung.CompareAndSwap(false, true) {
		t.of.send(theChanged)
	}
}

func (t *tap) count(version uint64, changes int) {
	t.covered.Add(int64(changes))
	for old := t.version.Load(); old < version && !t.version.CompareAndSwap(old, version); {
		old = t.version.Load()
	}
}

// read is called in the turn that evaluates the query, which holds all its
// keys: the changes so far are in what it reads, later ones ring again.
func (t *tap) read() (covered int64, version uint64) {
	t.rung.Store(false)
	return t.covered.Swap(0), t.version.Load()
}

// unread reports whether a key has changed since the last read.
func (t *tap) unread() bool { return t.rung.Load() }
