package keyspace

import (
	"math/rand/v2"
	"runtime"
	"time"
)

// Len is the number of shards.
func (n *Node) Len() int { return len(n.shards) }

// ShardOf is the number of the shard that owns the key.
func (n *Node) ShardOf(key []byte) int { return ShardOf(key, len(n.shards)) }

// Settings are those in force; SetSettings puts others in force, from each
// shard's next turn on; another policy also from now on, in those that rest.
func (n *Node) Settings() *Settings { return n.set.Load() }
func (n *Node) SetSettings(s *Settings) {
	if old := n.set.Swap(s); old != nil && old.Policy != s.Policy {
		n.shed() // by another policy; and they remember uses, or do not
	}
}

// Nanos is the clock of Execute's Began and Ended: monotonic, from the node's
// start.
func (n *Node) Nanos() int64 { return n.nanos() }

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

func (n *Node) newTurn() Turn {
	turn := n.turn
	turn.Start = n.nanos()
	turn.Now = (turn.Start + n.offset.Load()) / int64(time.Millisecond)
	turn.Settings, turn.Seed = n.set.Load(), rand.Uint64()
	if n.bound.limit.Load() > 0 && !n.loading.Load() {
		turn.Bound = &n.bound
	}
	if k := n.keeping.Load(); k != nil {
		k.keep(&turn)
	}
	return turn
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
			n.watchBound()
			n.compact()
		}
	}
}

func (n *Node) expireDue() {
	if n.loading.Load() {
		return
	}
	now := n.Clock()
	for _, sh := range n.shards {
		if sh.due.Load() <= now && n.set.Load().ActiveExpire {
			sh.due.Store(noDue) // asked for; after() sets it anew
			n.root.Send(sh.pid, &ExpireTick{})
		}
	}
}
