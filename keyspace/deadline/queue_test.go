package deadline

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/slab"
)

var seedFlag = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")

// model is a queue beside a map of what it should hold. Its owner keeps
// positions only as moved tells them.
type model struct {
	t    testing.TB
	q    *Queue
	want map[slab.Ref]int64
	pos  map[slab.Ref]uint32
	refs []slab.Ref
}

func newModel(t testing.TB) *model {
	m := &model{t: t, want: map[slab.Ref]int64{}, pos: map[slab.Ref]uint32{}}
	m.q = New(func(r slab.Ref, pos uint32) { m.pos[r] = pos })
	return m
}

func (m *model) add(r slab.Ref, deadline int64) {
	m.want[r] = deadline
	m.refs = append(m.refs, r)
	m.q.Add(deadline, r)
}

func (m *model) remove(i int) {
	r := m.refs[i]
	pos := m.pos[r]
	delete(m.pos, r)
	delete(m.want, r)
	m.refs[i] = m.refs[len(m.refs)-1]
	m.refs = m.refs[:len(m.refs)-1]
	m.q.Remove(pos)
	if _, again := m.pos[r]; again {
		m.t.Fatalf("moved was called for %#x, which was removed", r)
	}
}

// rename gives an entry another reference, as when it moves in the slab.
func (m *model) rename(i int, to slab.Ref) {
	from := m.refs[i]
	m.q.SetRef(m.pos[from], to)
	m.pos[to], m.want[to] = m.pos[from], m.want[from]
	delete(m.pos, from)
	delete(m.want, from)
	m.refs[i] = to
}

func (m *model) check() {
	m.t.Helper()
	if m.q.Len() != len(m.want) {
		m.t.Fatalf("Len() = %d, want %d", m.q.Len(), len(m.want))
	}
	earliest := int64(math.MaxInt64)
	for r, want := range m.want {
		if d, got := m.q.At(m.pos[r]); got != r || d != want {
			m.t.Fatalf("at %d: %#x at %d, want %#x at %d", m.pos[r], got, d, r, want)
		}
		earliest = min(earliest, want)
	}
	if d, r, ok := m.q.Min(); ok != (len(m.want) > 0) || ok && (d != earliest || m.want[r] != d) {
		m.t.Fatalf("Min() = %d, %#x, %v, want %d", d, r, ok, earliest)
	}
	for i := 1; i < m.q.Len(); i++ {
		if m.q.node(i).deadline() < m.q.node((i-1)/fanOut).deadline() {
			m.t.Fatalf("node %d is earlier than its parent", i)
		}
	}
}

func TestRandomAgainstMap(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	rnd := rand.New(rand.NewPCG(*seedFlag, 3))
	m := newModel(t)
	defer m.q.Close()
	next := slab.Ref(0)
	deadline := func() int64 { return rnd.Int64N(1 << (1 + rnd.IntN(48))) }
	for step := range 60000 {
		grow := 4 + 3*(step/10000%2) // of 10: adding, or removing
		switch op := rnd.IntN(10); {
		case op < grow-1 || len(m.refs) == 0:
			next += 1 + slab.Ref(rnd.Uint64N(1<<24))
			m.add(next, deadline())
		case op == grow-1:
			i := rnd.IntN(len(m.refs))
			d := deadline()
			m.want[m.refs[i]] = d
			m.q.Change(m.pos[m.refs[i]], d)
		case op == 9:
			next++
			m.rename(rnd.IntN(len(m.refs)), next)
		default:
			m.remove(rnd.IntN(len(m.refs)))
		}
		if step%3000 == 0 {
			m.check()
		}
	}
	m.check()
	for len(m.refs) > 0 {
		m.remove(rnd.IntN(len(m.refs)))
	}
	m.check()
	if n := m.q.Bytes(); n > 200 {
		t.Errorf("an emptied queue weighs %d bytes", n)
	}
}

// CountUntil and AllUntil agree with counting.
func TestUntil(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	rnd := rand.New(rand.NewPCG(*seedFlag, 5))
	m := newModel(t)
	defer m.q.Close()
	for r := range 3000 {
		if n := m.q.Len(); r%50 == 0 {
			when := rnd.Int64N(1100)
			want := 0
			for _, deadline := range m.want {
				if deadline <= when {
					want++
				}
			}
			if got, all := m.q.CountUntil(when), m.q.AllUntil(when); got != want || all != (want == n) {
				t.Fatalf("%d of %d are not later than %d, all: %v; want %d", got, n, when, all, want)
			}
		}
		m.add(slab.Ref(r+1), rnd.Int64N(1000))
	}
}

// Removing the earliest again and again sorts.
func TestOrder(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	rnd := rand.New(rand.NewPCG(*seedFlag, 4))
	q := New(func(slab.Ref, uint32) {})
	defer q.Close()
	var want, got []int64
	for i := range 20000 {
		d := rnd.Int64N(5000)
		want = append(want, d)
		q.Add(d, slab.Ref(i+1))
	}
	slices.Sort(want)
	for d, _, ok := q.Min(); ok; d, _, ok = q.Min() {
		got = append(got, d)
		q.Remove(0)
	}
	if !slices.Equal(got, want) {
		t.Error("the deadlines did not come out in order")
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	q := New(func(slab.Ref, uint32) {})
	f := func(in, want int64, r slab.Ref) {
		t.Helper()
		q.Add(in, r)
		if d, got, ok := q.Min(); d != want || got != r || !ok {
			t.Errorf("Add(%d, %#x) gives %d, %#x, %v, want %d", in, r, d, got, ok, want)
		}
		q.Remove(0)
	}
	f(0, 0, 1)
	f(-1, 0, 1<<40-1)
	f(1<<32, 1<<32, 0x80)
	f(Max, Max, 1<<40-1)
	f(Max+1, Max, 0xff)
	f(math.MaxInt64, Max, 0x0123456789)
	if _, _, ok := q.Min(); ok {
		t.Error("an empty queue has an earliest deadline")
	}
}
