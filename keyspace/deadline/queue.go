// Package deadline owns the order of deadlines: a heap of (deadline,
// reference), of which the earliest is always at hand.
//
// It belongs to one owner at a time: it has no locks, starts nothing and
// reads no clock. A node does not move without the owner being told, so the
// entry itself can keep where its node is, and changing or removing a deadline
// needs no search. Growing copies nothing once there are 1,024 nodes.
//
//	node, 11 bytes   | deadline in ms, 48 bits | Ref, 40 bits |, little-endian
//	node i           is not later than its children, 4i+1 to 4i+4
//
// With four children to a node the tree is half as deep as a binary one, and
// the four lie side by side. Which of equal deadlines comes first is not
// defined, but the same calls always give the same order.
package deadline

import (
	"encoding/binary"

	"github.com/troupedb/troupe/keyspace/slab"
)

// Max is the latest deadline, in the year 10889; later ones are kept as this.
const Max = 1<<48 - 1

// node is a deadline and a reference.
type node [11]byte

func makeNode(deadline int64, r slab.Ref) (n node) {
	binary.LittleEndian.PutUint64(n[:], uint64(min(max(deadline, 0), Max))|uint64(r)<<48)
	binary.LittleEndian.PutUint16(n[8:], uint16(r>>16))
	n[10] = byte(r >> 32)
	return n
}

func (n *node) deadline() int64 { return int64(binary.LittleEndian.Uint64(n[:]) & Max) }

func (n *node) ref() slab.Ref {
	return slab.Ref(binary.LittleEndian.Uint16(n[6:])) | slab.Ref(binary.LittleEndian.Uint16(n[8:]))<<16 | slab.Ref(n[10])<<32
}

// family is the children of one node, the four of node i in family i+1; in
// family 0 there is but the root, as the last. A chunk of an array of them is
// whole pages: 1,024 times 44 bytes.
type family [fanOut]node

// Queue is the deadlines in order. The zero Queue is not ready: use New.
type Queue struct {
	families slab.Array[family]
	count    int
	moved    func(r slab.Ref, pos uint32)
}

// node is node i.
func (q *Queue) node(i int) *node {
	place := uint(i + fanOut - 1)
	return &q.families.At(int(place / fanOut))[place%fanOut]
}

// begins reports whether node i is the first of its family.
func begins(i int) bool { return i == 0 || i%fanOut == 1 }

// grow adds a node at the end, whose contents are undefined.
func (q *Queue) grow() {
	if begins(q.count) {
		q.families.Grow()
	}
	q.count++
}

// shrink takes the last node away.
func (q *Queue) shrink() {
	q.count--
	if begins(q.count) {
		q.families.Shrink()
	}
}

// New returns an empty queue. moved is called with each new position of a
// node, the first one included; it must not call the queue.
func New(moved func(r slab.Ref, pos uint32)) *Queue { return &Queue{moved: moved} }

// Len returns the number of deadlines.
func (q *Queue) Len() int { return q.count }

// Bytes returns the memory of the queue.
func (q *Queue) Bytes() int64 { return queueBytes + q.families.Bytes() }

// Close gives all memory back. The queue is empty and ready.
func (q *Queue) Close() {
	q.families.Close()
	q.count = 0
}

// CloseSome is Close in steps, of at most so many chunks of 44 KB. It reports
// whether all memory is back; until then the queue is used for nothing else.
func (q *Queue) CloseSome(chunks int) (done bool) {
	q.count = 0
	return q.families.CloseSome(chunks)
}

// Add adds a deadline, in milliseconds. A negative one is kept as 0, one over
// Max as Max.
func (q *Queue) Add(deadline int64, r slab.Ref) {
	q.grow()
	q.up(q.Len()-1, makeNode(deadline, r))
}

// At returns the node at a position that moved told.
func (q *Queue) At(pos uint32) (deadline int64, r slab.Ref) {
	n := q.node(int(pos))
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
	q.settle(int(pos), makeNode(deadline, q.node(int(pos)).ref()))
}

// SetRef tells the queue that the entry of the node at pos has moved.
func (q *Queue) SetRef(pos uint32, r slab.Ref) {
	n := q.node(int(pos))
	*n = makeNode(n.deadline(), r)
}

// Remove takes out the node at pos. moved is not called for it.
func (q *Queue) Remove(pos uint32) {
	end := q.Len() - 1
	last := *q.node(end)
	q.shrink()
	if int(pos) < end {
		q.settle(int(pos), last)
	}
}

// CountUntil returns the number of deadlines that are not later than when. It
// takes as long as there are.
func (q *Queue) CountUntil(when int64) int { return q.countUntil(0, when) }

func (q *Queue) countUntil(i int, when int64) (n int) {
	if i >= q.count || q.node(i).deadline() > when {
		return 0
	}
	n = 1
	for child := fanOut*i + 1; child <= fanOut*i+fanOut; child++ {
		n += q.countUntil(child, when)
	}
	return n
}

// AllUntil reports whether no deadline is later than when. It begins with those
// that most likely are, at the end.
func (q *Queue) AllUntil(when int64) bool {
	for i := q.count - 1; i >= 0; i-- {
		if q.node(i).deadline() > when {
			return false
		}
	}
	return true
}
