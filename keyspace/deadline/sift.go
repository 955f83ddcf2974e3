package deadline

import "unsafe"

const queueBytes = int64(unsafe.Sizeof(Queue{}))

// fanOut is the children of a node.
const fanOut = 4

// settle puts n where the order wants it, given that position i is vacant.
func (q *Queue) settle(i int, n node) {
	if i > 0 && n.deadline() < q.node((i-1)/fanOut).deadline() {
		q.up(i, n)
	} else {
		q.down(i, n)
	}
}

// up puts n at the vacant position i or above it, moving later nodes down.
func (q *Queue) up(i int, n node) {
	deadline := n.deadline()
	for i > 0 {
		above := (i - 1) / fanOut
		p := q.node(above)
		if p.deadline() <= deadline {
			break
		}
		q.set(i, *p)
		i = above
	}
	q.set(i, n)
}

// down puts n at the vacant position i or below it, moving earlier nodes up.
func (q *Queue) down(i int, n node) {
	deadline := n.deadline()
	for {
		child := q.earliestChild(i)
		if child == 0 || q.node(child).deadline() >= deadline {
			break
		}
		q.set(i, *q.node(child))
		i = child
	}
	q.set(i, n)
}

// earliestChild returns the position of i's earliest child, or 0.
func (q *Queue) earliestChild(i int) int {
	first := fanOut*i + 1
	if first >= q.count {
		return 0
	}
	children := q.families.At(i + 1)[:min(fanOut, q.count-first)]
	best, earliest := 0, children[0].deadline()
	for c := 1; c < len(children); c++ {
		if d := children[c].deadline(); d < earliest {
			best, earliest = c, d
		}
	}
	return first + best
}

func (q *Queue) set(i int, n node) {
	*q.node(i) = n
	q.moved(n.ref(), uint32(i))
}
