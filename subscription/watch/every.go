package watch

import (
	"bytes"
	"sync"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// A query whose every state is told is read by its shard, in the turn of each
// command that touches its keys; the Subscription comes for what was read. How
// much may wait for it is bounded as a history is: if there is more, all of it is
// let go, the query is read anew, and those who wanted every state are told that
// there is a gap.

// following is what a shard has read for a Subscription.
type following struct {
	on bool // belongs to the shard's turns

	mu    sync.Mutex // guards what follows
	found []found
	bytes int64
	open  int // of found, the last so many have no version yet
	lost  bool
}

// found is a state that a shard has read.
type found struct {
	change  int // of its turn
	version uint64
	reply   resp.Reply
	v3      []byte
}

// follow reads the query in the turn of a command that has touched its keys,
// which is the change'th of the turn.
func (s *Subscription) follow(tx *keyspace.Tx, change int) {
	f := s.every
	if !f.on {
		return
	}
	begun := time.Now()
	db := tx.DB
	tx.DB = s.query.DB
	reply := tx.Call(s.query.Spec, s.query.Argv)
	tx.DB = db
	reply, v3 := s.encode(nil, reply)
	reply, v3 = keep(reply, v3)
	s.countNanos(int64(time.Since(begun)))
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.found); f.open > 0 && f.found[n-1].change == change { // it goes on changing
		f.found[n-1].reply, f.found[n-1].v3 = reply, v3
		return
	}
	f.bytes += int64(len(v3)) + stateBytes
	most := &s.registry.History
	if f.lost || int64(len(f.found)) >= most.Entries.Load() || f.bytes > most.Bytes.Load() {
		f.found, f.bytes, f.open, f.lost = nil, 0, 0, true
		return
	}
	f.found = append(f.found, found{change: change, reply: reply, v3: v3})
	f.open++
}

// versions gives those changes that have just got their versions, the last of
// which is given, to what was found after them. They are counted at the same
// moment: whoever collects finds as many as were counted.
func (f *following) versions(last uint64, changes int, count func(version uint64, changes int)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	count(last, changes)
	if f.lost || changes > f.open {
		return // the first change came before the query was followed, or all is lost
	}
	got := f.found[len(f.found)-f.open:][:changes]
	for i := range got {
		got[i].version = last - uint64(got[changes-1].change-got[i].change)
	}
	f.open -= changes
}

// collected takes what was found and has its version; covered is how many changes the
// tap has counted for it, or for what was lost. anew says that the query is being
// read: then nothing is lost from here on.
func (s *Subscription) collected(anew bool) (all []found, covered int64, version uint64, lost bool) {
	f := s.every
	f.mu.Lock()
	defer f.mu.Unlock()
	ready := len(f.found) - f.open
	all, lost = f.found[:ready:ready], f.lost
	f.found = append([]found(nil), f.found[ready:]...)
	f.bytes = 0
	for i := range f.found {
		f.bytes += int64(len(f.found[i].v3)) + stateBytes
	}
	covered, version = s.tap.read()
	if anew {
		f.on, f.lost = true, false
	}
	return all, covered, version, lost
}

// collect publishes what was found. It reports whether the query has to be read
// because something was lost; what the tap has counted for that is kept.
func (s *Subscription) collect() (evaluate bool) {
	all, covered, _, lost := s.collected(false)
	if lost {
		s.unread += covered
		return true
	}
	s.unread += covered - int64(len(all))
	s.publishAll(all)
	return false
}

func (s *Subscription) publishAll(all []found) {
	told := false
	for i := range all {
		s.unread++
		if before := s.state.Load(); bytes.Equal(before.v3, all[i].v3) {
			continue
		}
		s.publish(reading{reply: all[i].reply, v3: all[i].v3, keys: len(s.keys)}, all[i].version)
		told = true
	}
	if told {
		s.tell(s.watchers)
	}
}
