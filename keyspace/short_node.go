package keyspace

import "sync/atomic"

// Where many write at once, or much, they may add faster than keys go. Before the
// node is far above its limit, writers are held up until those have gone: for some
// ticks at the most, and then for as long not again, should that be of no use.

// short is whether writers are held up.
type short struct {
	is   atomic.Bool
	rest atomic.Int32 // ticks until that may change by itself
	tell atomic.Pointer[func()]
}

const (
	// shortPart is by which part of the limit, one in so many, more is used than
	// that when writers are held up.
	shortPart  = 64
	shortTicks = 5
)

// OnShort has tell called whenever it may have changed whether writers are to be
// held up, which Short says: several calls may be under way at once. It returns at
// once.
func (n *Node) OnShort(tell func()) { n.short.tell.Store(&tell) }

// Short reports whether writers are to be held up.
func (n *Node) Short() bool { return n.short.is.Load() }

// checkShort looks whether writers are to be held up.
func (n *Node) checkShort() {
	limit := n.bound.limit.Load()
	if limit == 0 && !n.short.is.Load() {
		return
	}
	over := n.bound.Used() - limit
	mayGo := limit > 0 && n.Settings().Policy != NoEviction && n.bound.keys.Load() > 0 && n.bound.spilling.Load() <= 0
	switch is := n.short.is.Load(); {
	case !is && mayGo && over > limit/shortPart && n.short.rest.Load() == 0:
		n.setShort(true)
	case is && (!mayGo || over <= 0):
		n.setShort(false)
		n.short.rest.Store(0)
	}
}

// setShort is called by shards and the ticker. Who is told asks how it is then:
// else one could hear of a change after the next one, and writers that nobody lets
// go would wait for ever.
func (n *Node) setShort(is bool) {
	if tell := n.short.tell.Load(); tell != nil && n.short.is.CompareAndSwap(!is, is) {
		n.short.rest.Store(shortTicks)
		(*tell)()
	}
}

// restShort counts a tick.
func (n *Node) restShort() {
	if rest := n.short.rest.Load(); rest > 0 && n.short.rest.CompareAndSwap(rest, rest-1) && rest == 1 && n.short.is.Load() {
		n.setShort(false) // which begins the rest anew
	}
	n.checkShort()
}
