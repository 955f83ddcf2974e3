package watch

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupedb/troupe/resp"
)

// Subscription is one live query: its newest state, and who is to hear of the
// next. mailbox.go makes it an actor. What shards and loops
// touch of it is atomic.
//
// It is evaluated only when something has changed and somebody could be told:
// not while the loops are still telling of the state before, and not while all
// links are behind. So an evaluation serves all watchers that keep up, and
// those that don't cost nothing.
//
// Very many may be at rest, each with one watcher: what it needs only when it has
// something to do is behind a pointer, or in its evaluation.
type Subscription struct {
	registry *Registry
	query    Query
	number   uint64 // in the order of their beginnings
	room
	mailbox mailbox

	tap     tap
	crowd   crowd
	keys    [][]byte    // watched in the shards
	every   *following  // of one whose every state is told: see every.go
	history history     // kept while somebody needs it
	under   *evaluation // that is under way
	door    *door       // nil: nobody is there
	deltas  int32       // watchers that want deltas
	flags
	serial   uint64                // of the newest state
	unread   int64                 // changes read since the state was published
	state    atomic.Pointer[State] // nil: not known yet
	marked   atomic.Uint64         // the highest version of a progress mark, which may be above the state's
	watchers []*Watcher            // told a state, or about to be

	evaluations, pushes, covered, nanos atomic.Int64
}

// flags are a Subscription's; the last two belong, during an evaluation, to the
// shards that hold the query's keys.
type flags struct {
	evaluating bool
	light      bool // only whether anything has changed is asked
	again      bool // what was read last is not to be used
	wide       bool // a script: it has come to read keys that it does not name
	leaving    bool
	ended      bool
	timed      bool // the result depends on the clock
	gone       bool // nothing is to be followed any more
}

// door is who waits to be told something by an evaluation.
type door struct {
	waiting []*Watcher // attached, to be told what the evaluation under way finds
	late    []*Watcher // attached since it began
	pulsing []*Watcher // to be told a progress mark
}

// atDoor is the door, made if need be.
func (s *Subscription) atDoor() *door {
	if s.door == nil {
		s.door = &door{}
	}
	return s.door
}

// shut lets the door go when nobody is there.
func (s *Subscription) shut() {
	if d := s.door; d != nil && len(d.waiting)+len(d.late)+len(d.pulsing) == 0 {
		s.door = nil
	}
}

func (s *Subscription) anyWaits() bool { return s.door != nil && len(s.door.waiting) > 0 }

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
	if s.every != nil && !s.evaluating && !s.ended && s.state.Load() != nil && s.tap.unread() && s.collect() {
		s.await(w)
		return s.begin()
	}
	switch {
	case s.ended || s.isCurrent():
		s.beginNow(w)
		return false
	case s.evaluating:
		d := s.atDoor()
		d.late = append(d.late, w) // what is being read may be older than the wish
		return false
	}
	s.await(w)
	return s.begin()
}

func (s *Subscription) await(w *Watcher) {
	d := s.atDoor()
	d.waiting = append(d.waiting, w)
}

// isCurrent reports whether the state is what an evaluation would find now.
func (s *Subscription) isCurrent() bool {
	return s.state.Load() != nil && !s.evaluating && !s.again && !s.tap.unread() && !s.timed
}

// Detach takes a watcher away.
func (s *Subscription) Detach(w *Watcher) {
	if w.delta {
		s.wantDeltas(-1)
	}
	if w.place != nowhere {
		last := s.watchers[len(s.watchers)-1]
		s.watchers[w.place], last.place = last, w.place
		s.watchers[len(s.watchers)-1] = nil
		s.watchers = s.watchers[:len(s.watchers)-1]
		w.place = nowhere
	}
	if d := s.door; d != nil {
		same := func(have *Watcher) bool { return have == w }
		d.waiting = slices.DeleteFunc(d.waiting, same)
		d.late = slices.DeleteFunc(d.late, same)
		d.pulsing = slices.DeleteFunc(d.pulsing, same)
	}
}

// wantDeltas counts those who want deltas. While there are any, states are kept.
func (s *Subscription) wantDeltas(more int32) {
	if s.deltas += more; s.deltas == 0 && s.every == nil {
		s.history.drop(&s.registry.History)
	}
}

// Pulse asks for a progress mark. It reports whether the query must be read for
// that.
func (s *Subscription) Pulse(w *Watcher) (evaluate bool) {
	if w.place == nowhere || s.ended {
		return false // not begun yet, or no more
	}
	d := s.atDoor()
	d.pulsing = append(d.pulsing, w)
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
	case s.anyWaits():
		return true
	case s.every != nil && !s.again:
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
	s.countEvaluation()
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
	}
	s.open(!r.void)
	return s.due() && s.begin()
}

// open lets those in who wait at the door, if what was read is of use; they wait on
// for whom it is not.
func (s *Subscription) open(read bool) {
	d := s.door
	if d == nil {
		return
	}
	if read {
		s.serve(&d.waiting)
		if !s.tap.unread() { // still so: it is no older than what was asked meanwhile
			s.serve(&d.late)
		}
	}
	d.waiting, d.late = append(d.waiting, d.late...), nil
	s.shut()
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
	at := mark{version, s.mark(), s.unread}
	if before := s.state.Load(); before != nil {
		at.total += before.total
	}
	st := newState(kind, r.reply, r.v3, at)
	s.serial++
	st.serial, st.Keys, st.gap = s.serial, int32(r.keys), r.gap
	s.unread = 0
	keeps := s.deltas > 0 || s.every != nil
	if keeps || len(s.watchers) > 1 || s.anyWaits() && len(s.door.waiting) > 1 {
		st.share()
	}
	if keeps {
		s.history.add(st, &s.registry.History)
	}
	s.state.Store(st)
}

// prove has those told who wait for a progress mark: what was read is the state
// that they know, or they are told of a newer one.
func (s *Subscription) prove(r reading) {
	if s.door == nil || len(s.door.pulsing) == 0 {
		return
	}
	s.raiseMark(r.newest)
	for _, w := range s.door.pulsing {
		w.pace.mark.Store(r.newest)
	}
	s.tell(s.door.pulsing)
	s.door.pulsing = nil
	s.shut()
}

// serve begins the watches of those who wait.
func (s *Subscription) serve(who *[]*Watcher) {
	for _, w := range *who {
		w.place = int32(len(s.watchers))
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
	s.crowd.notified.Add(int32(len(who)))
	list := newsLists.Get().(*[]*Watcher)
	news := (*list)[:0]
	for _, w := range who {
		if w.state.CompareAndSwap(free, notified) {
			news = append(news, w)
		} else {
			s.left(notified)
		}
	}
	if len(news) > 0 {
		s.registry.stage.spread(news)
	}
	clear(news)
	*list = news
	newsLists.Put(list)
}

// newsLists are kept for putting together who has news.
var newsLists = sync.Pool{New: func() any { return new([]*Watcher) }}

// End ends all watches; reason is an error.
func (s *Subscription) End(reason resp.Reply) {
	last := s.state.Load()
	if last == nil {
		last = &State{}
	}
	s.ended = true
	s.history.drop(&s.registry.History)
	end := last.ending(reason, s.mark())
	end.share()
	s.state.Store(end)
	if d := s.door; d != nil {
		s.door = nil
		waiting := append(d.waiting, d.late...)
		s.serve(&waiting)
	}
	s.tell(s.watchers)
}
