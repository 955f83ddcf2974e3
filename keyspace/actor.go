package keyspace

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// shard is the actor around a Shard.
//
//	owns      a Shard
//	accepts   Execute, ExpireTick, SweepTick
//	sends     Execute on to the next shard and back to its Owner
//	crashes   when a handler panics, or the shard itself: clients get an error,
//	          Config.Broken is told, and what the shard holds is not trusted
type shard struct {
	*Shard
	mailbox *Mailbox
	node    *Node
	pid     *actor.PID
	due     atomic.Int64 // the nearest deadline, for the ticker; noDue if none

	sweeping bool // a SweepTick is under way
}

const noDue = int64(1<<63 - 1)

// Node is the shards of a server, as others reach them.
type Node struct {
	root     *actor.RootContext
	shards   []*shard
	workers  *Workers
	turn     Turn
	set      atomic.Pointer[Settings]
	version  *atomic.Uint64
	skew     atomic.Int64
	start    time.Time
	offset   atomic.Int64 // of the shards' wall clock from nanos, in nanoseconds
	recent   atomic.Int64 // the clock at the last tick
	onBroken func(*Broken)
	meter    atomic.Pointer[TurnMeter]
	stop     chan struct{}
	ticking  sync.WaitGroup
}

// Config is what a Node is made of.
type Config struct {
	Shards, Databases int
	// Seed scatters keys over the tables; 0 draws one.
	Seed     uint64
	Settings *Settings
	// Workers run what must not run on an event loop.
	Workers *Workers
	// Ears hears what turns do; nil: nobody.
	Ears Ears
	// Version is the node's counter of changes.
	Version *atomic.Uint64
	// Broken is told, once for each, of panics in handlers and shards.
	Broken func(*Broken)
	// Spawn starts an actor under the supervision that shards get.
	Spawn func(props *actor.Props, name string) (*actor.PID, error)
	Root  *actor.RootContext
}

// NewNode starts the shards' actors.
func NewNode(c Config) (*Node, error) {
	n := &Node{root: c.Root, workers: c.Workers, version: c.Version, onBroken: c.Broken, stop: make(chan struct{})}
	n.set.Store(c.Settings)
	n.start = time.Now()
	n.syncClock()
	n.turn = Turn{
		Nanos:    n.nanos,
		Ears:     c.Ears,
		Versions: func(k int) uint64 { return n.version.Add(uint64(k)) - uint64(k) },
	}
	seed := c.Seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	for i := range c.Shards {
		sh := &shard{Shard: NewShard(i, c.Databases, seed), node: n}
		sh.due.Store(noDue)
		sh.mailbox = &Mailbox{Rest: n.workers.Schedule, Crashed: sh.crashed, Lost: sh.lost}
		props := actor.PropsFromProducer(func() actor.Actor { return sh },
			actor.WithMailbox(func() actor.Mailbox { return sh.mailbox }), actor.WithDispatcher(n.workers))
		pid, err := c.Spawn(props, fmt.Sprintf("shard/%d", i))
		if err != nil {
			return nil, fmt.Errorf("starting shard %d: %w", i, err)
		}
		sh.pid = pid
		n.shards = append(n.shards, sh)
	}
	n.ticking.Go(n.tick)
	return n, nil
}

// Len is the number of shards.
func (n *Node) Len() int { return len(n.shards) }

// ShardOf is the number of the shard that owns the key.
func (n *Node) ShardOf(key []byte) int { return ShardOf(key, len(n.shards)) }

// Settings are those in force; SetSettings puts others in force, from each
// shard's next turn on.
func (n *Node) Settings() *Settings     { return n.set.Load() }
func (n *Node) SetSettings(s *Settings) { n.set.Store(s) }

// nanos is the monotonic clock, from the node's start.
func (n *Node) nanos() int64 { return int64(time.Since(n.start)) }

