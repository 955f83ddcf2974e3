package watch

import (
	"bytes"
	"slices"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Subscription is one live query: its last state, and who is to hear of the
// next. It is plain data; actor.go makes it an actor.
type Subscription struct {
	query    *Query
	tap      tap
	watchers []*Watcher
	waiting  []*Watcher // attached, and not told the first state yet

	known   bool // state is one
	state   resp.Reply
	encoded []byte // the state in RESP3, to compare with
	version uint64

	stale      bool // something has changed since, and nobody could take it
	evaluating bool
	keys       [][]byte // watched in the shards

	// Pushes and Evaluations are counted for WATCHES and INFO.
	Pushes, Evaluations int64
}

// reading is what one evaluation found, in the turn of the query's shards.
type reading struct {
	reply   resp.Reply
	covered int64
	version uint64
	newest  uint64 // version of the shards at hand
}

// Attach adds a watcher, which is told the present state first. It reports
// whether the query must be evaluated for that.
func (s *Subscription) Attach(w *Watcher) (evaluate bool) {
	if s.known && !s.evaluating && !s.tap.rung.Load() && !s.stale {
		s.first(w)
		return false
	}
	s.waiting = append(s.waiting, w)
	return s.begin()
}

// Detach takes a watcher away.
func (s *Subscription) Detach(w *Watcher) {
	same := func(have *Watcher) bool { return have == w }
	s.watchers = slices.DeleteFunc(s.watchers, same)
	s.waiting = slices.DeleteFunc(s.waiting, same)
}

// Changed is told by a shard that a key has changed. It reports whether the
// query is to be evaluated now: not while nobody could take the result.
func (s *Subscription) Changed() (evaluate bool) {
	s.stale = true
	return s.wanted() && s.begin()
}

// Ready is told that a watcher has taken what it was sent, and had missed
// something meanwhile.
func (s *Subscription) Ready(w *Watcher) (evaluate bool) {
	if !slices.Contains(s.watchers, w) {
		return false
	}
	if s.stale {
		return s.begin()
	}
	if w.version < s.version {
		s.push(w)
	}
	return false
}

// wanted reports whether some watcher could take a push.
func (s *Subscription) wanted() bool {
	if len(s.waiting) > 0 {
		return true
	}
	free := false
	for _, w := range s.watchers {
		free = w.claimable() || free
	}
	return free
}

func (s *Subscription) begin() bool {
	if s.evaluating {
		return false
	}
	s.evaluating, s.stale = true, false
	return true
}

// evaluate reads the query's result in the turn of its shards, which tx is;
// the keys that it reads are watched from this turn on.
func (s *Subscription) evaluate(tx *keyspace.Tx) (r reading) {
	tx.DB = s.query.DB
	r.covered, r.version = s.tap.read()
	var read [][]byte
	tx.Trace(func(key []byte) { read = append(read, bytes.Clone(key)) })
	r.reply = tx.Call(s.query.Spec, s.query.Argv).Clone()
	tx.Trace(nil)
	s.follow(tx, read)
	r.newest = tx.Version()
	return r
}

// follow watches the keys just read, and no longer those that were not.
func (s *Subscription) follow(tx *keyspace.Tx, read [][]byte) {
	if slices.EqualFunc(s.keys, read, bytes.Equal) {
		return
	}
	for _, key := range s.keys {
		tx.Unwatch(key, &s.tap)
	}
	for _, key := range read {
		tx.Watch(key, &s.tap)
	}
	s.keys = read
}

// leave stops watching in the shards, which tx is.
func (s *Subscription) leave(tx *keyspace.Tx) {
	tx.DB = s.query.DB
	s.follow(tx, nil)
}

// Evaluated takes what an evaluation has found, and tells the watchers. It
// reports whether another is due already.
func (s *Subscription) Evaluated(r reading) (again bool) {
	s.evaluating = false
	s.Evaluations++
	for _, w := range s.watchers {
		w.covered += r.covered
	}
	version := r.version
	if !s.known {
		version = r.newest
	}
	if encoded := resp.V3.Append(nil, r.reply); !s.known || !bytes.Equal(encoded, s.encoded) {
		s.known, s.state, s.encoded, s.version = true, r.reply, encoded, version
		for _, w := range s.watchers {
			s.push(w)
		}
	}
	waiting := s.waiting
	s.waiting = nil
	for _, w := range waiting {
		s.first(w)
	}
	return s.stale && s.wanted() && s.begin()
}

// first tells a watcher the state that its watch begins with. An error ends
// the watch before it has begun.
func (s *Subscription) first(w *Watcher) {
	f := Frame{Result: s.state, Version: s.version, Kind: State}
	if s.state.IsError() {
		w.outlet.Refused(w, s.state)
		return
	}
	w.version = s.version
	s.watchers = append(s.watchers, w)
	w.outlet.Begun(w, f)
}

// push sends a watcher the state, unless one is still on its way to it: then
// the watcher asks when it has taken that.
func (s *Subscription) push(w *Watcher) {
	if !w.claim() {
		return
	}
	kind := State
	if s.state.IsError() {
		kind = Failed
	}
	f := Frame{Result: s.state, Version: s.version, Covered: w.covered, Kind: kind}
	w.version, w.covered = s.version, 0
	s.Pushes++
	w.outlet.Push(w, f)
}
