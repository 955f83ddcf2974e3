package rank

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// fill is how full the leaves are, in percent.
func (m *model) fill() int {
	leaves, stack := 0, []slab.Ref{m.tree.root}
	for h := m.tree.height; h >= 0; h-- {
		leaves = len(stack)
		var below []slab.Ref
		for _, r := range stack {
			n := m.tree.node(r)
			for i := 0; h > 0 && i < n.len(); i++ {
				below = append(below, n.child(i))
			}
		}
		stack = below
	}
	return 100 * len(m.want) / (leaves * leafMost)
}

// Nodes are as full as the package says, whatever the order of arrival.
func TestFill(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	f := func(name string, least int, score func(i int) float64) {
		t.Helper()
		m := newModel(t)
		for i := range 20_000 {
			m.insert(score(i), fmt.Sprint("m:", i))
		}
		m.check()
		if got := m.fill(); got < least {
			t.Errorf("%s: leaves are %d %% full, want at least %d", name, got, least)
		} else {
			t.Logf("%s: leaves are %d %% full, %d bytes an element", name, got, m.tree.Bytes()/int64(m.tree.Len()))
		}
	}
	f("rising", 96, func(i int) float64 { return float64(i) })
	f("falling", 96, func(i int) float64 { return float64(-i) })
	f("random", 82, func(int) float64 { return rng.Float64() })
	f("equal", 82, func(int) float64 { return 7 })
	f("from the middle outwards", 75, func(i int) float64 { return float64(i * (i%2*2 - 1)) })
	f("towards the middle", 75, func(i int) float64 { return float64((20_000 - i) * (i%2*2 - 1)) })
	f("before a last one", 75, func(i int) float64 { return float64(max(i, 1_000_000*(1-min(i, 1)))) })
}

// However elements go, what is left keeps a third of its room.
func TestFillAfterRemoval(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		m := newModel(t)
		for i := range 20_000 {
			m.insert(rng.Float64(), fmt.Sprint("m:", i))
		}
		for len(m.want) > 500 {
			m.remove(rng.IntN(len(m.want)))
			if len(m.want)%1000 == 0 && m.fill() < 33 {
				t.Fatalf("with %d elements left, leaves are %d %% full", len(m.want), m.fill())
			}
		}
		m.check()
	})
}

func TestByText(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	for i := range 1000 {
		m.insert(5, fmt.Sprintf("%04d", 2*i))
	}
	f := func(text string, before, after int) {
		t.Helper()
		if got := m.tree.Rank(BeforeText([]byte(text))); got != before {
			t.Errorf("%d elements before %q, want %d", got, text, before)
		}
		if got := m.tree.Rank(AfterText([]byte(text))); got != after {
			t.Errorf("%d elements up to %q, want %d", got, text, after)
		}
	}
	f("", 0, 0)
	f("0000", 0, 1)
	f("0001", 1, 1)
	f("0100", 50, 51)
	f("01000", 51, 51)
	f("1998", 999, 1000)
	f("x", 1000, 1000)
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.check()
	if got := m.tree.Rank(AfterScore(1)); got != 0 {
		t.Errorf("%d elements before a bound", got)
	}
	m.tree.Each(0, 0, func(float64, slab.Ref) bool { t.Error("visited"); return true })
	m.tree.EachBack(0, 0, func(float64, slab.Ref) bool { t.Error("visited"); return true })
	if !m.tree.Free(0) {
		t.Error("there was something to free")
	}
}

// A walk ends where it is told to.
func TestEachStops(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	for i := range 200 {
		m.insert(float64(i), "")
	}
	f := func(walk func(first, end int, visit func(float64, slab.Ref) bool)) {
		t.Helper()
		visited := 0
		walk(0, 200, func(float64, slab.Ref) bool { visited++; return visited < 50 })
		if visited != 50 {
			t.Errorf("%d elements were visited, want 50", visited)
		}
	}
	f(m.tree.Each)
	f(m.tree.EachBack)
}

// Free gives all nodes back, in slices of about the effort allowed.
func TestFree(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	for i := range 10_000 {
		m.insert(float64(i*7919%10_000), "")
	}
	nodes, calls := m.tree.nodes, 1
	for ; !m.tree.Free(20); calls++ {
		if nodes-m.tree.nodes > calls*21 {
			t.Fatalf("%d nodes were freed by %d slices of 20", nodes-m.tree.nodes, calls)
		}
	}
	if calls < nodes/100 {
		t.Errorf("%d nodes went in %d slices of 20", nodes, calls)
	}
	m.want = nil
	m.check()
	m.insert(1, "a tree that was freed is as new")
	m.check()
}

// The columns of a node do not overlap, and fit.
func TestLayout(t *testing.T) {
	t.Parallel()
	f := func(k kind) {
		t.Helper()
		at := scoresAt
		for _, c := range k.columns {
			if c.at != at {
				t.Errorf("a column begins at %d, want %d", c.at, at)
			}
			at += c.width * k.most
		}
		if at > nodeBytes {
			t.Errorf("%d bytes of a node are used", at)
		}
	}
	f(leaves)
	f(inners)
}
