package keyspace

import "sync/atomic"

// Bound is how much memory the node may use, and does.
func (n *Node) Bound() *Bound { return &n.bound }

// SetLimit bounds the memory of the node, in bytes; 0 is no bound. What is too
// much by then begins to go at once, in slices; and without a bound, what is
// remembered of keys that went.
func (n *Node) SetLimit(bytes int64) {
	if was := n.bound.limit.Swap(bytes); bytes > 0 || was > 0 {
		n.shed()
	}
	if bytes > 0 && n.tier != nil {
		n.spill()
	}
}

// shed asks all shards to let keys go, if the node is above its limit.
func (n *Node) shed() {
	for _, sh := range n.shards {
		sh.askToShed()
	}
}

// Foresee tells that so many bytes are about to come, as part of one request:
// keys that go to make room for it do so while it arrives. It is forgotten within
// some ticks.
func (n *Node) Foresee(bytes int) {
	b := &n.bound
	if bytes < foreseeFrom || b.limit.Load() == 0 || n.Settings().Policy == NoEviction {
		return
	}
	b.coming.Add(foreseeTimes * int64(bytes))
	if p := n.Settings().Policy; b.excess(p)+b.reserve(p) > 0 {
		n.shed()
	}
}

// What is foreseen: requests from so many bytes on, each of them twice, on its way
// and as a value.
const (
	foreseeFrom  = 64 << 10
	foreseeTimes = 2
)

// Over reports whether more memory is used than may be.
func (n *Node) Over() bool {
	return n.bound.limit.Load() > 0 && n.bound.excess(n.Settings().Policy) > 0
}

// OutOfMemory reports whether more memory is used than may be, and no key may
// go: commands that may need memory are refused.
func (n *Node) OutOfMemory() bool {
	return n.Over() && (n.Settings().Policy == NoEviction || n.bound.keys.Load() == 0) && n.bound.spilling.Load() <= 0 && !n.loading.Load()
}

// Loose is the part of what is used that is not held against the limit, as no
// key has it.
func (n *Node) Loose() int64 {
	return n.bound.loose(n.bound.shards.Load(), n.bound.free.Load(), n.Settings().Policy)
}

// exceeded is how long the node has been above its limit, in milliseconds. The
// ticker writes it.
type exceeded struct {
	since atomic.Int64 // by the node's clock; 0: it is not
	total atomic.Int64 // before that
}

// Exceeded is for how many milliseconds the node has been above its limit, now
// and in all.
func (n *Node) Exceeded() (now, total int64) {
	if since := n.exceeded.since.Load(); since > 0 {
		now = max(0, n.Recent()-since)
	}
	return now, now + n.exceeded.total.Load()
}

// ResetExceeded forgets for how long it was.
func (n *Node) ResetExceeded() {
	n.exceeded.total.Store(0)
	if n.exceeded.since.Load() > 0 {
		n.exceeded.since.Store(n.Recent())
	}
}

// watchBound looks whether the node is above its limit, and has something done
// about it then, should nobody be writing.
func (n *Node) watchBound() {
	n.restShort()
	e := &n.exceeded
	if coming := n.bound.coming.Load(); coming > 0 {
		n.bound.coming.Add(-(coming + 1) / 2)
	}
	switch since := e.since.Load(); {
	case n.Over():
		if since == 0 {
			e.since.Store(n.Recent())
		}
		if n.tier != nil {
			n.spill()
		}
	case since > 0:
		e.total.Add(max(0, n.Recent()-since))
		e.since.Store(0)
	}
	if p := n.Settings().Policy; n.bound.limit.Load() > 0 && n.bound.Used()-n.bound.limit.Load()+n.bound.reserve(p) > 0 && !n.loading.Load() {
		n.shed()
	}
}
