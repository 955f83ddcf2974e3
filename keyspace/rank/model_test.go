package rank

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/slab"
)

var (
	seedFlag  = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")
	seedsFlag = flag.Int("seeds", 1, "how many seeds, from -seed on, the random tests try")
)

func eachSeed(t *testing.T, test func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	for i := range *seedsFlag {
		seed := *seedFlag + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { test(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

// element is one of the model's, which sorts as the tree should.
type element struct {
	score float64
	text  string
	ref   slab.Ref
}

// model is a tree beside a sorted slice of what it should hold. The references
// of its elements are places in a slice, far apart as those of a heap.
type model struct {
	t    testing.TB
	mem  *slab.Heap
	tree *Tree
	want []element
	made map[slab.Ref]string
	next slab.Ref
}

func newModel(t testing.TB) *model {
	m := &model{t: t, mem: slab.New(), made: map[slab.Ref]string{}, next: 1 << 33}
	m.tree = New(m.mem, func(r slab.Ref) []byte {
		text, known := m.made[r]
		if !known {
			t.Fatalf("the text at %#x was asked for, where no element is", r)
		}
		return []byte(text)
	})
	t.Cleanup(m.mem.Close)
	return m
}

func (m *model) element(score float64, text string) element {
	m.next += 1 << 20
	m.made[m.next&(1<<40-1)] = text
	return element{score, text, m.next & (1<<40 - 1)}
}

// place is how many elements of the model lie before the bound.
func (m *model) place(b Bound) int {
	return sort.Search(len(m.want), func(i int) bool { return !b.Precedes(m.want[i].score, []byte(m.want[i].text)) })
}

// insert adds an element, unless it is there.
func (m *model) insert(score float64, text string) {
	at := m.place(Before(score, []byte(text)))
	if at < len(m.want) && m.want[at].score == score && m.want[at].text == text {
		return
	}
	e := m.element(score, text)
	m.want = slices.Insert(m.want, at, e)
	if at == len(m.want)-1 && len(text)%2 == 0 {
		m.tree.Append(score, e.ref)
	} else {
		m.tree.Insert(score, e.ref)
	}
}

func (m *model) remove(at int) {
	e := m.want[at]
	if score, r := m.tree.RemoveAt(at); r != e.ref || score != e.score {
		m.t.Fatalf("removed %v %q, want %v", score, m.made[r], e)
	}
	delete(m.made, e.ref)
	m.want = slices.Delete(m.want, at, at+1)
}

// check holds the tree against the model, and its own invariants.
func (m *model) check() {
	m.t.Helper()
	if m.tree.Len() != len(m.want) {
		m.t.Fatalf("%d elements, want %d", m.tree.Len(), len(m.want))
	}
	at := 0
	m.tree.Each(0, len(m.want), func(score float64, r slab.Ref) bool {
		if e := m.want[at]; r != e.ref || math.Float64bits(score) != math.Float64bits(e.score) {
			m.t.Fatalf("element %d of %d is %v %q, want %v", at, len(m.want), score, m.made[r], e)
		}
		at++
		return true
	})
	if at != len(m.want) {
		m.t.Fatalf("%d elements were visited, of %d", at, len(m.want))
	}
	if held := m.mem.Stats().Held; m.tree.Bytes()-New(nil, nil).Bytes() != held {
		m.t.Fatalf("%d bytes counted, the heap holds %d", m.tree.Bytes(), held)
	}
	if m.tree.root == 0 {
		return
	}
	if root := m.tree.node(m.tree.root); root.len() < 2 && m.tree.height > 0 {
		m.t.Fatalf("the root of %d elements has %d children", len(m.want), root.len())
	}
	m.checkNode(m.tree.root, m.tree.height, 0)
}

// checkNode holds that entries say what is below them, and returns how many
// elements that is.
func (m *model) checkNode(r slab.Ref, height, first int) (elements int) {
	m.t.Helper()
	n := m.tree.node(r)
	if n.len() == 0 || n.len() > kindAt(height).most {
		m.t.Fatalf("a node %d above the leaves has %d entries", height, n.len())
	}
	if height == 0 {
		return n.len()
	}
	for i := range n.len() {
		e := m.want[first+elements]
		if n.score(i) != e.score || n.ref(firstsAt, i) != e.ref {
			m.t.Fatalf("entry %d, %d above the leaves, begins with %v %q, want %v", i, height, n.score(i), m.made[n.ref(firstsAt, i)], e)
		}
		below := m.checkNode(n.child(i), height-1, first+elements)
		if n.count(i) != below {
			m.t.Fatalf("entry %d, %d above the leaves, counts %d elements, there are %d", i, height, n.count(i), below)
		}
		elements += below
	}
	return elements
}

// ask holds some questions to the tree against the model.
func (m *model) ask(rng *rand.Rand, score float64, text string) {
	m.t.Helper()
	for _, b := range []Bound{Before(score, []byte(text)), BeforeScore(score), AfterScore(score)} {
		if got, want := m.tree.Rank(b), m.place(b); got != want {
			m.t.Fatalf("%d elements of %d before %+v, want %d", got, len(m.want), b, want)
		}
	}
	if len(m.want) == 0 {
		return
	}
	at := rng.IntN(len(m.want))
	if score, r := m.tree.At(at); r != m.want[at].ref || score != m.want[at].score {
		m.t.Fatalf("element %d is %v %q, want %v", at, score, m.made[r], m.want[at])
	}
	m.askRange(at, at+rng.IntN(min(len(m.want)-at, 100)+1))
}

// askRange walks a range both ways.
func (m *model) askRange(first, end int) {
	m.t.Helper()
	at := first
	m.tree.Each(first, end, func(_ float64, r slab.Ref) bool {
		if r != m.want[at].ref {
			m.t.Fatalf("element %d is %q, want %v", at, m.made[r], m.want[at])
		}
		at++
		return true
	})
	if at != end {
		m.t.Fatalf("a walk from %d to %d ended at %d", first, end, at)
	}
	m.tree.EachBack(first, end, func(_ float64, r slab.Ref) bool {
		at--
		if r != m.want[at].ref {
			m.t.Fatalf("on the way back, element %d is %q, want %v", at, m.made[r], m.want[at])
		}
		return true
	})
	if at != first {
		m.t.Fatalf("a walk back from %d to %d ended at %d", end, first, at)
	}
}

// words makes scores and texts, of few or many kinds.
type words struct {
	rng    *rand.Rand
	scores int // 1: all alike
	texts  int
	order  int // >0: scores rise with time, <0: they fall
	time   int
}

func (w *words) score() float64 {
	w.time++
	switch {
	case w.order != 0:
		return float64(w.order * w.time)
	case w.scores > 1 && w.rng.IntN(50) == 0:
		special := []float64{math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.MaxFloat64, math.SmallestNonzeroFloat64}
		return special[w.rng.IntN(len(special))]
	}
	return float64(w.rng.IntN(w.scores)) / 2
}

func (w *words) text() string {
	n := w.rng.IntN(w.texts)
	if n%16 == 0 {
		return string(bytes.Repeat([]byte{0xff}, n/16%40))
	}
	return fmt.Sprint("m:", n)
}

// A tree agrees with a sorted slice after every change, whatever the order in
// which elements come and go.
func TestAgainstModel(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		for range 25 {
			m := newModel(t)
			w := &words{rng: rng, scores: []int{1, 2, 50, 1 << 30}[rng.IntN(4)], texts: 1 + rng.IntN(20_000), order: rng.IntN(5) - 2}
			most := []int{30, 100, 1000, 5000}[rng.IntN(4)]
			for range 4 {
				for range rng.IntN(most) {
					m.insert(w.score(), w.text())
					if rng.IntN(most) < 20 {
						m.check()
					}
					m.ask(rng, w.score(), w.text())
				}
				m.check()
				m.shrink(rng, rng.IntN(len(m.want)+1))
			}
			m.shrink(rng, 0)
		}
	})
}

// shrink removes elements until so many are left: at random, or from one end.
func (m *model) shrink(rng *rand.Rand, left int) {
	m.t.Helper()
	checks, way := max(1, (len(m.want)-left)/10), rng.IntN(3)
	for i := 0; len(m.want) > left; i++ {
		switch way {
		case 0:
			m.remove(0)
		case 1:
			m.remove(len(m.want) - 1)
		default:
			m.remove(rng.IntN(len(m.want)))
		}
		if i%checks == 0 {
			m.check()
		}
	}
	m.check()
}
