package watch

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// A Subscription is an actor.
//
//	owns      a query's newest state, and who watches it
//	accepts   Attach, Detach, Changed, Evaluated, Ready, Pulse, Finish, Leave
//	sends     Execute to shards, News to outlets
//	crashes   on a mistake of the program: its watchers are told the end
//
// Its turns run on workers: see mailbox.

// stage is what live queries need around them.
type stage struct {
	node   *keyspace.Node
	place  func(turn func())
	post   func(to *Subscription, message any)
	spread func([]*Watcher) // has outlets told that there is news
	pause  func()           // between two steps of a walk over all queries
}

// NewRegistry makes an empty registry.
func NewRegistry(node *keyspace.Node, workers *keyspace.Workers) *Registry {
	r := &Registry{
		stage: stage{node: node, place: workers.Schedule, post: (*Subscription).receive, spread: spread, pause: runtime.Gosched},
		seed:  maphash.MakeSeed(), rooms: map[uint64]*Subscription{}, leaving: map[uint64]*Subscription{},
		looks: make(chan struct{}, looksMax), begun: time.Now(),
	}
	r.life = rand.Uint32()
	r.History.Entries.Store(HistoryEntries)
	r.History.Bytes.Store(HistoryBytes)
	r.Limits.Watches.Store(WatchesMax)
	r.Limits.Client.Store(ClientWatchesMax)
	r.Limits.Result.Store(ResultMax)
	return r
}

// send sends the Subscription a message. Anybody may call it.
func (s *Subscription) send(message any) { s.registry.stage.post(s, message) }

var (
	theChanged   = &Changed{}
	theReady     = &Ready{}
	theEvaluated = &Evaluated{}
)

var errStopped = resp.Error("ERR the live query was stopped")

// take deals with one message.
func (s *Subscription) take(message any) {
	evaluate := false
	switch m := message.(type) {
	case *Attach:
		evaluate = s.Attach(m.Watcher)
	case *Detach:
		s.Detach(m.Watcher)
	case *Changed:
		evaluate = !s.leaving && s.Changed()
	case *Evaluated:
		evaluate = s.evaluated()
	case *Ready:
		evaluate = s.Ready()
	case *Pulse:
		evaluate = !s.leaving && s.Pulse(m.Watcher)
	case *Finish:
		s.End(m.Reason)
	case *Leave:
		s.leaving = true
		s.history.drop(&s.registry.History)
		s.farewell()
	default:
		panic(fmt.Sprintf("live query: unknown message %T", m))
	}
	if evaluate {
		s.read()
	}
}

// evaluation is what one travels in to the shards and back. Of very many queries few
// are read at once, so they share them.
type evaluation struct {
	exec    keyspace.Execute
	reading reading

	of    *Subscription
	do    func(*keyspace.Tx) resp.Reply // both made once
	trace func(key []byte)

	at      int      // so many of the keys that it reads were those before
	other   [][]byte // the keys that it reads, if they are others
	scratch []byte   // for the result in RESP3
}

var evaluations = sync.Pool{New: func() any {
	one := &evaluation{}
	one.do = func(tx *keyspace.Tx) resp.Reply {
		one.evaluate(tx)
		return resp.Nothing
	}
	one.trace = one.note
	return one
}}

// scratchMax bounds, in bytes, the buffer that an evaluation keeps for others.
const scratchMax = 64 << 10

// release gives the evaluation to others.
func (one *evaluation) release() {
	one.exec.Reset()
	one.reading, one.of, one.at, one.other = reading{}, nil, 0, nil
	if cap(one.scratch) > scratchMax {
		one.scratch = nil
	}
	evaluations.Put(one)
}

// read has the query evaluated in its shards.
func (s *Subscription) read() {
	if s.under == nil {
		s.under = evaluations.Get().(*evaluation)
		s.under.of = s
	}
	s.post(&s.under.exec, s.under.do, s)
}

