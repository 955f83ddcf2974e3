package keyspace

import "sync/atomic"

// pacing is how much of a processor's time a shard's compaction takes: at each
// tick of the node so much, in slices that follow each other with commands in
// between, and then nothing until the next tick.
type pacing struct {
	wanted atomic.Bool // by the shard: the next tick of the node is to go on
	slices bool        // a CompactTick is under way
	spent  int64       // nanoseconds of slices since the last tick of the node
	since  int64       // when the pass under way began, in nanoseconds; 0 for none
}

// compact begins the slices of a tick.
func (n *Node) compact() {
	if n.loading.Load() {
		return
	}
	for _, sh := range n.shards {
		if sh.compact.wanted.Load() && sh.compact.wanted.CompareAndSwap(true, false) {
			n.root.Send(sh.pid, &CompactTick{})
		}
	}
}

// Purge has all shards compact their memory, whatever that gains, and give back
// what is free. It does not wait for them.
func (n *Node) Purge() {
	for _, sh := range n.shards {
		n.root.Send(sh.pid, &CompactTick{Purge: true})
	}
}

// Reconsider has all shards look whether there is something to be compacted, as
// after a change of settings.
func (n *Node) Reconsider() {
	for _, sh := range n.shards {
		sh.compact.wanted.Store(true)
	}
}

// askToCompact tells the node's ticker if there is something to be compacted.
func (sh *shard) askToCompact() {
	p := &sh.compact
	if p.slices || p.wanted.Load() {
		return
	}
	if set := sh.node.compaction(); sh.Compacting() || sh.CompactionWanted(&set) {
		p.wanted.Store(true)
	}
}

// compaction is the settings in force, and as things are.
func (n *Node) compaction() Compaction {
	set := n.set.Load().Compaction
	if limit := n.bound.Limit(); limit > 0 && n.bound.Used() > limit-limit/pressedPart {
		return set.pressed()
	}
	return set
}

// pressedPart is the part of the limit, one in so many, from below which on
// memory is short.
const pressedPart = 32

// compactTick does a slice. While there is garbage, the shard frees that.
func (sh *shard) compactTick(tick *CompactTick) {
	p := &sh.compact
	switch {
	case sh.suspect:
		p.slices = false
		return
	case tick.Purge:
		sh.AskCompaction()
	}
	if p.slices && !tick.rest {
		return
	}
	if !tick.rest {
		p.spent = 0
	}
	begin := sh.node.nanos()
	if !sh.sweeping {
		set := sh.node.compaction()
		sh.Compact(&set)
	}
	now := sh.node.nanos()
	p.spent += now - begin
	sh.countTime(begin, now)
	p.slices = sh.Compacting() && p.spent < sh.compaction.allowance()
	if p.slices {
		sh.node.root.Send(sh.pid, &CompactTick{rest: true})
	}
	sh.after()
}

// countTime counts how long passes last: a slice has been from begin until now.
func (sh *shard) countTime(begin, now int64) {
	p, stats := &sh.compact, &sh.Stats
	switch {
	case sh.Compacting() && p.since == 0:
		p.since = begin
	case !sh.Compacting() && p.since != 0:
		stats.CompactedFor += now - p.since
		p.since = 0
	}
	if stats.CompactingFor = 0; p.since != 0 {
		stats.CompactingFor = now - p.since
	}
}

// allowance is how much time a pass may take of that between two ticks of the
// node, in nanoseconds; one that was asked for, all that there is.
func (c *compaction) allowance() int64 {
	if c.asked {
		return noDue
	}
	return c.share * int64(tickInterval) / 100
}
