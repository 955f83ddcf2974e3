package watch

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Registry is every live query of a server, by identity. Sessions come here to
// watch; queries that nobody watches are let go.
type Registry struct {
	// Limits and History may be changed at any time.
	Limits  Limits
	History budget
	// Past, if set, looks for what has changed since a version of a query that is no
	// longer kept, or of a life before: see Past.
	Past Past

	stage stage
	life  uint32 // tells this process's tokens from those of others

	mu       sync.Mutex
	rooms    map[string]*room
	watchers int64
	next     uint64
	idle     idleRooms
	looks    chan struct{} // a place for each look into the past that is under way
	closed   Totals        // of rooms that are gone, less what ResetStats has forgotten
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
	// Linger is how long, in milliseconds, a query is kept that nobody watches any
	// more, for those who resume.
	Linger atomic.Int64
}

// The limits without configuration.
const (
	WatchesMax       = 1_000_000
	ClientWatchesMax = 10_000
	ResultMax        = 1 << 20
	HistoryEntries   = 1000
	HistoryBytes     = 32 << 20
	LingerMillis     = 30_000
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
	buried   bool      // the actor has crashed
	idleFrom time.Time // when the last watcher left
	send     func(message any)
	stop     func()
}

// Watch adds a watcher to the query: its outlet will have news, the present
// state first. It returns the query as it is kept, which equals q. An error
// says why there is no such watch.
func (r *Registry) Watch(q *Query, o Options, w *Watcher, outlet Outlet) (*Query, error) {
	if size := q.size(); size > queryBytesMax {
		return nil, fmt.Errorf("the query is longer than one that is watched may be (%d bytes)", queryBytesMax)
	}
	if err := r.prepare(q, o, w); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if most := r.Limits.Watches.Load(); r.watchers >= most {
		return nil, fmt.Errorf("max number of watches reached (maxwatches %d)", most)
	}
	room, err := r.enter(q, o.Every)
	if err != nil {
		return nil, err
	}
	room.watchers++
	r.watchers++
	w.outlet, w.room, w.sub, w.place = outlet, room, room.sub, nowhere
	room.send(&Attach{w})
	return room.query, nil
}

// prepare gives a watcher its options, or says what is wrong with them.
func (r *Registry) prepare(q *Query, o Options, w *Watcher) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Every && !r.followable(q) {
		return errors.New("EVERY needs a query whose keys are all of one shard, and that is no long work")
	}
	w.delta, w.pace = o.Delta, newPace(&o)
	if o.Resume == "" {
		return nil
	}
	from, err := parseToken(o.Resume)
	if err != nil {
		return err
	}
	w.resume = &resume{from: from}
	return nil
}

// followable reports whether the shard of a query can read it in the turns of
// those who change its keys.
func (r *Registry) followable(q *Query) bool {
	if q.Spec.NeedsAll(q.Argv) || q.Spec.Flags.Has(command.Strays) || q.Spec.Flags.Has(command.Heavy) {
		return false
	}
	keys, _ := q.Spec.AppendKeys(nil, q.Argv)
	for _, k := range keys {
		if r.stage.node.ShardOf(q.Argv[k.Pos]) != r.stage.node.ShardOf(q.Argv[keys[0].Pos]) {
			return false
		}
	}
	return len(keys) > 0
}

// enter is the room of a query, opened if need be. The caller holds the lock.
func (r *Registry) enter(q *Query, every bool) (*room, error) {
	identity := q.Identity()
	if every {
		identity += everyIdentity
	}
	room := r.rooms[identity]
	if room != nil {
		r.idle.remove(room)
		return room, nil
	}
	room, err := r.open(identity, q, every)
	if err != nil {
		return nil, err
	}
	r.next++
	r.rooms[identity] = room
	return room, nil
}

// everyIdentity is behind the identity of a query whose every state is told: it is
// one of its own.
const everyIdentity = " every"

// mark is the room's part of tokens.
func (m *room) mark() uint64 { return uint64(m.registry.life)<<32 | m.number&(1<<32-1) }

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
	switch {
	case room.watchers > 0:
	case r.rooms[room.identity] == room && r.Limits.Linger.Load() > 0:
		r.idle.add(r, room)
	default:
		r.leave(room)
	}
}

// leave ends a room that nobody is in. The caller holds the lock.
func (r *Registry) leave(room *room) {
	r.forget(room)
	room.send(&Leave{})
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
		if !ends(room.query) {
			continue
		}
		watches += room.watchers
		if room.watchers == 0 {
			r.idle.remove(room)
			r.leave(room)
			continue
		}
		r.forget(room)
		room.send(&Finish{reason})
	}
	return watches
}

// Len is the number of distinct live queries.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.rooms) - r.idle.len()
}

// Kept is the number of queries that nobody watches and that are kept for a
// while: see Limits.Linger.
func (r *Registry) Kept() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.idle.len()
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
	return r.sum(), len(r.rooms) - r.idle.len(), r.watchers
}

// Behind is the number of watches whose links have not taken the newest state yet.
func (r *Registry) Behind() (watches int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, room := range r.rooms {
		watches += room.sub.crowd.held.Load()
	}
	return watches
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
		if room.watchers == 0 {
			continue
		}
		all = append(all, Info{room.query, room.totals(), room.number, room.watchers, room.sub.state.Load()})
	}
	slices.SortFunc(all, func(x, y Info) int { return int(x.Number) - int(y.Number) })
	return all
}