// syncClock compares the two clocks, so that a turn needs to read only one.
// Jumps of the wall clock are noticed at the next tick.
func (n *Node) syncClock() {
	now := n.Clock()
	n.recent.Store(now)
	n.offset.Store(now*int64(time.Millisecond) - n.nanos())
}

// Clock is the time as the shards see it, Unix milliseconds: that of the
// machine and what Advance has added. Recent is the same as of the last tick.
func (n *Node) Clock() int64  { return time.Now().UnixMilli() + n.skew.Load() }
func (n *Node) Recent() int64 { return n.recent.Load() }

// Micros is Clock in microseconds.
func (n *Node) Micros() int64 { return time.Now().UnixMicro() + n.skew.Load()*1000 }

// Advance moves the clock of the shards forward, for tests (DEBUG ADVANCE).
func (n *Node) Advance(ms int64) {
	n.skew.Add(ms)
	n.syncClock()
}

// Post sends a batch to its shards and reports whether it is done already.
// If not, the owner will be told, and until then the batch is not touched.
// The batch may run within this call, unless it is heavy.
func (n *Node) Post(x *Execute, owner Owner) (isDone bool) {
	x.owner = owner
	n.root.Send(n.shards[x.Shards[0]].pid, x)
	return x.await()
}

// VisitAll names every shard in the batch.
func (n *Node) VisitAll(x *Execute) {
	x.Shards = x.Shards[:0]
	for i := range n.shards {
		x.Shards = append(x.Shards, i)
	}
}

// TurnMeter measures the turns of shards (DEBUG TURNS).
type TurnMeter struct {
	// Clock is the processor time, in nanoseconds, of the thread that calls it.
	Clock func() int64
	// Took is told how much of it each turn took, in that turn.
	Took func(nanos int64)
}

// Measure makes a meter measure all turns from here on; nil measures none.
func (n *Node) Measure(meter *TurnMeter) { n.meter.Store(meter) }

// measure begins a measurement; what it returns ends it.
func (m *TurnMeter) measure() (end func()) {
	runtime.LockOSThread()
	start := m.Clock()
	return func() {
		m.Took(m.Clock() - start)
		runtime.UnlockOSThread()
	}
}

// Waiting is the number of messages that wait for a shard.
func (n *Node) Waiting(shard int) int { return n.shards[shard].mailbox.UserMessageCount() }

// Close stops the ticker and gives the shards' memory back. No shard may be
// at work, nor be posted to.
func (n *Node) Close() {
	close(n.stop)
	n.ticking.Wait()
	for _, sh := range n.shards {
		n.root.Stop(sh.pid)
		sh.Close()
	}
}

// Weight is the number of commands of a batch.
func (x *Execute) Weight() int { return len(x.Requests) }

// IsSlow keeps heavy batches off the event loops.
func (x *Execute) IsSlow() bool { return x.Heavy }

// IsSlow: ticks run on workers.
func (*ExpireTick) IsSlow() bool { return true }

// IsSlow: ticks run on workers.
func (*SweepTick) IsSlow() bool { return true }

// Receive is called by protoactor.
func (sh *shard) Receive(ctx actor.Context) {
	if meter := sh.node.meter.Load(); meter != nil {
		defer meter.measure()()
	}
	switch m := ctx.Message().(type) {
	case *Execute:
		sh.execute(m)
	case *ExpireTick:
		sh.expireTick()
	case *SweepTick:
		sh.sweepTick()
	case *actor.Started, *actor.Stopping, *actor.Stopped, *actor.Terminated:
	default:
		panic(fmt.Sprintf("shard %d: unknown message %T", sh.id, m))
	}
}

