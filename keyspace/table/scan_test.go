package table

import (
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// scan walks the whole table with a call of between before every step, and
// returns how often each entry was visited.
func (m *model) scan(between func()) map[slab.Ref]int {
	seen := map[slab.Ref]int{}
	for cursor := uint64(0); ; {
		next := m.tab.Scan(cursor, func(s *Slot) { seen[s.Ref()]++ })
		if next == 0 {
			return seen
		}
		if next <= cursor || next >= 1<<cursorBits {
			m.t.Fatalf("cursor %#x follows %#x", next, cursor)
		}
		cursor = next
		between()
	}
}

// A table that nobody changes is returned entry by entry, once.
func TestScanReturnsAllOnce(t *testing.T) {
	t.Parallel()
	m := newModel(t, fair)
	for i := range 700 {
		seen := m.scan(func() {})
		if len(seen) != i {
			t.Fatalf("%d entries of %d", len(seen), i)
		}
		for r, times := range seen {
			if times != 1 {
				t.Fatalf("%#x of %d entries visited %d times", r, i, times)
			}
		}
		m.insert(slab.Ref(i+1), 0)
	}
}

// While the table grows, shrinks and churns, a scan returns every entry that
// stays.
func TestScanKeepsItsPromise(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	f := func(start, steps int, grow func(call int) float64) {
		t.Helper()
		m := newModel(t, fair)
		for len(m.want) < start {
			m.insert(slab.Ref(rnd.Uint64N(refMask)+1), 0)
		}
		stay := map[slab.Ref]bool{}
		for r := range m.want {
			stay[r] = rnd.IntN(4) == 0
		}
		calls := 0
		seen := m.scan(func() {
			calls++
			m.churnExcept(rnd, steps, grow(calls), stay)
		})
		for r, stays := range stay {
			if stays && seen[r] == 0 {
				t.Fatalf("start %d: %#x was in the table all the time and not returned", start, r)
			}
		}
	}
	for range 30 {
		start := 1 + rnd.IntN(2000)
		f(start, 1+rnd.IntN(20), func(int) float64 { return 0.5 })
		f(start, 10, func(int) float64 { return 0.02 })
		f(start, 1, func(int) float64 { return 0.9 })
		f(start, 30, func(call int) float64 { return float64(call / 20 % 2) })
	}
}

// churnExcept inserts and removes, but removes no entry that stays.
func (m *model) churnExcept(rnd *rand.Rand, steps int, grow float64, stay map[slab.Ref]bool) {
	for range steps {
		if rnd.Float64() < grow {
			if r := slab.Ref(rnd.Uint64N(refMask) + 1); m.find(r) == nil {
				m.insert(r, 0)
			}
		} else if r := m.refs[rnd.IntN(len(m.refs))]; !stay[r] {
			m.remove(r)
		}
	}
}

// Without a change of size, entries may come and go and nothing is returned
// twice.
func TestScanRepeatsNothingAtOneSize(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	m := newModel(t, fair)
	for len(m.want) < 3000 {
		m.insert(slab.Ref(rnd.Uint64N(refMask)+1), 0)
	}
	m.drain(2500) // Between the loads at which it splits and merges.
	buckets := m.tab.buckets.Len()
	seen := m.scan(func() { m.churn(rnd, 4, 0.5) })
	if m.tab.buckets.Len() != buckets {
		t.Fatalf("%d buckets became %d", buckets, m.tab.buckets.Len())
	}
	for r, times := range seen {
		if times > 1 {
			t.Fatalf("%#x was returned %d times", r, times)
		}
	}
}

// Any number is a cursor: it goes somewhere or ends.
func TestScanOfForeignCursors(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	m := newModel(t, fair)
	m.churn(rnd, 3000, 0.9)
	for range 1000 {
		cursor := rnd.Uint64() >> rnd.IntN(64)
		next := m.tab.Scan(cursor, func(*Slot) {})
		if next != 0 && next <= cursor {
			t.Fatalf("Scan(%#x) = %#x", cursor, next)
		}
	}
}
