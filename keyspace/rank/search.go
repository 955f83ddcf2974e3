package rank

import (
	"bytes"

	"github.com/troupedb/troupe/keyspace/slab"
)

// Bound is a place between two elements of an order, or at one of its ends.
type Bound struct {
	by    part
	after bool
	score float64
	text  []byte
}

// part is what of an element a Bound looks at.
type part uint8

const (
	byBoth part = iota
	byScore
	byText
)

// Before is the place before the element of that score and text, whether it
// is there or not.
func Before(score float64, text []byte) Bound { return Bound{score: score, text: text} }

// BeforeScore is the place before the elements of that score, AfterScore the
// one after them.
func BeforeScore(score float64) Bound { return Bound{by: byScore, score: score} }

// AfterScore is the place after the elements of that score.
func AfterScore(score float64) Bound { return Bound{by: byScore, score: score, after: true} }

// BeforeText and AfterText are the places before and after a text, in an order
// whose elements all have the same score. In any other they are some place.
func BeforeText(text []byte) Bound { return Bound{by: byText, text: text} }

// AfterText is the place after a text: see BeforeText.
func AfterText(text []byte) Bound { return Bound{by: byText, text: text, after: true} }

// Precedes reports whether an element of that score and text lies before the
// bound.
func (b *Bound) Precedes(score float64, text []byte) bool {
	if decided, precedes := b.decide(score); decided {
		return precedes
	}
	return b.decideText(text)
}

// decide compares the scores, if those decide.
func (b *Bound) decide(score float64) (decided, precedes bool) {
	switch {
	case b.by == byText:
		return false, false
	case score != b.score:
		return true, score < b.score
	}
	return b.by == byScore, b.after
}

func (b *Bound) decideText(text []byte) bool {
	c := bytes.Compare(text, b.text)
	return c < 0 || c == 0 && b.after
}

// precedes reports whether an element of the tree lies before the bound.
func (t *Tree) precedes(score float64, r slab.Ref, b *Bound) bool {
	if decided, precedes := b.decide(score); decided {
		return precedes
	}
	return b.decideText(t.text(r))
}

// search is how many entries of a node have their element before the bound.
func (t *Tree) search(n *node, k *kind, b *Bound) int {
	low, high := 0, n.len()
	for low < high {
		middle := int(uint(low+high) >> 1)
		if t.precedes(n.score(middle), n.ref(k.refs, middle), b) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// childOf is the child of an inner node in which a bound is: the last one that
// begins before it.
func (t *Tree) childOf(n *node, b *Bound) int { return max(t.search(n, &inners, b)-1, 0) }

// Rank is the number of elements before the bound.
func (t *Tree) Rank(b Bound) (rank int) {
	if t.root == 0 {
		return 0
	}
	n := t.node(t.root)
	for range t.height {
		at := t.childOf(n, &b)
		for i := range at {
			rank += n.count(i)
		}
		n = t.node(n.child(at))
	}
	return rank + t.search(n, &leaves, &b)
}

// leafOf is the leaf that the element of a rank is in, and its place there.
func (t *Tree) leafOf(rank int) (n *node, at int) {
	n = t.node(t.root)
	for range t.height {
		i := 0
		for ; rank >= n.count(i); i++ {
			rank -= n.count(i)
		}
		n = t.node(n.child(i))
	}
	return n, rank
}

// At returns the element of a rank, 0 <= rank < Len.
func (t *Tree) At(rank int) (score float64, r slab.Ref) {
	n, at := t.leafOf(rank)
	return n.score(at), n.ref(elementsAt, at)
}

// Run is a stretch of an order that lies together. It is good until the next
// change.
type Run struct {
	n          *node
	first, end int
}

// Len is the number of elements.
func (r *Run) Len() int { return r.end - r.first }

// At is the ith element, 0 <= i < Len.
func (r *Run) At(i int) (score float64, ref slab.Ref) {
	return r.n.score(r.first + i), r.n.ref(elementsAt, r.first+i)
}

// RunFrom is the run that begins with the element of a rank, 0 <= rank < Len,
// of most elements at most.
func (t *Tree) RunFrom(rank, most int) Run {
	n, at := t.leafOf(rank)
	return Run{n, at, min(n.len(), at+most)}
}

// RunTo is the run that ends with the element of a rank.
func (t *Tree) RunTo(rank, most int) Run {
	n, at := t.leafOf(rank)
	return Run{n, max(0, at+1-most), at + 1}
}

// Each calls visit for the elements of the ranks from first up to, and without,
// end, in that order, until it returns false. visit changes nothing.
func (t *Tree) Each(first, end int, visit func(score float64, r slab.Ref) bool) {
	for first < end {
		run := t.RunFrom(first, end-first)
		first += run.Len()
		for i := range run.Len() {
			if !visit(run.At(i)) {
				return
			}
		}
	}
}

// EachBack is Each from the last rank down to the first.
func (t *Tree) EachBack(first, end int, visit func(score float64, r slab.Ref) bool) {
	for first < end {
		run := t.RunTo(end-1, end-first)
		end -= run.Len()
		for i := run.Len() - 1; i >= 0; i-- {
			if !visit(run.At(i)) {
				return
			}
		}
	}
}