// execute runs a batch, or holds the shard for it and sends it on.
func (sh *shard) execute(x *Execute) {
	if sh.Widen(x, sh.node.Len()) {
		x.release()
		x.restart()
		sh.node.root.Send(sh.node.shards[x.Shards[0]].pid, x)
		return
	}
	x.held = append(x.held, sh)
	if x.next++; x.next < len(x.Shards) {
		sh.mailbox.Hold()
		sh.node.root.Send(sh.node.shards[x.Shards[x.next]].pid, x)
		return // nothing of this shard may be touched after the sending
	}
	held := x.held
	if len(held) == 1 {
		sh.runAlone(x)
	} else {
		sh.runTogether(x)
	}
	broken := x.Broken
	for _, h := range held[:len(held)-1] {
		h.mailbox.Release()
	}
	x.finish() // x is its owner's from here on
	if broken != nil {
		sh.node.onBroken(broken)
	}
}

// release lets go the shards that a batch holds.
func (x *Execute) release() {
	for _, h := range x.held {
		h.mailbox.Release()
	}
}

// crashed reports that the shard itself has panicked, and stops.
func (sh *shard) crashed(reason, message any) {
	sh.node.onBroken(&Broken{Command: fmt.Sprintf("%T", message), Reason: reason, Stack: debug.Stack()})
	sh.lost(message)
}

// lost answers for a batch that the shard did not live to run.
func (sh *shard) lost(message any) {
	x, ok := message.(*Execute)
	if !ok {
		return
	}
	x.release()
	x.fail()
	x.finish()
}

func (sh *shard) runAlone(x *Execute) {
	var held [1]*Shard
	held[0] = sh.Shard
	sh.run(x, held[:])
	sh.after()
}

func (sh *shard) runTogether(x *Execute) {
	held := make([]*Shard, len(x.held))
	for i, h := range x.held {
		held[i] = h.Shard
	}
	sh.run(x, held)
	for _, h := range x.held {
		h.after()
	}
}

func (sh *shard) run(x *Execute, held []*Shard) {
	turn := sh.node.newTurn()
	tx := Begin(&turn, held, sh.node.Len())
	tx.Run(&turn, x)
	tx.End(&turn)
}

func (n *Node) newTurn() Turn {
	turn := n.turn
	turn.Start = n.nanos()
	turn.Now = (turn.Start + n.offset.Load()) / int64(time.Millisecond)
	turn.Settings, turn.Seed = n.set.Load(), rand.Uint64()
	return turn
}

// after tells the ticker of the shard's nearest deadline, and begins to sweep.
func (sh *shard) after() {
	when, ok := sh.NextDeadline()
	if !ok {
		when = noDue
	}
	if sh.due.Load() != when {
		sh.due.Store(when)
	}
	if sh.Garbage() && !sh.sweeping {
		sh.sweeping = true
		sh.node.root.Send(sh.pid, &SweepTick{})
	}
}

func (sh *shard) expireTick() {
	turn := sh.node.newTurn()
	tx := Begin(&turn, []*Shard{sh.Shard}, sh.node.Len())
	more := tx.ExpireDue()
	tx.End(&turn)
	sh.after()
	if more {
		sh.node.root.Send(sh.pid, &ExpireTick{})
	}
}

func (sh *shard) sweepTick() {
	if sh.sweeping = sh.Sweep(); sh.sweeping {
		sh.node.root.Send(sh.pid, &SweepTick{})
	}
}

// tickInterval is how often the node looks for deadlines that have come: a
// key goes, and its watchers hear, within about this time of its deadline.
const tickInterval = 20 * time.Millisecond

func (n *Node) tick() {
	ticker := time.NewTicker(tickInterval)
	defer ticker.Stop()
	for {
		select {
		case <-n.stop:
			return
		case <-ticker.C:
			n.syncClock()
			n.expireDue()
		}
	}
}

func (n *Node) expireDue() {
	now := n.Clock()
	for _, sh := range n.shards {
		if sh.due.Load() <= now && n.set.Load().ActiveExpire {
			sh.due.Store(noDue) // asked for; after() sets it anew
			n.root.Send(sh.pid, &ExpireTick{})
		}
	}
}
