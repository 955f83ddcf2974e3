package slab

import (
	"math/rand/v2"
	"testing"
)

// checkSpans recomputes what is counted of gaps and marked spans.
func (m *model) checkSpans() {
	m.t.Helper()
	var gaps int64
	marked := 0
	for entry, a := range m.h.arenas {
		if a == nil {
			continue
		}
		for i := range arenaPages {
			p := &a.pages[i]
			head := &a.pages[i-int(p.back)]
			span := p.class != classFree && p.class != classRun
			if a.sparse.has(i) && (!span || a.sparse.has(i) != a.sparse.has(i-int(p.back))) {
				m.t.Fatalf("page %d of arena %d is marked", i, entry)
			}
			if !span || p != head {
				continue
			}
			s := &shapes[p.class]
			gaps += int64(p.fresh)<<unitShift - int64(p.used)*int64(s.size)
			if a.sparse.has(i) {
				marked++
			}
		}
	}
	if gaps != m.h.gaps || marked != m.h.marked {
		m.t.Fatalf("%d bytes of gaps and %d marked spans, counted %d and %d", gaps, marked, m.h.gaps, m.h.marked)
	}
	m.checkLists()
}

// checkLists walks the lists of spans.
func (m *model) checkLists() {
	m.t.Helper()
	for class := range m.h.lists {
		list := &m.h.lists[class]
		marked := int32(0)
		for bin, number := range list.bins {
			for prev := uint32(0); number != 0; number = m.h.page(number).next {
				p := m.h.page(number)
				if int(p.class) != class || p.prev != prev || m.h.isMarked(number) != (bin == emptying) || number == list.current {
					m.t.Fatalf("class %d: span %d does not belong into bin %d", class, number, bin)
				}
				if bin == emptying {
					marked++
				} else if shapes[class].bin(p.used) != bin {
					m.t.Fatalf("class %d: a span of %d slots is in bin %d", class, p.used, bin)
				}
				prev = number
			}
		}
		if marked != list.marked {
			m.t.Fatalf("class %d: %d marked spans, counted %d", class, marked, list.marked)
		}
	}
}

// compactSome makes a part of a plan, or moves some of what lives if it is to be.
func (m *model) compactSome(rnd *rand.Rand) {
	if m.h.Marked() == 0 {
		m.h.Plan(1)
		return
	}
	mover := m.h.Mover(1 + rnd.IntN(50))
	from := rnd.IntN(1 + len(m.live))
	for i := from; i < len(m.live) && !mover.Spent(); i++ {
		m.move(&mover, i)
	}
}

func (m *model) move(mover *Mover, i int) {
	b := &m.live[i]
	if mover.Left--; !mover.Wants(b.r) {
		return
	}
	m.check(*b)
	mover.Move(b.r, b.n, func(to Ref) { b.r = to })
	m.check(*b)
}

// compact makes a plan and moves all that it wants moved.
func (m *model) compact() (moved int64) {
	for !m.h.Plan(1) {
	}
	mover := m.h.Mover(1 << 40)
	for i := range m.live {
		m.move(&mover, i)
	}
	return mover.Moved
}

// However much of blocks of all small sizes is freed at random, compaction gives
// nearly all of it back, and moves nothing twice.
func TestCompactionGivesGapsBack(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	f := func(sizes, keepOneOf int) {
		t.Helper()
		m := &model{t: t, h: New()}
		defer m.h.Close()
		for range 40_000 {
			m.alloc(1+rnd.IntN(sizes), byte(rnd.Uint32()))
		}
		for i := len(m.live) - 1; i >= 0; i-- {
			if rnd.IntN(keepOneOf) != 0 {
				m.free(i)
			}
		}
		moved := m.compact()
		m.h.Trim()
		m.checkStats()
		if moved > int64(len(m.live)) {
			t.Errorf("%d blocks are left, and %d were moved", len(m.live), moved)
		}
		spans := int64(0) // each class may have two that are not full
		for n := 1; n <= sizes; n = slotSize(n) + 1 {
			spans += 2 * int64(shapes[classOf(n)].pages) * pageBytes
		}
		if s := m.h.Stats(); s.Resident-s.Held > s.Held/10+spans {
			t.Errorf("sizes up to %d, one of %d left: %+v, and %d of spans in use", sizes, keepOneOf, s, spans)
		}
		for _, b := range m.live {
			m.check(b)
		}
	}
	f(100, 10)
	f(100, 2)
	f(1000, 10)
	f(1000, 3)
	f(10_000, 10)
	f(32<<10, 20)
}

// A plan that would give little back is none, and a heap without gaps has none.
func TestPlanThatDoesNotPay(t *testing.T) {
	t.Parallel()
	m := &model{t: t, h: New()}
	defer m.h.Close()
	plan := func(worth int64) int {
		for !m.h.Plan(worth) {
		}
		return m.h.Marked()
	}
	if n := plan(1); n != 0 {
		t.Errorf("nothing is there, and %d spans are marked", n)
	}
	for range 50_000 {
		m.alloc(100, 1)
	}
	if n := plan(1); n != 0 {
		t.Errorf("all is full, and %d spans are marked", n)
	}
	for i := len(m.live) - 1; i >= 0; i -= 2 {
		m.free(i)
	}
	if n := plan(50_000 * 104); n != 0 {
		t.Errorf("half is free, and %d spans are marked to win all", n)
	}
	if n := plan(50_000 * 104 / 3); n == 0 {
		t.Error("half is free, and no span is marked to win a third")
	}
	m.checkStats()
}

// What comes goes into spans that stay, unless only others have room.
func TestMarkedSpansAreTakenLast(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	m := &model{t: t, h: New()}
	defer m.h.Close()
	for range 50_000 {
		m.alloc(100, 1)
	}
	for i := len(m.live) - 1; i >= 0; i-- {
		if rnd.IntN(10) != 0 {
			m.free(i)
		}
	}
	for !m.h.Plan(1) {
	}
	marked, resident := m.h.Marked(), m.h.Stats().Resident
	for range 2 * len(m.live) {
		m.alloc(100, 2)
	}
	if m.h.Marked() == 0 || m.h.Marked() > marked {
		t.Errorf("%d spans are marked, %d were", m.h.Marked(), marked)
	}
	for range 6 * len(m.live) {
		m.alloc(100, 3)
	}
	if m.h.Marked() != 0 || m.h.Stats().Resident < resident {
		t.Errorf("all is full, and %d spans are marked", m.h.Marked())
	}
	m.checkStats()
}
