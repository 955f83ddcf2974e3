package rank

import "github.com/troupedb/troupe/keyspace/slab"

// Insert adds the element at r, which the order does not have yet. Its score
// is a number.
func (t *Tree) Insert(score float64, r slab.Ref) {
	b := Bound{score: score, text: t.text(r)}
	t.insert(score, r, &b)
}

// Append is Insert for an element that comes after all that the order has: it
// compares nothing.
func (t *Tree) Append(score float64, r slab.Ref) { t.insert(score, r, nil) }

// insert adds an element at a bound, at the end if there is none. On the way
// down it makes room in each node that has none, while its parent still has.
func (t *Tree) insert(score float64, r slab.Ref, b *Bound) {
	t.growRoot()
	e := way{t: t, bound: b, first: true, last: true}
	n := t.node(t.root)
	for h := t.height - 1; h >= 0; h-- {
		at := e.childOf(n)
		if t.node(n.child(at)).len() == kindAt(h).most {
			e.widen(n, at, h)
			at = e.childOf(n)
		}
		if e.first && at == 0 && b != nil && !t.precedes(n.score(0), n.ref(firstsAt, 0), b) {
			n.setScore(0, score)
			n.setRef(firstsAt, 0, r)
		}
		n.add(at, 1)
		e.first, e.last = e.first && at == 0, e.last && at == n.len()-1
		n = t.node(n.child(at))
	}
	at := n.len()
	if b != nil {
		at = t.search(n, &leaves, b)
	}
	leaves.open(n, at, 1)
	n.setScore(at, score)
	n.setRef(elementsAt, at, r)
	t.length++
}

// growRoot gives the tree a root with room.
func (t *Tree) growRoot() {
	switch {
	case t.root == 0:
		t.root = t.make()
	case t.node(t.root).len() == kindAt(t.height).most:
		old := t.root
		t.root = t.make()
		n := t.node(t.root)
		inners.open(n, 0, 1)
		n.setRef(childrenAt, 0, old)
		t.describe(n, 0, t.height)
		t.height++
	}
}

// describe writes the entry of a child, so many nodes above the leaves.
func (t *Tree) describe(n *node, at, height int) {
	child, k := t.node(n.child(at)), kindAt(height)
	n.setScore(at, child.score(0))
	n.setRef(firstsAt, at, child.ref(k.refs, 0))
	count := child.len()
	if height > 0 {
		count = 0
		for i := range child.len() {
			count += child.count(i)
		}
	}
	n.setCount(at, count)
}

// way is the way down to where an element goes.
type way struct {
	t           *Tree
	bound       *Bound
	first, last bool // so far it goes along the order's first, last elements
}

func (w *way) childOf(n *node) int {
	if w.bound == nil {
		return n.len() - 1
	}
	return w.t.childOf(n, w.bound)
}

// roomMin is how many entries a neighbour must have room for to be worth
// sharing with: for fewer it would be full again at once.
const roomMin = 4

// widen makes room in a child that is full: a neighbour takes some of its
// entries, or else it is split. Where an element goes to an end of the order,
// more are likely to come in order, and what lies behind is left full.
func (w *way) widen(n *node, at, height int) {
	t, k := w.t, kindAt(height)
	most, last := k.most, n.len()-1
	full := t.node(n.child(at))
	switch {
	case w.last && at == last && w.atEnd(full, height):
		t.split(n, at, height, most-1)
	case w.first && at == 0 && w.atBegin(full, height):
		t.split(n, at, height, 1)
	case at > 0 && t.node(n.child(at-1)).len() <= most-roomMin:
		k.spread(t.node(n.child(at-1)), full)
		t.describe(n, at-1, height)
		t.describe(n, at, height)
	case at < last && t.node(n.child(at+1)).len() <= most-roomMin:
		k.spread(full, t.node(n.child(at+1)))
		t.describe(n, at, height)
		t.describe(n, at+1, height)
	default:
		t.split(n, at, height, most/2)
	}
}

// atEnd reports whether the element goes after all the entries of a leaf, or to
// the last child of an inner node.
func (w *way) atEnd(n *node, height int) bool {
	return w.bound == nil || w.t.search(n, kindAt(height), w.bound) == n.len()
}

// atBegin reports whether the element goes before all elements of a node.
func (w *way) atBegin(n *node, height int) bool {
	return w.bound != nil && w.t.search(n, kindAt(height), w.bound) == 0
}

// split splits a child before its ith entry.
func (t *Tree) split(n *node, at, height, i int) {
	right := t.make()
	kindAt(height).split(t.node(n.child(at)), i, t.node(right))
	inners.open(n, at+1, 1)
	n.setRef(childrenAt, at+1, right)
	t.describe(n, at, height)
	t.describe(n, at+1, height)
}
