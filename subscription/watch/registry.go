package watch

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupedb/troupe/resp"
)

// Registry is every live query of a server, by identity. Sessions come here to
// watch; queries that nobody watches are let go.
type Registry struct {
	// Limits may be changed at any time.
	Limits Limits

	stage stage

	mu       sync.Mutex
	rooms    map[string]*room
	watchers int64
	next     uint64
	closed   Totals // of rooms that are gone, less what ResetStats has forgotten
}

// Limits bound what live queries may take.
type Limits struct {
	// Watches is the most watches at once, of all links; each takes some 500
	// bytes. One more is refused. What is being watched stays.
	Watches atomic.Int64
	// Client is the same for one link.
	Client atomic.Int64
	// Result is the longest result, in bytes of RESP3. Instead of a longer one
	// there is an error, until it is shorter.
	Result atomic.Int64
}

// The limits without configuration.
const (
	WatchesMax       = 1_000_000
	ClientWatchesMax = 10_000
	ResultMax        = 1 << 20
)

// queryBytesMax bounds the words of a query, which it keeps; longer ones are
// refused.
const queryBytesMax = 64 << 10

// room is a registered query: the address of its actor, and what others may
// know of it. What is not marked belongs to the registry's lock.
type room struct {
	registry *Registry
	number   uint64
	identity string
	query    *Query
	sub      *Subscription
	watchers int
	buried   bool // the actor has crashed
	send     func(message any)
	stop     func()
}

// Watch adds a watcher to the query: its outlet will have news, the present
// state first. It returns the query as it is kept, which equals q. An error
// says why there is no such watch.
func (r *Registry) Watch(q *Query, w *Watcher, outlet Outlet) (*Query, error) {
	if size := q.size(); size > queryBytesMax {
		return nil, fmt.Errorf("the query is longer than one that is watched may be (%d bytes)", queryBytesMax)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if most := r.Limits.Watches.Load(); r.watchers >= most {
		return nil, fmt.Errorf("max number of watches reached (maxwatches %d)", most)
	}
	identity := q.Identity()
	room := r.rooms[identity]
	if room == nil {
		var err error
		if room, err = r.open(identity, q); err != nil {
			return nil, err
		}
		r.next++
		r.rooms[identity] = room
	}
	room.watchers++
	r.watchers++
	w.outlet, w.room, w.sub, w.place = outlet, room, room.sub, nowhere
	room.send(&Attach{w})
	return room.query, nil
}

// Unwatch takes a watcher away, which must not have been taken away before.
// From the call on there is nothing for it to Take.
func (r *Registry) Unwatch(w *Watcher) {
	w.end()
	r.mu.Lock()
	defer r.mu.Unlock()
	room := w.room
	r.watchers--
	room.watchers--
	if room.buried {
		return
	}
	room.send(&Detach{w})
	if room.watchers == 0 {
		r.forget(room)
		room.send(&Leave{})
	}
}

// forget takes a room from those that can be watched. The caller holds the
// lock.
func (r *Registry) forget(room *room) {
	if r.rooms[room.identity] == room {
		delete(r.rooms, room.identity)
		r.closed.add(room.totals())
	}
}

// bury is told that a room's actor has crashed. Who watches next begins anew.
func (r *Registry) bury(room *room) {
	r.mu.Lock()
	defer r.mu.Unlock()
	room.buried = true
	r.forget(room)
}

// Kill ends all watches of the queries with a fingerprint: every watcher's last
// frame is the reason, an error. It returns how many watches there were.
func (r *Registry) Kill(fingerprint string, reason resp.Reply) (watches int) {
	return r.EndIf(func(q *Query) bool { return q.Fingerprint(0) == fingerprint }, reason)
}

// EndIf is Kill for the queries of which ends is true.
func (r *Registry) EndIf(ends func(*Query) bool, reason resp.Reply) (watches int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, room := range r.rooms {
		if ends(room.query) {
			watches += room.watchers
			r.forget(room)
			room.send(&Finish{reason})
		}
	}
	return watches
}

// Len is the number of distinct live queries.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.rooms)
}

// Totals count what live queries have done.
type Totals struct {
	// Evaluations is how often queries were evaluated, Pushes how many frames
	// links took after the first ones, Covered the changes that these stood for.
	Evaluations, Pushes, Covered int64
}

func (t *Totals) add(more Totals) {
	t.Evaluations += more.Evaluations
	t.Pushes += more.Pushes
	t.Covered += more.Covered
}

func (m *room) totals() Totals {
	return Totals{m.sub.evaluations.Load(), m.sub.pushes.Load(), m.sub.covered.Load()}
}

// Stats are the counters since the start or ResetStats, with the number of
// distinct queries and that of all watches now.
func (r *Registry) Stats() (t Totals, queries int, watches int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sum(), len(r.rooms), r.watchers
}

func (r *Registry) sum() Totals {
	t := r.closed
	for _, room := range r.rooms {
		t.add(room.totals())
	}
	return t
}

// ResetStats sets the counters to zero.
func (r *Registry) ResetStats() {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.sum()
	r.closed.add(Totals{-t.Evaluations, -t.Pushes, -t.Covered})
}

// Info is what can be told of a live query.
type Info struct {
	*Query
	Totals
	Number  uint64 // in the order of their beginnings
	Watches int
	State   *State // nil: not evaluated yet
}

// List tells of all live queries, in the order in which they began.
func (r *Registry) List() []Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Info, 0, len(r.rooms))
	for _, room := range r.rooms {
		all = append(all, Info{room.query, room.totals(), room.number, room.watchers, room.sub.state.Load()})
	}
	slices.SortFunc(all, func(x, y Info) int { return int(x.Number) - int(y.Number) })
	return all
}
