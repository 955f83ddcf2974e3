package watch

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// subscriptionActor is the actor around a Subscription.
//
//	owns      a Subscription
//	accepts   Attach, Detach, Changed, Evaluated, Ready, Pulse, Finish, Leave
//	sends     Execute to shards, News to outlets
//	crashes   on a mistake of the program: its watchers are told the end
//
// Its turns run on workers. Its mailbox is bounded by its senders: shards and
// loops send one message until they are heard, a link one Attach for each watch,
// of which it may have so many (Limits).
type subscriptionActor struct {
	*Subscription
	room    *room
	fanner  fanner
	mailbox keyspace.Mailbox
	under   *evaluation // that is under way
	keys    [][]byte    // for exec; used again
	wide    bool        // a script: it has come to read keys that it does not name
	leaving bool
	crashed bool
}

// stage is what the actors of live queries need around them.
type stage struct {
	node    *keyspace.Node
	workers *keyspace.Workers
	spawn   func(props *actor.Props, name string) (*actor.PID, error)
	root    *actor.RootContext

	place   func(turn func())
	props   *actor.Props       // of all subscriptions
	opening *subscriptionActor // whom they make; that happens under the registry's lock
}

// NewRegistry makes an empty registry.
func NewRegistry(node *keyspace.Node, workers *keyspace.Workers, root *actor.RootContext, spawn func(*actor.Props, string) (*actor.PID, error)) *Registry {
	r := &Registry{stage: stage{node: node, workers: workers, spawn: spawn, root: root, place: workers.Schedule}, rooms: map[string]*room{}, looks: make(chan struct{}, looksMax)}
	r.life = rand.Uint32()
	r.stage.props = actor.PropsFromProducer(func() actor.Actor { return r.stage.opening },
		actor.WithMailbox(func() actor.Mailbox { return &r.stage.opening.mailbox }))
	r.History.Entries.Store(HistoryEntries)
	r.History.Bytes.Store(HistoryBytes)
	r.Limits.Watches.Store(WatchesMax)
	r.Limits.Client.Store(ClientWatchesMax)
	r.Limits.Result.Store(ResultMax)
	return r
}

// open starts the actor of a query that nobody has watched yet.
func (r *Registry) open(identity string, q *Query, every bool) (*room, error) {
	a := &subscriptionActor{Subscription: &Subscription{query: q, limits: &r.Limits, every: every}}
	a.room = &room{registry: r, identity: identity, query: q, sub: a.Subscription, number: r.next + 1}
	a.Subscription.room, a.history.budget = a.room.mark(), &r.History
	if every {
		a.tap.every = a.Subscription
	}
	a.spread = a.fanner.spread
	a.mailbox = keyspace.Mailbox{Place: r.stage.place, Crashed: a.crash, Lost: a.lost}
	r.stage.opening = a
	pid, err := r.stage.spawn(r.stage.props, fmt.Sprintf("subscription/%d", a.room.number))
	if err != nil {
		return nil, fmt.Errorf("starting the live query %s: %w", q.Text(), err)
	}
	a.room.send = func(message any) { r.stage.root.Send(pid, message) }
	a.room.stop = func() { r.stage.root.Stop(pid) }
	changed, ready := &Changed{}, &Ready{}
	a.tap.ring = func() { a.room.send(changed) }
	a.crowd.call = func() { a.room.send(ready) }
	return a.room, nil
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
		evaluate = !a.leaving && a.Changed()
	case *Evaluated:
		evaluate = a.evaluated()
	case *Ready:
		evaluate = a.Ready()
	case *Pulse:
		evaluate = !a.leaving && a.Pulse(m.Watcher)
	case *Finish:
		a.End(m.Reason)
	case *Leave:
		a.leaving = true
		a.history.drop()
		a.farewell()
	case *actor.Started, *actor.Stopping, *actor.Stopped:
	default:
		panic(fmt.Sprintf("live query: unknown message %T", m))
	}
	if evaluate {
		a.read()
	}
}

