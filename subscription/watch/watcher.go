package watch

import "sync/atomic"

// Watcher is one link's part in a Subscription. It holds no frame: it is told
// that there is news, and takes the newest state when its link can carry it.
// So what it costs is fixed, however slow the link is.
type Watcher struct {
	// Fingerprint names the watch on its link.
	Fingerprint string

	outlet Outlet
	room   *room
	sub    *Subscription
	place  int // among the Subscription's watchers; nowhere
	state  atomic.Int32

	// What it was told last. It belongs to whoever takes.
	begun   bool
	version uint64
	total   int64
}

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
	if !w.release() {
		return Frame{}, false
	}
	st := w.sub.state.Load() // what comes after this is told anew
	switch {
	case st == nil:
		return Frame{}, false
	case !w.begun:
		f = Frame{st, 0}
	case st.Version == w.version && st.Kind != End:
		return Frame{}, false
	default:
		f = Frame{st, st.total - w.total}
		w.sub.pushes.Add(1)
		w.sub.covered.Add(f.Covered)
	}
	w.begun, w.version, w.total = true, st.Version, st.total
	return f, true
}

// release makes the watcher free; it reports false if it is, or has ended.
func (w *Watcher) release() bool {
	for {
		was := w.state.Load()
		if was == free || was == over {
			return false
		}
		if w.state.CompareAndSwap(was, free) {
			w.sub.crowd.left(was)
			return true
		}
	}
}

// Hold says that the watcher cannot take its news for some time: nobody waits
// for it, and nothing is evaluated for its sake.
func (w *Watcher) Hold() {
	c := &w.sub.crowd
	c.held.Add(1)
	if w.state.CompareAndSwap(notified, held) {
		c.left(notified)
	} else {
		c.left(held)
	}
}

// end makes the watcher one that is not told any more.
func (w *Watcher) end() { w.sub.crowd.left(w.state.Swap(over)) }

// crowd counts the watchers of a Subscription that cannot be told of more at
// present. Loops count them down, and call the Subscription when it waits for
// that.
type crowd struct {
	notified atomic.Int64 // on whom their loops are at work
	held     atomic.Int64
	hungry   atomic.Bool // the Subscription waits for somebody to be free
	call     func()      // tells it
}

// left is told that a watcher is not in a state any more.
func (c *crowd) left(was int32) {
	switch was {
	case notified:
		if c.notified.Add(-1) > 0 {
			return // the rest of them will be free in a moment
		}
	case held:
		c.held.Add(-1)
	default:
		return
	}
	if c.hungry.Load() && c.hungry.CompareAndSwap(true, false) {
		c.call()
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
