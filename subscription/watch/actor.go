package watch

import (
	"fmt"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// subscriptionActor is the actor around a Subscription.
//
//	owns      a Subscription
//	accepts   Attach, Detach, Changed, Evaluated, Ready, Leave
//	sends     Execute to shards, frames to outlets
//	crashes   on a mistake of the program: its watchers are told the end
type subscriptionActor struct {
	*Subscription
	room    *room
	exec    keyspace.Execute
	reading reading
	leaving bool
	failure resp.Reply // after a crash
}

// Registry is every live query of a server, by identity. Sessions come here to
// watch; queries that nobody watches are let go.
type Registry struct {
	node    *keyspace.Node
	workers *keyspace.Workers
	spawn   func(props *actor.Props, name string) (*actor.PID, error)
	root    *actor.RootContext

	mu    sync.Mutex
	rooms map[string]*room
	next  uint64
}

// room is a registered query: the address of its actor and the number of its
// watchers.
type room struct {
	registry *Registry
	identity string
	query    *Query
	watchers int
	send     func(message any)
	stop     func()
}

// NewRegistry makes an empty registry.
func NewRegistry(node *keyspace.Node, workers *keyspace.Workers, root *actor.RootContext, spawn func(*actor.Props, string) (*actor.PID, error)) *Registry {
	return &Registry{node: node, workers: workers, root: root, spawn: spawn, rooms: map[string]*room{}}
}

// Watch adds a watcher to the query, whose outlet hears of its states from
// the present one on.
func (r *Registry) Watch(q *Query, w *Watcher, outlet Outlet) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	identity := q.Identity()
	room := r.rooms[identity]
	if room == nil {
		var err error
		if room, err = r.open(identity, q); err != nil {
			return err
		}
	}
	room.watchers++
	w.outlet, w.room = outlet, room
	room.send(&Attach{w})
	return nil
}

// Unwatch takes a watcher away. A push that is under way may still come.
func (r *Registry) Unwatch(w *Watcher) {
	r.mu.Lock()
	defer r.mu.Unlock()
	room := w.room
	room.send(&Detach{w})
	if room.watchers--; room.watchers == 0 {
		r.forget(room)
		room.send(&Leave{})
	}
}

// forget makes whoever watches the query next open another room.
func (r *Registry) forget(room *room) {
	if r.rooms[room.identity] == room {
		delete(r.rooms, room.identity)
	}
}

// Len is the number of distinct live queries.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.rooms)
}

func (r *Registry) open(identity string, q *Query) (*room, error) {
	room := &room{registry: r, identity: identity, query: q}
	a := &subscriptionActor{Subscription: &Subscription{query: q}, room: room}
	mailbox := &keyspace.Mailbox{Place: r.workers.Schedule, Crashed: func(reason, _ any) { a.crashed(reason) }, Lost: a.lost}
	props := actor.PropsFromProducer(func() actor.Actor { return a },
		actor.WithMailbox(func() actor.Mailbox { return mailbox }))
	r.next++
	pid, err := r.spawn(props, fmt.Sprintf("subscription/%d", r.next))
	if err != nil {
		return nil, fmt.Errorf("starting the live query %s: %w", q.Text(), err)
	}
	room.send = func(message any) { r.root.Send(pid, message) }
	room.stop = func() { r.root.Stop(pid) }
	a.tap.ring = func() { room.send(&Changed{}) }
	r.rooms[identity] = room
	return room, nil
}

// Receive is called by protoactor.
func (a *subscriptionActor) Receive(ctx actor.Context) {
	evaluate := false
	switch m := ctx.Message().(type) {
	case *Attach:
		evaluate = a.Attach(m.Watcher)
	case *Detach:
		a.Detach(m.Watcher)
	case *Changed:
		evaluate = a.Changed()
	case *Evaluated:
		evaluate = a.evaluated()
	case *Ready:
		evaluate = a.Ready(m.Watcher)
	case *Leave:
		a.leaving = true
		evaluate = a.begin()
	case *actor.Started, *actor.Stopping, *actor.Stopped:
	default:
		panic(fmt.Sprintf("live query: unknown message %T", m))
	}
	if evaluate {
		a.post()
	}
}

// post sends the evaluation, or the farewell, to the query's shards.
func (a *subscriptionActor) post() {
	x, q, node := &a.exec, a.query, a.room.registry.node
	x.Reset()
	x.Encoder = resp.V2
	for _, key := range a.queryKeys() {
		x.Visit(node.ShardOf(key))
	}
	if len(x.Shards) == 0 {
		x.Visit(0)
	}
	leaving := a.leaving
	x.Requests = append(x.Requests, keyspace.Request{DB: q.DB, Do: func(tx *keyspace.Tx) resp.Reply {
		if leaving {
			a.leave(tx)
		} else {
			a.reading = a.evaluate(tx)
		}
		return resp.Nothing
	}})
	if node.Post(x, a) {
		a.room.send(&Evaluated{})
	}
}

// queryKeys are the keys that the command names, and those watched so far.
func (a *subscriptionActor) queryKeys() [][]byte {
	named, _ := a.query.Spec.AppendKeys(nil, a.query.Argv)
	keys := append([][]byte(nil), a.keys...)
	for _, k := range named {
		keys = append(keys, a.query.Argv[k.Pos])
	}
	return keys
}

// Executed is called by a shard.
func (a *subscriptionActor) Executed(*keyspace.Execute) { a.room.send(&Evaluated{}) }

func (a *subscriptionActor) evaluated() (again bool) {
	if a.exec.Broken != nil {
		return false // the server is going down
	}
	if !a.leaving {
		again = a.Evaluated(a.reading)
		a.reading = reading{}
		return again
	}
	a.evaluating = false
	if len(a.keys) > 0 { // the evaluation that was under way when the last watcher left
		return a.begin()
	}
	a.room.stop()
	return false
}

// crashed tells the watchers that there will be no more. Nobody is let in
// from here on; those at the door are told when the actor has stopped.
func (a *subscriptionActor) crashed(reason any) {
	r := a.room.registry
	r.mu.Lock()
	r.forget(a.room)
	r.mu.Unlock()
	a.failure = resp.Error(fmt.Sprintf("ERR the live query failed: %v", reason))
	for _, w := range a.watchers {
		w.outlet.Push(w, Frame{Result: a.failure, Version: a.version, Kind: End})
	}
	for _, w := range a.waiting {
		w.outlet.Refused(w, a.failure)
	}
	a.watchers, a.waiting = nil, nil
}

// lost answers a watcher that came too late.
func (a *subscriptionActor) lost(message any) {
	if m, ok := message.(*Attach); ok {
		m.Watcher.outlet.Refused(m.Watcher, a.failure)
	}
}
