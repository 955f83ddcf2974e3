package watch

import (
	"sync/atomic"

	"github.com/troupedb/troupe/resp"
)

// Past knows what has changed. ChangedSince looks for changes of keys, in any
// database, since a version; known is false if that can't be told. It may take
// long, and is not called by actors.
type Past interface {
	ChangedSince(version uint64, keys [][]byte) (changed, known bool)
}

// looksMax is how many looks into the past may be under way; one more is not
// taken, and finds nothing known.
const looksMax = 2

// resume is how a watch goes on with one before it. If the room of that is not
// there any more, the past is asked: since the mark, and until after the first
// state of the new watch was read.
type resume struct {
	from mark

	asked bool // belongs to whoever takes
	total int64
	found atomic.Int32
}

// What a look into the past has found.
const (
	lookUnderway int32 = iota
	lookUnknown
	lookUnchanged
)

// looks reports whether the first frame has to wait for a look into the past; the
// first call begins it. There will be News when it is over.
func (g *resume) looks(w *Watcher) bool {
	st := w.sub.state.Load()
	switch {
	case g.asked:
		return g.found.Load() == lookUnderway
	case st == nil || st.Kind != Current || g.from.room == w.sub.mark():
		return false
	}
	g.asked, g.total = true, st.total
	r := w.sub.registry
	if r.Past == nil || w.sub.query.Spec.NeedsAll(w.sub.query.Argv) {
		g.found.Store(lookUnknown)
		return false
	}
	select {
	case r.looks <- struct{}{}:
	default:
		g.found.Store(lookUnknown)
		return false
	}
	go func() {
		found := lookUnknown
		if changed, known := r.Past.ChangedSince(g.from.version, w.sub.query.keyWords()); known && !changed {
			found = lookUnchanged
		}
		<-r.looks
		g.found.Store(found)
		w.outlet.Post(func() { w.outlet.News(w) })
	}()
	return true
}

// resumed is the first frame of a watch that goes on with one before.
func (w *Watcher) resumed(st *State) (f Frame, ok bool) {
	g := w.resume
	w.resume = nil
	from := g.from
	switch {
	case from.room == w.sub.mark() && (from.total > st.total || from.version > max(st.Version, w.sub.marked.Load())):
		return Frame{State: st.ending(errFuture, from.room), Kind: End}, true
	case from.room != w.sub.mark() && g.found.Load() != lookUnchanged:
		return Frame{State: st, Kind: resetOf(st)}, true
	case from.room != w.sub.mark():
		from.total = g.total
	}
	switch {
	case from.total == st.total:
		version := max(from.version, st.Version)
		w.sub.raiseMark(version)
		return Frame{State: st.progress(version, w.sub.mark()), Kind: Progress}, true
	case w.sub.every != nil:
		w.begun, w.total = true, from.total
		return w.nextOf(st)
	}
	return Frame{State: st, Kind: st.Kind, Covered: st.total - from.total}, true
}

// raiseMark is told that a progress mark has a version. Any goroutine may call it.
func (s *Subscription) raiseMark(version uint64) {
	for have := s.marked.Load(); have < version && !s.marked.CompareAndSwap(have, version); {
		have = s.marked.Load()
	}
}

var errFuture = resp.Error("ERR the resume token is of a state that has not been reached")
