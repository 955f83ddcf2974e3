package watch

import (
	"sync/atomic"

	"github.com/troupedb/troupe/resp"
)

// Watcher is one link's part in a Subscription. At most one push is on its way
// to it; what happens meanwhile is folded into the next.
type Watcher struct {
	// Fingerprint names the watch on its link.
	Fingerprint string
	// Channel is the name that messages carry, for a watch by SUBSCRIBE.
	Channel string

	outlet  Outlet
	room    *room
	version uint64 // of the last push
	covered int64  // changes since then
	flight  atomic.Int32
}

// Outlet is where a watcher's frames go: a session. It is called in a
// Subscription's turn and returns at once: it sends a message.
type Outlet interface {
	// Begun gives the first state, which answers the request to watch.
	Begun(*Watcher, Frame)
	// Refused answers it with an error; the watch is over.
	Refused(*Watcher, resp.Reply)
	// Push gives a later frame. The outlet calls Taken when it has been sent.
	Push(*Watcher, Frame)
}

// The states of a watcher's flight.
const (
	landed int32 = iota // may be sent a push
	flying              // one is on its way
	missed              // one is on its way, and something has happened since
)

// claim takes the right to send a push; without it, the watcher will ask.
func (w *Watcher) claim() bool {
	if w.flight.CompareAndSwap(landed, flying) {
		return true
	}
	if w.flight.CompareAndSwap(flying, missed) {
		return false
	}
	return w.flight.CompareAndSwap(landed, flying) // it has landed just now
}

// claimable reports whether the watcher could take a push; if not, it will ask
// when it can.
func (w *Watcher) claimable() bool {
	return w.flight.Load() == landed || !w.flight.CompareAndSwap(flying, missed) && w.flight.Load() == landed
}

// Taken tells that the push has left the server.
func (w *Watcher) Taken() {
	if w.flight.Swap(landed) == missed {
		w.room.send(&Ready{w})
	}
}