// post sends an Execute to the query's shards. Several are collected: they wait
// for each other while the query is read. Reading them one after the other and
// checking that nothing was touched in between would spare them that, but a
// handler sees one keyspace: it would have to be given copies of all it may
// read, or be one that can be run shard by shard.
func (s *Subscription) post(x *keyspace.Execute, do func(*keyspace.Tx) resp.Reply, owner keyspace.Owner) {
	node, q := s.registry.stage.node, &s.query
	x.Reset()
	if s.wide || q.Spec.NeedsAll(q.Argv) {
		node.VisitAll(x)
	}
	for _, key := range s.keys {
		x.Visit(node.ShardOf(key))
	}
	var few [16]command.KeyAt
	named, _ := q.Spec.AppendKeys(few[:0], q.Argv)
	for _, k := range named {
		x.Visit(node.ShardOf(q.Argv[k.Pos]))
	}
	if len(x.Shards) == 0 {
		x.Visit(0)
	}
	s.order(x, do, owner)
}

// order sends an Execute to the shards that it names.
func (s *Subscription) order(x *keyspace.Execute, do func(*keyspace.Tx) resp.Reply, owner keyspace.Owner) {
	q := &s.query
	x.Encoder = resp.V2
	x.Heavy = q.Spec.Flags.Has(command.Heavy)
	x.Requests = append(x.Requests, keyspace.Request{DB: q.DB, Spec: q.Spec, Argv: q.Argv, Do: do})
	if s.registry.stage.node.Post(x, owner) {
		owner.Executed(x)
	}
}

// Executed is called by a shard when the query has been evaluated.
func (s *Subscription) Executed(*keyspace.Execute) { s.send(theEvaluated) }

// loading is the failure of a request that meets a shard which is being rebuilt.
const loading = "LOADING"

func (s *Subscription) evaluated() (again bool) {
	one := s.under
	broken := one.exec.Broken != nil
	if !broken && !s.leaving && one.exec.Ran < len(one.exec.Requests) {
		s.wide = true
		s.read()
		return false
	}
	s.under = nil
	refused := one.exec.Requests[0].Failure == loading
	switch {
	case s.leaving:
		s.evaluating = false
		one.release()
		s.farewell()
		return false
	case broken || refused && s.state.Load() == nil:
		s.fail("its shard has failed")
		return false
	case refused: // its shard is being rebuilt: all are told when that is done
		s.evaluating, s.again = false, true
		s.tap.rung.Store(false)
		one.release()
		return false
	}
	s.countNanos(one.exec.Requests[0].Took)
	again = s.Evaluated(one.reading)
	one.release()
	return again
}

// farewell gives back what the Subscription holds in the shards, once no
// evaluation is under way there, and ends the actor.
func (s *Subscription) farewell() {
	if !s.evaluating {
		s.post(&keyspace.Execute{}, s.leave, gone{s})
	}
}

// gone owns the last Execute of a Subscription.
type gone struct{ s *Subscription }

// Executed is called when the shards know the Subscription no more.
func (g gone) Executed(*keyspace.Execute) { g.s.registry.ended(g.s) }

// fail ends the actor, whose turn this is, for a mistake of the program.
func (s *Subscription) fail(reason any) {
	s.mailbox.over = true
	s.crash(reason)
}

// crash tells the watchers that there will be no more. It is called in the
// turn that has failed, the actor's last. An evaluation may be under way, which
// alone knows the keys that are followed: so the farewell goes to all shards.
func (s *Subscription) crash(reason any) {
	if told := s.registry.Failed; told != nil {
		told(fmt.Sprintf("%s/%d", Address, s.number), reason)
	}
	s.registry.bury(s)
	s.End(resp.Error(fmt.Sprintf("ERR the live query failed: %v", reason)))
	x := &keyspace.Execute{}
	s.registry.stage.node.VisitAll(x)
	s.order(x, s.leave, gone{s})
}

// lost answers a watcher who was at the door when the actor failed.
func (s *Subscription) lost(message any) {
	if m, ok := message.(*Attach); ok {
		s.Attach(m.Watcher)
	}
}
