package keyspace

// What the shards' actors do with the tier: see cold.go.

// SpillTick asks a shard to spill a slice, spilled tells it what became of one.
type (
	SpillTick struct{}
	spilled   struct {
		batch *Spilled
		err   error
	}
)

// IsSlow: spilling is for workers.
func (*SpillTick) IsSlow() bool { return true }

// IsSlow: spilling is for workers.
func (*spilled) IsSlow() bool { return true }

// parked reports whether a batch that holds all its shards lacks values: it lets
// the shards go then, and begins its visits anew when it has them.
func (sh *shard) parked(x *Execute) bool {
	if sh.node.tier == nil {
		return false
	}
	if sh.node.isFlooded() && x.needsRoom() {
		sh.leave(x)
		sh.thirsty = append(sh.thirsty, x)
		sh.node.spill()
		return true
	}
	var few [1]*Shard
	held := few[:0]
	for _, h := range x.held {
		held = append(held, h.Shard)
	}
	wants := x.Lacks(held, len(sh.node.shards))
	if len(wants) > 0 {
		sh.park(x, wants)
	}
	return len(wants) > 0
}

// park has values fetched for a batch which is at its last shard.
func (sh *shard) park(x *Execute, wants []Want) {
	node := sh.node
	sh.leave(x)
	if len(wants) == 0 {
		node.revisit(x)
		return
	}
	node.tier.Fetch(wants, func() { node.revisit(x) })
}

// leave lets go the shards of a batch that is at its last one.
func (sh *shard) leave(x *Execute) {
	for _, h := range x.held[:len(x.held)-1] {
		h.mailbox.Release()
	}
	x.restart()
}

// revisit has a batch begin its visits anew.
func (n *Node) revisit(x *Execute) { n.root.Send(n.shards[x.Shards[0]].pid, x) }

// isFlooded reports whether more has come than the tier has taken so far, by so
// much that those who bring more have to wait for it. They have no cause to if
// there is nothing to spill: then they are refused, or keys go, as without a tier.
func (n *Node) isFlooded() bool {
	limit := n.bound.limit.Load()
	return limit > 0 && n.bound.spilling.Load() > 0 && !n.loading.Load() &&
		n.bound.excess(n.Settings().Policy)+n.bound.leaving.Load() > max(limit/floodShare, floodMin)
}

// floodShare is the part of the limit, one in so many, by which it may be passed
// while values are on their way to the tier, at least floodMin bytes.
const (
	floodShare = 16
	floodMin   = 1 << 20
)

// needsRoom reports whether a request of the batch may need memory.
func (x *Execute) needsRoom() bool {
	if x.Inner {
		return false
	}
	for i := x.Ran; i < len(x.Requests); i++ {
		if x.Requests[i].needsRoom() {
			return true
		}
	}
	return false
}

// quench lets those go on who wait for memory, if there is some.
func (sh *shard) quench() {
	if len(sh.thirsty) == 0 || sh.node.isFlooded() {
		return
	}
	for _, x := range sh.thirsty {
		sh.node.revisit(x)
	}
	sh.thirsty = nil
}

// Leaving is how many bytes of memory are on their way to the tier.
func (n *Node) Leaving() int64 { return n.bound.leaving.Load() }

// askToSpill sends a SpillTick, if none is under way.
func (sh *shard) askToSpill() {
	if !sh.spilling.Swap(true) {
		sh.node.root.Send(sh.pid, &SpillTick{})
	}
}

// spill has all shards spill if memory is short.
func (sh *shard) spill() {
	n := sh.node
	sh.Shard.soak(&n.bound, n.Recent())
	if n.toSpill() > 0 {
		n.spill()
	}
}

// spillPart is which part of the limit, one in so many, is spilled beyond what has
// to be once spilling begins, so that it does not begin again with the next turn.
const spillPart = 256

// Chill has each shard spill so many bytes after each turn, if there is no bound on
// memory: for tests.
func (n *Node) Chill(bytes int64) { n.chill.Store(bytes * int64(n.Len())) }

// toSpill is how many bytes of memory should be in the tier, so that a little is
// left for what comes next.
func (n *Node) toSpill() int64 {
	if limit := n.bound.limit.Load(); limit == 0 {
		return n.chill.Load()
	}
	return n.bound.excess(n.Settings().Policy) + n.bound.limit.Load()/reservePart
}

// isShort reports whether memory is so nearly used up that spilling begins again
// soon.
func (n *Node) isShort() bool { return n.toSpill()+2*n.bound.limit.Load()/spillPart > 0 }

// spill asks all shards to spill.
func (n *Node) spill() {
	for _, sh := range n.shards {
		sh.askToSpill()
	}
}

func (sh *shard) spillTick() {
	sh.spilling.Store(false)
	n := sh.node
	sh.quench()
	if sh.suspect || n.toSpill() <= 0 {
		return
	}
	turn := n.newTurn()
	tx := Begin(&turn, []*Shard{sh.Shard}, n.Len())
	need := n.toSpill() + n.bound.limit.Load()/spillPart
	b, more := tx.Spill((need+int64(n.Len())-1)/int64(n.Len()), &n.bound)
	tx.End(&turn)
	sh.tell(&n.bound, n.Settings().Policy)
	if b != nil {
		n.tier.Write(b, func(err error) { n.root.Send(sh.pid, &spilled{b, err}) })
	}
	if more {
		sh.askToSpill()
	}
}

func (sh *shard) spilled(m *spilled) {
	n := sh.node
	n.bound.leaving.Add(-m.batch.freed)
	if sh.suspect || !sh.owns(m.batch.Numbers[0]) {
		return // those numbers were another's, whose place the shard has taken
	}
	turn := n.newTurn()
	tx := Begin(&turn, []*Shard{sh.Shard}, n.Len())
	tx.Spilled(m.batch, m.err, &n.bound)
	tx.End(&turn)
	sh.after()
	sh.quench()
}
