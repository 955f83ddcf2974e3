package rank

import "github.com/troupedb/troupe/keyspace/slab"

// RemoveAt takes out the element of a rank, 0 <= rank < Len, and returns it.
// On the way down it fills up each node that has few entries, so that none is
// empty afterwards.
func (t *Tree) RemoveAt(rank int) (score float64, r slab.Ref) {
	var path [heightMax]place
	n, depth := t.node(t.root), 0
	for h := t.height - 1; h >= 0; h-- {
		at := 0
		for ; rank >= n.count(at); at++ {
			rank -= n.count(at)
		}
		if t.node(n.child(at)).len() <= kindAt(h).least() {
			if at > 0 {
				at--
				rank += n.count(at)
			}
			t.fill(n, at, h)
			if rank >= n.count(at) {
				rank -= n.count(at)
				at++
			}
		}
		n.add(at, -1)
		path[depth] = place{n, at}
		depth++
		n = t.node(n.child(at))
	}
	score, r = n.score(rank), n.ref(elementsAt, rank)
	leaves.close(n, rank, 1)
	t.length--
	if rank == 0 && t.length > 0 {
		rename(path[:depth], n)
	}
	t.shrinkRoot()
	return score, r
}

// heightMax is more than the height of any tree: but for the last ones of a
// level, inner nodes have at least six entries.
const heightMax = 16

// least is how many entries a node has, or else it takes some from a
// neighbour, or joins it, when one goes.
func (k *kind) least() int { return k.most / 3 }

// rename writes, all the way up, what is the first element below now.
func rename(path []place, n *node) {
	score, r := n.score(0), n.ref(elementsAt, 0)
	for i := len(path) - 1; i >= 0; i-- {
		up := path[i]
		up.n.setScore(up.i, score)
		up.n.setRef(firstsAt, up.i, r)
		if up.i > 0 {
			return
		}
	}
}

// fill joins a child with the next one, or if that gives a node that is nearly
// full, makes them have as many entries each.
func (t *Tree) fill(n *node, at, height int) {
	k := kindAt(height)
	leftRef, rightRef := n.child(at), n.child(at+1)
	left, right := t.node(leftRef), t.node(rightRef)
	if left.len()+right.len() > k.most-roomMin {
		k.spread(left, right)
		t.describe(n, at, height)
		t.describe(n, at+1, height)
		return
	}
	k.join(left, right)
	inners.close(n, at+1, 1)
	t.describe(n, at, height)
	t.drop(rightRef)
}

// shrinkRoot takes away a root that is not needed.
func (t *Tree) shrinkRoot() {
	for n := t.node(t.root); t.height > 0 && n.len() == 1; n = t.node(t.root) {
		was := t.root
		t.root = n.child(0)
		t.height--
		t.drop(was)
	}
	if t.length == 0 {
		t.drop(t.root)
		t.root = 0
	}
}
