package watch

import "sync/atomic"

// Watcher is one link's part in a Subscription. It holds no frame: it is told
// that there is news, and takes the newest state when its link can carry it.
// So what it costs is fixed, however slow the link is.
type Watcher struct {
	// Fingerprint names the watch on its link.
	Fingerprint Fingerprint

	outlet Outlet
	sub    *Subscription
	place  int32 // among the Subscription's watchers; nowhere
	state  atomic.Int32
	pace   *pace   // nil: told at once, and of nothing but news
	resume *resume // goes on with a watch before; until the first frame

	// What it was told last. It belongs to whoever takes.
	version uint64
	total   int64
	serial  uint64
	begun   bool

	delta bool
}

// Query is what is watched.
func (w *Watcher) Query() *Query { return &w.sub.query }

// nowhere is the place of a watcher that has not begun.
const nowhere = -1

// Outlet is who brings a watcher its frames: a link.
type Outlet interface {
	// Loop is the number of the event loop that the outlet lives on, and Post
	// runs a task there; any goroutine may call them. See the transports'
	// contract: a task may call outlets of its own loop.
	Loop() int
	Post(task func())
	// News is called on the outlet's loop, and returns at once: there is
	// something to take. The outlet calls Take when it can carry it; if that
	// may be long, it calls Hold first.
	News(*Watcher)
}

// The states of a watcher.
const (
	free     int32 = iota // has taken all there was: it can be told of more
	notified              // it has news, and its loop deals with it now
	held                  // it has news, and its link cannot carry it yet
	over                  // the watch has ended
)

// Take gives what the watcher is to be told now, after News. From then on it
// can be told of more. ok is false if there is nothing, or the watch has ended.
// It may be called by one goroutine at a time.
func (w *Watcher) Take() (f Frame, ok bool) {
	if w.pace != nil && w.pace.early(w) || w.resume != nil && w.resume.looks(w) {
		if w.state.Load() != over {
			w.Hold()
		}
		return Frame{}, false
	}
	if !w.release() {
		return Frame{}, false
	}
	f, ok = w.frame() // what comes after this is told anew
	if !ok {
		return f, false
	}
	if w.begun {
		w.countPush(f.Covered)
	}
	w.begun, w.total, w.serial = true, f.total, f.serial
	w.version = max(w.version, f.Version)
	if w.pace != nil {
		w.pace.took(w)
	}
	if f.More {
		w.again()
	}
	return f, true
}

// frame is what the watcher is to be told by now.
func (w *Watcher) frame() (f Frame, ok bool) {
	st := w.sub.state.Load()
	switch {
	case st == nil:
		return Frame{}, false
	case !w.begun && st.Kind != End && w.resume != nil:
		return w.resumed(st)
	case !w.begun || st.Kind == End:
		return Frame{State: st, Kind: st.Kind, Covered: w.since(st)}, true
	case w.sub.every != nil:
		return w.nextOf(st)
	case st.total == w.total:
		return w.marked(st)
	case w.delta:
		if d := w.deltaTo(st); d != nil {
			return Frame{State: st, Kind: Delta, Covered: w.since(st), delta: d}, true
		}
	}
	return Frame{State: st, Kind: st.Kind, Covered: w.since(st)}, true
}

// since is how many changes a state stands for.
func (w *Watcher) since(st *State) int64 {
	if !w.begun {
		return 0
	}
	return st.total - w.total
}

// deltaTo is the delta from the state that the watcher was told last, nil if
// that is not kept or the whole state is shorter.
func (w *Watcher) deltaTo(st *State) *delta {
	for _, from := range w.sub.history.all() {
		if from.serial == w.serial && from != st {
			return st.since(from)
		}
	}
	return nil
}

// nextOf is the next of all states, for a watcher that is told every one.
func (w *Watcher) nextOf(newest *State) (f Frame, ok bool) {
	st, left, gone := w.sub.history.next(w.total)
	switch {
	case st == nil:
		return w.marked(newest)
	case gone:
		return Frame{State: st, Kind: resetOf(st), Covered: w.since(st)}, true
	}
	return Frame{State: st, Kind: st.Kind, Covered: w.since(st), More: left > 1}, true
}

// resetOf is Reset, but for a state that is an error.
func resetOf(st *State) Kind {
	if st.Kind == Current {
		return Reset
	}
	return st.Kind
}

// marked is a progress mark, if one is due.
func (w *Watcher) marked(st *State) (f Frame, ok bool) {
	if w.pace == nil {
		return Frame{}, false
	}
	version := w.pace.mark.Swap(0)
	if version == 0 || version < w.version {
		return Frame{}, false
	}
	return Frame{State: st.progress(version, w.sub.mark()), Kind: Progress}, true
}

// again says that the watcher has news still.
func (w *Watcher) again() {
	w.sub.crowd.notified.Add(1)
	if !w.state.CompareAndSwap(free, notified) { // it has been told meanwhile, or has ended
		w.sub.left(notified)
	}
}

// release makes the watcher free; it reports false if it is, or has ended.
func (w *Watcher) release() bool {
	for {
		was := w.state.Load()
		if was == free || was == over {
			return false
		}
		if w.state.CompareAndSwap(was, free) {
			w.sub.left(was)
			return true
		}
	}
}

// Hold says that the watcher cannot take its news for some time: nobody waits
// for it, and nothing is evaluated for its sake.
func (w *Watcher) Hold() {
	w.sub.countHeld(1)
	if w.state.CompareAndSwap(notified, held) {
		w.sub.left(notified)
	} else {
		w.sub.left(held)
	}
}

// end makes the watcher one that is not told any more.
func (w *Watcher) end() { w.sub.left(w.state.Swap(over)) }

// crowd counts the watchers of a Subscription that cannot be told of more at
// present. Loops count them down, and call the Subscription when it waits for
// that.
type crowd struct {
	notified atomic.Int32 // on whom their loops are at work
	held     atomic.Int32
	hungry   atomic.Bool // the Subscription waits for somebody to be free
}

// left is told that a watcher is not in a state any more.
func (s *Subscription) left(was int32) {
	c := &s.crowd
	switch was {
	case notified:
		if c.notified.Add(-1) > 0 {
			return // the rest of them will be free in a moment
		}
	case held:
		s.countHeld(-1)
	default:
		return
	}
	if c.hungry.Load() && c.hungry.CompareAndSwap(true, false) {
		s.send(theReady)
	}
}

// ready reports whether the state may be evaluated for the watchers: all that
// were told of the one before have taken it, but for those whose links are
// behind, and not all links are.
func (c *crowd) ready(watchers int) bool {
	return c.notified.Load() == 0 && int(c.held.Load()) < watchers
}

// await is ready, or else asks for a call when it may be so.
func (c *crowd) await(watchers int) bool {
	if c.ready(watchers) {
		return true
	}
	c.hungry.Store(true)
	return c.ready(watchers) && c.hungry.CompareAndSwap(true, false)
}