// evaluation is what one travels in to the shards and back. Of very many queries few
// are read at once, so they share them.
type evaluation struct {
	exec    keyspace.Execute
	reading reading
}

var evaluations = sync.Pool{New: func() any { return &evaluation{} }}

// read has the query evaluated in its shards.
func (a *subscriptionActor) read() {
	if a.under == nil {
		a.under = evaluations.Get().(*evaluation)
	}
	one := a.under
	a.post(&one.exec, func(tx *keyspace.Tx) { one.reading = a.evaluate(tx) }, a)
}

// post sends an Execute to the query's shards. Several are collected: they wait
// for each other while the query is read. Reading them one after the other and
// checking that nothing was touched in between would spare them that, but a
// handler sees one keyspace: it would have to be given copies of all it may
// read, or be one that can be run shard by shard.
func (a *subscriptionActor) post(x *keyspace.Execute, do func(*keyspace.Tx), owner keyspace.Owner) {
	node := a.room.registry.stage.node
	x.Reset()
	if a.wide || a.query.Spec.NeedsAll(a.query.Argv) {
		node.VisitAll(x)
	}
	a.keys = a.appendKeys(a.keys[:0])
	for _, key := range a.keys {
		x.Visit(node.ShardOf(key))
	}
	clear(a.keys)
	if len(x.Shards) == 0 {
		x.Visit(0)
	}
	a.send(x, do, owner)
}

// send sends an Execute to the shards that it names.
func (a *subscriptionActor) send(x *keyspace.Execute, do func(*keyspace.Tx), owner keyspace.Owner) {
	x.Encoder = resp.V2
	x.Heavy = a.query.Spec.Flags.Has(command.Heavy)
	x.Requests = append(x.Requests, keyspace.Request{DB: a.query.DB, Spec: a.query.Spec, Argv: a.query.Argv, Do: func(tx *keyspace.Tx) resp.Reply {
		do(tx)
		return resp.Nothing
	}})
	if a.room.registry.stage.node.Post(x, owner) {
		owner.Executed(x)
	}
}

// Executed is called by a shard when the query has been evaluated.
func (a *subscriptionActor) Executed(*keyspace.Execute) { a.room.send(theEvaluated) }

var theEvaluated = &Evaluated{}

func (a *subscriptionActor) evaluated() (again bool) {
	one := a.under
	broken := one.exec.Broken != nil
	if !broken && !a.leaving && one.exec.Ran < len(one.exec.Requests) {
		a.wide = true
		a.read()
		return false
	}
	r := one.reading
	one.exec.Reset()
	one.reading = reading{}
	evaluations.Put(one)
	a.under = nil
	switch {
	case broken:
		return false // the server is going down
	case a.leaving:
		a.evaluating = false
		a.farewell()
		return false
	}
	return a.Evaluated(r)
}

// farewell gives back what the Subscription holds in the shards, once no
// evaluation is under way there, and ends the actor.
func (a *subscriptionActor) farewell() {
	if !a.evaluating {
		a.post(&keyspace.Execute{}, a.leave, gone{a.room})
	}
}

// gone owns the last Execute of a Subscription.
type gone struct{ room *room }

// Executed is called when the shards know the Subscription no more.
func (g gone) Executed(*keyspace.Execute) { g.room.stop() }

// crash tells the watchers that there will be no more. It is called in the
// turn that has failed, the actor's last. An evaluation may be under way, which
// alone knows the keys that are followed: so the farewell goes to all shards.
func (a *subscriptionActor) crash(reason, _ any) {
	if a.crashed {
		return
	}
	a.crashed = true
	a.room.registry.bury(a.room)
	a.End(resp.Error(fmt.Sprintf("ERR the live query failed: %v", reason)))
	x := &keyspace.Execute{}
	a.room.registry.stage.node.VisitAll(x)
	a.send(x, a.leave, gone{a.room})
}

// lost answers a watcher who was at the door when the actor stopped.
func (a *subscriptionActor) lost(message any) {
	if m, ok := message.(*Attach); ok {
		a.Attach(m.Watcher)
	}
}
