package watch

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/troupedb/troupe/resp"
)

// Subscription is one live query: its newest state, and who is to hear of the
// next. It is plain data; actor.go makes it an actor. What shards and loops
// touch of it is atomic.
//
// It is evaluated only when something has changed and somebody could be told:
// not while the loops are still telling of the state before, and not while all
// links are behind. So an evaluation serves all watchers that keep up, and
// those that don't cost nothing.
type Subscription struct {
	query     *Query
	limits    *Limits
	room      uint64 // the room's part of marks
	every     bool   // every state is told: see every.go
	evaluator evaluator
	tap       tap
	crowd     crowd
	following following
	history   history
	spread    func([]*Watcher) // has outlets told that there is news

	state    atomic.Pointer[State] // nil: not known yet
	watchers []*Watcher            // told a state, or about to be
	waiting  []*Watcher            // attached, to be told what the evaluation under way finds
	late     []*Watcher            // attached since it began
	news     []*Watcher            // for spread; used again
	pulsing  []*Watcher            // to be told a progress mark
	deltas   int                   // watchers that want deltas
	serial   uint64                // of the newest state

	evaluating bool
	light      bool  // only whether anything has changed is asked
	again      bool  // what was read last is not to be used
	unread     int64 // changes read since the state was published
	ended      bool

	evaluations, pushes, covered atomic.Int64
}

// reading is what one evaluation found, in the turn of the query's shards.
type reading struct {
	reply   resp.Reply
	same    bool // as the state before; then reply is not set
	v3      []byte
	covered int64
	version uint64
	newest  uint64  // version of the shards at hand
	keys    int     // read
	found   []found // before it, of a query whose every state is told
	gap     bool    // states between it and the one before were let go
	void    bool    // the evaluation itself has made keys expire: those changes have no version yet
}

// Attach adds a watcher, which is told the present state first. It reports
// whether the query must be evaluated for that.
func (s *Subscription) Attach(w *Watcher) (evaluate bool) {
	if w.delta {
		s.wantDeltas(1)
	}
	if s.every && !s.evaluating && !s.ended && s.state.Load() != nil && s.tap.unread() && s.collect() {
		s.waiting = append(s.waiting, w)
		return s.begin()
	}
	switch {
	case s.ended || s.isCurrent():
		s.beginNow(w)
		return false
	case s.evaluating:
		s.late = append(s.late, w) // what is being read may be older than the wish
		return false
	}
	s.waiting = append(s.waiting, w)
	return s.begin()
}

// isCurrent reports whether the state is what an evaluation would find now.
func (s *Subscription) isCurrent() bool {
	return s.state.Load() != nil && !s.evaluating && !s.again && !s.tap.unread() && !s.evaluator.timed
}

// Detach takes a watcher away.
func (s *Subscription) Detach(w *Watcher) {
	if w.delta {
		s.wantDeltas(-1)
	}
	same := func(have *Watcher) bool { return have == w }
	s.pulsing = slices.DeleteFunc(s.pulsing, same)
	if w.place != nowhere {
		last := s.watchers[len(s.watchers)-1]
		s.watchers[w.place], last.place = last, w.place
		s.watchers[len(s.watchers)-1] = nil
		s.watchers = s.watchers[:len(s.watchers)-1]
		w.place = nowhere
		return
	}
	s.waiting = slices.DeleteFunc(s.waiting, same)
	s.late = slices.DeleteFunc(s.late, same)
}

// wantDeltas counts those who want deltas. While there are any, states are kept.
func (s *Subscription) wantDeltas(more int) {
	if s.deltas += more; s.deltas == 0 && !s.every {
		s.history.drop()
	}
}

// Pulse asks for a progress mark. It reports whether the query must be read for
// that.
func (s *Subscription) Pulse(w *Watcher) (evaluate bool) {
	if w.place == nowhere || s.ended {
		return false // not begun yet, or no more
	}
	s.pulsing = append(s.pulsing, w)
	s.light = !s.evaluating && s.begin()
	return s.light
}

// Changed is told by a shard that a key has changed, Ready by a loop that
// somebody can be told of more. They report whether the query is to be
// evaluated now.
func (s *Subscription) Changed() (evaluate bool) { return s.due() && s.begin() }

