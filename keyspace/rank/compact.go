package rank

import "github.com/troupedb/troupe/keyspace/slab"

// Move tells the order that an element of that score is at another place now.
// Its text is still good at both.
func (t *Tree) Move(score float64, from, to slab.Ref) {
	b := Bound{score: score, text: t.text(to), after: true}
	n := t.node(t.root)
	for range t.height {
		at := t.childOf(n, &b)
		if n.ref(firstsAt, at) == from {
			n.setRef(firstsAt, at, to)
		}
		n = t.node(n.child(at))
	}
	n.setRef(elementsAt, t.search(n, &leaves, &b)-1, to)
}

// Compact moves nodes that m wants moved, those on the way to the leaf of a rank
// and to the leaves after it, until that is Spent. It returns the rank to go on
// with, which is Len at the end.
func (t *Tree) Compact(m *slab.Mover, rank int) (next int) {
	if m.Done() {
		return t.length
	}
	for rank < t.length && !m.Spent() {
		if m.Wants(t.root) {
			m.Move(t.root, nodeBytes, func(to slab.Ref) { t.root = to })
		}
		n, before := t.node(t.root), rank
		for range t.height {
			i := 0
			for ; before >= n.count(i); i++ {
				before -= n.count(i)
			}
			n = t.compactChild(m, n, i)
		}
		rank += n.len() - before
		m.Left--
	}
	return rank
}

// compactChild moves a child if need be, and returns it.
func (t *Tree) compactChild(m *slab.Mover, n *node, i int) *node {
	if r := n.child(i); m.Wants(r) {
		m.Move(r, nodeBytes, func(to slab.Ref) { n.setRef(childrenAt, i, to) })
	}
	return t.node(n.child(i))
}
