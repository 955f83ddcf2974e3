package watch

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
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
	// Failed, if set, is told of live queries that have failed by a mistake of the
	// program, by their paths. It is set before the first one.
	Failed func(path string, reason any)

	// Limits and History may be changed at any time.
	Limits  Limits
	History budget
	// Past, if set, looks for what has changed since a version of a query that is no
	// longer kept, or of a life before: see Past.
	Past Past

	stage  stage
	life   uint32 // tells this process's tokens from those of others
	counts counts

	begun time.Time
	seed  maphash.Seed

	mu       sync.Mutex
	rooms    map[uint64]*Subscription // by the hashes of their queries; see room.next
	leaving  map[uint64]*Subscription // those that cannot be watched any more, by number
	queries  int                      // in rooms
	watchers int64
	next     uint64
	idle     idleRooms
	looks    chan struct{} // a place for each look into the past that is under way
}

// room is what a Subscription is to the registry: a room, which watchers enter and
// leave. It belongs to the registry's lock.
type room struct {
	next     *Subscription // another one of the same hash
	idleFrom time.Duration // when the last watcher left; 0: it is not idle
	watches  int32
	buried   bool // the actor has crashed
}

// Limits bound what live queries may take.
type Limits struct {
	// Watches is the most watches at once, of all links; each takes some 200
	// bytes, a distinct query about 700. One more is refused. What is being watched stays.
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
	room := r.enter(q, o.Every)
	room.watches++
	r.watchers++
	w.outlet, w.sub, w.place = outlet, room, nowhere
	room.send(&Attach{w})
	return &room.query, nil
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

// enter is the room of a query, opened if need be. A query whose every state is
// told has one of its own. The caller holds the lock.
func (r *Registry) enter(q *Query, every bool) *Subscription {
	hash := q.hash(r.seed)
	for room := r.rooms[hash]; room != nil; room = room.next {
		if room.query.Equal(q) && every == (room.every != nil) {
			r.idle.remove(room)
			return room
		}
	}
	r.next++
	room := &Subscription{registry: r, query: *q, number: r.next}
	room.tap.of, room.next = room, r.rooms[hash]
	if every {
		room.every = &following{}
	}
	r.rooms[hash] = room
	r.queries++
	return room
}

// stepRooms is how many queries are looked at before others have the lock.
const stepRooms = 256

// each calls do for each query that can be watched, until it returns false. The
// caller holds the lock, which others have in between: nobody who watches, or ends
// a watch, waits for more than a step. Queries that are there all the time are
// seen once; of those that come or go meanwhile, some are.
func (r *Registry) each(do func(*Subscription) bool) {
	seen := 0
	for _, room := range r.rooms {
		for room != nil {
			next := room.next
			if !do(room) {
				return
			}
			room = next
		}
		r.step(&seen)
	}
}

// step counts what a walk has seen, and at the end of a step lets others in.
func (r *Registry) step(seen *int) {
	if *seen++; *seen%stepRooms == 0 {
		r.mu.Unlock()
		r.stage.pause()
		r.mu.Lock()
	}
}

// mark is the room's part of tokens.
func (s *Subscription) mark() uint64 { return uint64(s.registry.life)<<32 | s.number&(1<<32-1) }

// Unwatch takes a watcher away, which must not have been taken away before.
// From the call on there is nothing for it to Take.
func (r *Registry) Unwatch(w *Watcher) {
	w.end()
	r.mu.Lock()
	defer r.mu.Unlock()
	room := w.sub
	r.watchers--
	room.watches--
	if room.buried {
		return
	}
	room.send(&Detach{w})
	switch {
	case room.watches > 0:
	case r.leaving[room.number] == nil && r.Limits.Linger.Load() > 0:
		r.idle.add(r, room)
	default:
		r.leave(room)
	}
}

// leave ends a room that nobody is in. The caller holds the lock.
func (r *Registry) leave(room *Subscription) {
	r.forget(room)
	room.send(&Leave{})
}

// forget takes a room from those that can be watched. The caller holds the
// lock.
func (r *Registry) forget(room *Subscription) {
	if r.leaving[room.number] != nil {
		return
	}
	r.leaving[room.number] = room
	r.queries--
	hash := room.query.hash(r.seed)
	switch first := r.rooms[hash]; {
	case first != room:
		for first.next != room {
			first = first.next
		}
		first.next = room.next
	case room.next == nil:
		delete(r.rooms, hash)
	default:
		r.rooms[hash] = room.next
	}
	room.next = nil
}

// ended is told that a room's actor has had its last turn.
func (r *Registry) ended(room *Subscription) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.leaving, room.number)
}

// bury is told that a room's actor has crashed. Who watches next begins anew.
func (r *Registry) bury(room *Subscription) {
	r.mu.Lock()
	defer r.mu.Unlock()
	room.buried = true
	r.idle.remove(room)
	r.forget(room)
}

// Actors calls do for the actor of each query, with its number and how many
// messages wait for it.
func (r *Registry) Actors(do func(number uint64, waiting int)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.each(func(s *Subscription) bool {
		do(s.number, s.mailbox.waiting())
		return true
	})
	seen := 0
	for _, s := range r.leaving {
		do(s.number, s.mailbox.waiting())
		r.step(&seen)
	}
}

// Actor is the number of messages that wait for the actor of a number.
func (r *Registry) Actor(number uint64) (waiting int, ok bool) {
	if s := r.numbered(number); s != nil {
		return s.mailbox.waiting(), true
	}
	return 0, false
}

func (r *Registry) numbered(number uint64) (found *Subscription) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.each(func(s *Subscription) bool {
		if s.number == number {
			found = s
		}
		return found == nil
	})
	if found == nil {
		found = r.leaving[number]
	}
	return found
}

// Kill ends all watches of the queries with a fingerprint: every watcher's last
// frame is the reason, an error. It returns how many watches there were.
func (r *Registry) Kill(fingerprint Fingerprint, reason resp.Reply) (watches int) {
	return r.EndIf(func(q *Query) bool { return q.Fingerprint(0) == fingerprint }, reason)
}

// EndIf is Kill for the queries of which ends is true.
func (r *Registry) EndIf(ends func(*Query) bool, reason resp.Reply) (watches int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.each(func(room *Subscription) bool {
		switch {
		case !ends(&room.query):
		case room.watches == 0:
			r.idle.remove(room)
			r.leave(room)
		default:
			watches += int(room.watches)
			r.forget(room)
			room.send(&Finish{reason})
		}
		return true
	})
	return watches
}

// Len is the number of distinct live queries.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queries - r.idle.len()
}

// Kept is the number of queries that nobody watches and that are kept for a
// while: see Limits.Linger.
func (r *Registry) Kept() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.idle.len()
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
func (r *Registry) List() (all []Info) {
	r.gather(&all)
	slices.SortFunc(all, func(x, y Info) int { return cmp.Compare(x.Number, y.Number) })
	return all
}

func (r *Registry) gather(all *[]Info) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*all = make([]Info, 0, r.queries)
	r.each(func(room *Subscription) bool {
		if room.watches > 0 {
			*all = append(*all, Info{&room.query, room.totals(), room.number, int(room.watches), room.state.Load()})
		}
		return true
	})
}