// Ready: see Changed.
func (s *Subscription) Ready() (evaluate bool) { return s.due() && s.begin() }

// due reports whether an evaluation would find something for somebody. If
// only somebody is missing, a call of Ready is asked for.
func (s *Subscription) due() bool {
	switch {
	case s.evaluating || s.ended:
		return false
	case len(s.waiting) > 0:
		return true
	case s.every && !s.again:
		return s.tap.unread() && s.collect()
	case !s.again && !s.tap.unread():
		return false
	}
	return s.crowd.await(len(s.watchers))
}

func (s *Subscription) begin() bool {
	s.evaluating, s.again, s.light = true, false, false
	return true
}

// Evaluated takes what an evaluation has found, and has the watchers told. It
// reports whether another is due already.
func (s *Subscription) Evaluated(r reading) (again bool) {
	s.evaluating = false
	s.evaluations.Add(1)
	s.unread += r.covered - int64(len(r.found))
	if s.ended {
		return false
	}
	s.publishAll(r.found)
	if r.void {
		s.again = true
	} else {
		s.learn(r)
		s.prove(r)
		s.serve(&s.waiting)
		if !s.tap.unread() { // still so: it is no older than what was asked meanwhile
			s.serve(&s.late)
		}
	}
	s.waiting, s.late = append(s.waiting, s.late...), nil
	return s.due() && s.begin()
}

// learn publishes what was read, if it is new. Changes that left the result as
// it was are counted into the next.
func (s *Subscription) learn(r reading) {
	before := s.state.Load()
	switch {
	case before == nil:
		s.publish(r, r.newest)
	case r.same:
	case s.unread == 0: // by time alone, which is no change: only who begins now sees it
		s.publish(r, before.Version)
	default:
		s.publish(r, r.version)
		s.tell(s.watchers)
	}
}

func (s *Subscription) publish(r reading, version uint64) {
	kind := Current
	if r.reply.IsError() {
		kind = Failed
	}
	at := mark{version, s.room, s.unread}
	if before := s.state.Load(); before != nil {
		at.total += before.total
	}
	st := newState(kind, r.reply, bytes.Clone(r.v3), at)
	s.serial++
	st.serial, st.Keys, st.gap = s.serial, r.keys, r.gap
	s.unread = 0
	if s.deltas > 0 || s.every {
		s.history.add(st)
	}
	s.state.Store(st)
}

// prove has those told who wait for a progress mark: what was read is the state
// that they know, or they are told of a newer one.
func (s *Subscription) prove(r reading) {
	if len(s.pulsing) == 0 {
		return
	}
	for _, w := range s.pulsing {
		w.pace.mark.Store(r.newest)
	}
	s.tell(s.pulsing)
	s.pulsing = s.pulsing[:0]
}

// serve begins the watches of those who wait.
func (s *Subscription) serve(who *[]*Watcher) {
	for _, w := range *who {
		w.place = len(s.watchers)
		s.watchers = append(s.watchers, w)
	}
	s.tell(*who)
	*who = nil
}

func (s *Subscription) beginNow(w *Watcher) {
	one := []*Watcher{w}
	s.serve(&one)
}

// tell has those watchers told who can be; the others will see the newest
// state when they take.
func (s *Subscription) tell(who []*Watcher) {
	s.crowd.notified.Add(int64(len(who)))
	for _, w := range who {
		if w.state.CompareAndSwap(free, notified) {
			s.news = append(s.news, w)
		} else {
			s.crowd.left(notified)
		}
	}
	if len(s.news) > 0 {
		s.spread(s.news)
	}
	clear(s.news)
	s.news = s.news[:0]
}

// End ends all watches; reason is an error.
func (s *Subscription) End(reason resp.Reply) {
	last := s.state.Load()
	if last == nil {
		last = &State{}
	}
	s.ended = true
	s.history.drop()
	s.state.Store(last.ending(reason, s.room))
	waiting := append(s.waiting, s.late...)
	s.waiting, s.late = nil, nil
	s.serve(&waiting)
	s.tell(s.watchers)
}
