// Package rank owns an order: elements of a slab heap, each with a score,
// sorted by score and then by the bytes of their text. It tells the element
// of a rank, the rank of an element, and how many elements lie before a
// bound; all else (ranges, counts, pages of a listing) follows from ranks.
//
// It is a B+ tree (Bayer and McCreight, 1972; Comer, 1979) whose inner nodes
// count what is below them. Nodes lie in the same slab heap as the elements, so
// the garbage collector sees none of it. The tree promises that no insert and
// no removal touches more than three nodes of a level, and that Free goes in
// slices. It belongs to one owner at a time; it has no locks, starts nothing,
// reads no clock, and the same calls always give the same tree.
//
//	node, 512 bytes  | entries 1 | unused 7 | columns … |
//	leaf             38 × | score 8 |, 38 × | element 5 |
//	inner node       22 × | score 8 |, 22 × | first 5 |, 22 × | child 5 |, 22 × | count 4 |
//
// Elements and children are slab references. Score and first are those of the
// first element below a child, so that a child is described in full by its
// entry; count is how many elements are below it. The scores stand together
// in a column of their own, for a search then reads a cache line or two of a
// node and, unless scores are equal, no element at all. That costs 8 bytes an
// element; to ask the elements for their scores instead would save them, and
// make each of about twenty comparisons a cache miss.
//
// A node that overflows first shares with a neighbour, and splits only if
// both are full: so leaves of a tree filled at random are over 80 % full, and
// those of one filled in order 97 %.
package rank

import (
	"unsafe"

	"github.com/troupedb/troupe/keyspace/slab"
)

// Tree is an order. The zero Tree is not ready: use New.
type Tree struct {
	mem    *slab.Heap
	text   func(slab.Ref) []byte
	root   slab.Ref // 0: no elements
	height int      // inner nodes on the way to a leaf
	length int
	nodes  int
}

// New returns an empty order whose nodes lie in mem. text says the text of the
// element at a reference; it is asked only for elements that are in the order,
// and for the one being inserted.
func New(mem *slab.Heap, text func(slab.Ref) []byte) *Tree {
	return &Tree{mem: mem, text: text}
}

// Len returns the number of elements.
func (t *Tree) Len() int { return t.length }

// Bytes returns the memory of the tree itself, without the elements.
func (t *Tree) Bytes() int64 {
	return int64(unsafe.Sizeof(*t)) + int64(t.nodes)*int64(t.mem.Size(nodeBytes))
}

// Free gives the nodes back, with about so much effort as the heap counts it,
// and reports whether that was all. Until then the tree is used for nothing
// else. The elements are the owner's to free.
func (t *Tree) Free(effort int) (done bool) {
	for end := t.mem.Effort() + uint64(effort); t.root != 0; {
		if t.mem.Effort() >= end {
			return false
		}
		t.freeLast()
	}
	t.length, t.height = 0, 0
	return true
}

// freeLast frees the last node that has none below it.
func (t *Tree) freeLast() {
	var parent *node
	last, n := t.root, t.node(t.root)
	for h := t.height; h > 0 && n.len() > 0; h-- {
		parent = n
		last = n.child(n.len() - 1)
		n = t.node(last)
	}
	if parent == nil {
		t.root = 0
	} else {
		parent.setLen(parent.len() - 1)
	}
	t.drop(last)
}

// drop frees a node.
func (t *Tree) drop(r slab.Ref) {
	t.mem.Discard(r, nodeBytes)
	t.nodes--
}

// make allocates a node without entries.
func (t *Tree) make() slab.Ref {
	r := t.mem.Alloc(nodeBytes)
	t.node(r).setLen(0)
	t.nodes++
	return r
}
