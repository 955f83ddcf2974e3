package keyspace

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// shard is the actor around a Shard.
//
//	owns      a Shard
//	accepts   Execute, ExpireTick, SweepTick, CompactTick, ShedTick, SpillTick,
//	          spilled, adoption
//	sends     Execute on to the next shard and back to its Owner
//	crashes   when a handler panics, or the shard itself: clients get an error,
//	          Config.Broken is told, and what the shard holds is not trusted
type shard struct {
	*Shard
	mailbox *Mailbox
	node    *Node
	pid     *actor.PID
	due     atomic.Int64 // the nearest deadline, for the ticker; noDue if none

	sweeping bool         // a SweepTick is under way
	shedding atomic.Bool  // likewise a ShedTick
	compact  pacing       // of its compaction
	spilling atomic.Bool  // and a SpillTick
	thirsty  []*Execute   // batches that wait for memory
	suspect  bool         // a handler has failed in it: see rebuild.go
	early    atomic.Int64 // Shard.EarlyBytes after the last turn
	changes  atomic.Int64 // Stats.Changes, likewise
}

const noDue = int64(1<<63 - 1)

// Node is the shards of a server, as others reach them.
type Node struct {
	root     *actor.RootContext
	shards   []*shard
	dbs      int    // of each shard
	seed     uint64 // of each shard
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
	keeping  atomic.Pointer[keeping]
	loading  atomic.Bool
	bound    Bound
	exceeded exceeded
	short    short
	tier     Tier // nil: all values are in memory
	chill    atomic.Int64
	stop     chan struct{}
	ticking  sync.WaitGroup
}

// Config is what a Node is made of.
type Config struct {
	Shards, Databases int
	// Seed scatters keys over the tables; 0 draws one.
	Seed     uint64
	Settings *Settings
	// Tier keeps values that are cold; nil: none are.
	Tier Tier
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
	n := &Node{root: c.Root, workers: c.Workers, version: c.Version, onBroken: c.Broken, tier: c.Tier, stop: make(chan struct{})}
	n.set.Store(c.Settings)
	n.bound.tiered = c.Tier != nil
	n.start = time.Now()
	n.syncClock()
	n.turn = Turn{
		Nanos:    n.nanos,
		Ears:     c.Ears,
		Versions: func(k int) uint64 { return n.version.Add(uint64(k)) - uint64(k) },
	}
	if n.dbs, n.seed = c.Databases, c.Seed; n.seed == 0 {
		n.seed = rand.Uint64()
	}
	for i := range c.Shards {
		sh := &shard{Shard: NewShard(i, n.dbs, n.seed), node: n}
		if n.tier != nil {
			sh.UseTier(n.tier)
			n.bound.spilling.Add(1)
		}
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

// Weight is the number of commands of a batch, and what some of them weigh more.
func (x *Execute) Weight() int { return len(x.Requests) + x.Extra }

// IsSlow keeps heavy batches off the event loops.
func (x *Execute) IsSlow() bool { return x.Heavy }

// IsSlow: ticks run on workers.
func (*ExpireTick) IsSlow() bool { return true }

// IsSlow: ticks run on workers.
func (*SweepTick) IsSlow() bool { return true }

// IsSlow: ticks run on workers.
func (*ShedTick) IsSlow() bool { return true }

// IsSlow: ticks run on workers.
func (*CompactTick) IsSlow() bool { return true }

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
	case *ShedTick:
		sh.shedTick()
	case *CompactTick:
		sh.compactTick(m)
	case *SpillTick:
		sh.spillTick()
	case *spilled:
		sh.spilled(m)
	case *adoption:
		sh.adopt(m)
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
	switch {
	case x.anySuspect():
		x.refuse()
	case sh.parked(x):
		return
	case len(held) == 1:
		sh.runAlone(x)
	default:
		sh.runTogether(x)
	}
	if x.Broken != nil && x.Broken.Stack != nil {
		x.suspected()
	}
	if wants, anew := x.Anew(); anew {
		sh.park(x, wants)
		return
	}
	broken, version := x.Broken, uint64(0)
	for _, h := range held {
		version = max(version, h.version)
	}
	for _, h := range held[:len(held)-1] {
		h.mailbox.Release()
	}
	sh.node.answer(x, version) // x is its owner's from here on
	if broken != nil && broken.Stack != nil {
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
	if x.cold != nil {
		tx.CoolAgain(x, sh.node.isShort())
	}
	for _, h := range held {
		h.Stats.Batches++
		h.Stats.RanFor += turn.Took
	}
	tx.End(&turn)
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
	if n := sh.Stats.Changes; sh.changes.Load() != n {
		sh.changes.Store(n)
	}
	if sh.save != nil || sh.early.Load() != 0 {
		sh.early.Store(int64(sh.EarlyBytes()))
	}
	sh.tellMemory()
	if sh.short {
		sh.short = false
		sh.node.shed()
	}
	sh.node.checkShort()
	if sh.node.tier != nil {
		sh.spill()
	}
	sh.askToSweep()
}

// askToSweep begins to sweep, if there is anything.
func (sh *shard) askToSweep() {
	if sh.Garbage() && !sh.sweeping {
		sh.sweeping = true
		sh.node.root.Send(sh.pid, &SweepTick{})
	}
}

func (sh *shard) expireTick() {
	if sh.suspect {
		return
	}
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
	if sh.suspect {
		sh.sweeping = false
		return
	}
	if sh.sweeping = sh.Sweep(); sh.sweeping {
		sh.node.root.Send(sh.pid, &SweepTick{})
	}
	sh.tellMemory()
}

// tellMemory tells what has become of the shard's memory to those who look after
// that.
func (sh *shard) tellMemory() {
	sh.tell(&sh.node.bound, sh.node.Settings().Policy)
	sh.askToCompact()
}

// shedTick lets a slice of keys go if the node is above its limit, and asks for
// another one as long as that helps.
func (sh *shard) shedTick() {
	sh.shedding.Store(false)
	if sh.suspect {
		return
	}
	turn := sh.node.newTurn()
	tx := Begin(&turn, []*Shard{sh.Shard}, sh.node.Len())
	more := tx.Shed()
	tx.End(&turn)
	sh.short = false // the others have been asked
	sh.after()
	if more {
		sh.askToShed()
	}
}

// askToShed sends a ShedTick, if none is under way.
func (sh *shard) askToShed() {
	if !sh.shedding.Swap(true) {
		sh.node.root.Send(sh.pid, &ShedTick{})
	}
}
