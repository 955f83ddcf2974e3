// Package deadline owns the order of deadlines: a heap of (deadline,
// reference), of which the earliest is always at hand.
//
// It belongs to one owner at a time: it has no locks, starts nothing and
// reads no clock. A node does not move without the owner being told, so the
// entry itself can keep where its node is, and changing or removing a deadline
// needs no search. Growing copies nothing once there are 1,024 nodes.
//
//	node, 12 bytes   | deadline in ms, 56 bits | Ref, 40 bits |
//	node i           is not later than its children, 4i+1 to 4i+4
//
// With four children to a node the tree is half as deep as a binary one, and
// the four lie side by side. Which of equal deadlines comes first is not
// defined, but the same calls always give the same order.
package deadline

import "github.com/troupedb/troupe/keyspace/slab"

// Max is the latest deadline; later ones are kept as this.
const Max = 1<<56 - 1

// node is a deadline (low 56 bits) and a reference (next 40), low word first.
type node [3]uint32

func makeNode(deadline int64, r slab.Ref) node {
	d := uint64(min(max(deadline, 0), Max))
	return node{uint32(d), uint32(d>>32) | uint32(r)<<24, uint32(r >> 8)}
}

func (n *node) deadline() int64 { return int64(uint64(n[0]) | uint64(n[1])<<40>>8) }

func (n *node) ref() slab.Ref { return slab.Ref(n[1]>>24) | slab.Ref(n[2])<<8 }

// Queue is the deadlines in order. The zero Queue is not ready: use New.
type Queue struct {
	nodes slab.Array[node]
	moved func(r slab.Ref, pos uint32)
}

// New returns an empty queue. moved is called with each new position of a
// node, the first one included; it must not call the queue.
func New(moved func(r slab.Ref, pos uint32)) *Queue { return &Queue{moved: moved} }

// Len returns the number of deadlines.
func (q *Queue) Len() int { return q.nodes.Len() }

// Bytes returns the memory of the queue.
func (q *Queue) Bytes() int64 { return queueBytes + q.nodes.Bytes() }

// Close gives all memory back. The queue is empty and ready.
func (q *Queue) Close() { q.nodes.Close() }

// CloseSome is Close in steps, of at most so many chunks of 12 KB. It reports
// whether all memory is back; until then the queue is used for nothing else.
func (q *Queue) CloseSome(chunks int) (done bool) { return q.nodes.CloseSome(chunks) }

// Add adds a deadline, in milliseconds. A negative one is kept as 0, one over
// Max as Max.
func (q *Queue) Add(deadline int64, r slab.Ref) {
	q.nodes.Grow()
	q.up(q.Len()-1, makeNode(deadline, r))
}

// At returns the node at a position that moved told.
func (q *Queue) At(pos uint32) (deadline int64, r slab.Ref) {
	n := q.nodes.At(int(pos))
	return n.deadline(), n.ref()
}

// Min returns the earliest deadline, at position 0. ok is false if there is
// none.
func (q *Queue) Min() (deadline int64, r slab.Ref, ok bool) {
	if q.Len() == 0 {
		return 0, 0, false
	}
	deadline, r = q.At(0)
	return deadline, r, true
}

// Change gives the node at pos another deadline.
func (q *Queue) Change(pos uint32, deadline int64) {
	q.settle(int(pos), makeNode(deadline, q.nodes.At(int(pos)).ref()))
}

// SetRef tells the queue that the entry of the node at pos has moved.
func (q *Queue) SetRef(pos uint32, r slab.Ref) {
	n := q.nodes.At(int(pos))
	*n = makeNode(n.deadline(), r)
}

// Remove takes out the node at pos. moved is not called for it.
func (q *Queue) Remove(pos uint32) {
	end := q.Len() - 1
	last := *q.nodes.At(end)
	q.nodes.Shrink()
	if int(pos) < end {
		q.settle(int(pos), last)
	}
}

// Each calls visit for every deadline, in no useful order, until it returns
// false. visit must not change the queue.
func (q *Queue) Each(visit func(deadline int64, r slab.Ref) bool) {
	for i := range q.Len() {
		if !visit(q.At(uint32(i))) {
			return
		}
	}
}
