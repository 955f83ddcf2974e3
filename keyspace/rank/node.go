package rank

import (
	"encoding/binary"
	"math"

	"github.com/troupedb/troupe/keyspace/slab"
)

const (
	nodeBytes = 512
	refBytes  = 5
	leafMost  = 38 // entries of a leaf
	innerMost = 22 // entries of an inner node

	scoresAt   = 8
	elementsAt = scoresAt + leafMost*8 // of a leaf
	firstsAt   = scoresAt + innerMost*8
	childrenAt = firstsAt + innerMost*refBytes
	countsAt   = childrenAt + innerMost*refBytes
)

// node is a leaf or an inner node.
type node [nodeBytes]byte

func (t *Tree) node(r slab.Ref) *node { return (*node)(t.mem.Bytes(r, nodeBytes)) }

func (n *node) len() int       { return int(n[0]) }
func (n *node) setLen(len int) { n[0] = byte(len) }

func (n *node) score(i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(n[scoresAt+i*8:]))
}

func (n *node) setScore(i int, score float64) {
	binary.LittleEndian.PutUint64(n[scoresAt+i*8:], math.Float64bits(score))
}

// ref is the ith reference of the column that begins at a place.
func (n *node) ref(column, i int) slab.Ref {
	b := n[column+i*refBytes:]
	return slab.Ref(binary.LittleEndian.Uint32(b)) | slab.Ref(b[4])<<32
}

func (n *node) setRef(column, i int, r slab.Ref) {
	b := n[column+i*refBytes:]
	binary.LittleEndian.PutUint32(b, uint32(r))
	b[4] = byte(r >> 32)
}

func (n *node) child(i int) slab.Ref { return n.ref(childrenAt, i) }

func (n *node) count(i int) int { return int(binary.LittleEndian.Uint32(n[countsAt+i*4:])) }

func (n *node) setCount(i, count int) {
	binary.LittleEndian.PutUint32(n[countsAt+i*4:], uint32(count))
}

// add changes the count of a child.
func (n *node) add(i, change int) { n.setCount(i, n.count(i)+change) }

// kind is how the nodes of one kind are laid out.
type kind struct {
	most    int // entries
	refs    int // where the column is whose elements the scores are of
	columns []column
}

// column is a part of a node: entries of so many bytes, from a place on.
type column struct{ at, width int }

var (
	leaves = kind{most: leafMost, refs: elementsAt, columns: []column{{scoresAt, 8}, {elementsAt, refBytes}}}
	inners = kind{most: innerMost, refs: firstsAt, columns: []column{
		{scoresAt, 8}, {firstsAt, refBytes}, {childrenAt, refBytes}, {countsAt, 4}}}
)

// kindAt is the kind of the nodes so many above the leaves.
func kindAt(height int) *kind {
	if height == 0 {
		return &leaves
	}
	return &inners
}

// open makes room for more entries before the ith.
func (k *kind) open(n *node, i, more int) {
	length := n.len()
	k.carry(n, i, place{n, i + more}, length-i)
	n.setLen(length + more)
}

// close takes entries out, from the ith on.
func (k *kind) close(n *node, i, less int) {
	length := n.len()
	k.carry(n, i+less, place{n, i}, length-i-less)
	n.setLen(length - less)
}

// place is where entries go.
type place struct {
	n *node
	i int
}

// carry copies entries, from the ith on.
func (k *kind) carry(from *node, i int, to place, entries int) {
	for _, c := range k.columns {
		copy(to.n[c.at+to.i*c.width:], from[c.at+i*c.width:c.at+(i+entries)*c.width])
	}
}

// spread makes two neighbours have as many entries each.
func (k *kind) spread(left, right *node) {
	l, r := left.len(), right.len()
	switch half := (l + r) / 2; {
	case l < half:
		k.carry(right, 0, place{left, l}, half-l)
		left.setLen(half)
		k.close(right, 0, half-l)
	case l > half:
		k.open(right, 0, l-half)
		k.carry(left, half, place{right, 0}, l-half)
		left.setLen(half)
	}
}

// split moves the entries from the ith on to another node, which is empty.
func (k *kind) split(left *node, i int, right *node) {
	entries := left.len() - i
	k.carry(left, i, place{right, 0}, entries)
	right.setLen(entries)
	left.setLen(i)
}

// join moves all entries of right to the end of left.
func (k *kind) join(left, right *node) {
	l, r := left.len(), right.len()
	k.carry(right, 0, place{left, l}, r)
	left.setLen(l + r)
}
