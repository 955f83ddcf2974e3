package slab

import (
	"flag"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"
)

var seedFlag = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")

// newRand returns the random numbers of a test, which the seed it logs gives
// again.
func newRand(t testing.TB) *rand.Rand {
	t.Logf("-seed %d", *seedFlag)
	return rand.New(rand.NewPCG(*seedFlag, 1))
}

func TestSizes(t *testing.T) {
	t.Parallel()
	h := New()
	f := func(n, want int) {
		t.Helper()
		if got := h.Size(n); got != want {
			t.Errorf("Size(%d) = %d, want %d", n, got, want)
		}
	}
	f(1, 8)
	f(8, 8)
	f(9, 16)
	f(512, 512)
	f(513, 576)
	f(1024, 1024)
	f(1025, 1152)
	f(32<<10, 32<<10)
	f(32<<10+1, 48<<10)
	f(100<<10, 112<<10)
	f(1<<20+1, 1<<20+128<<10)
	f(32<<20, 32<<20)
	f(32<<20+1, 36<<20)
	f(2<<30, 2<<30)
}

// Every size fits its class, a class's own size is in it, no class rounds up
// by more than an eighth, and no span wastes more than a tenth.
func TestClasses(t *testing.T) {
	t.Parallel()
	for n := 1; n <= slotMax; n++ {
		c := classOf(n)
		s := shapes[c]
		size := int(s.size)
		if size < n || size != slotSize(n) || size >= n+8 && size*8 > n*9+8 {
			t.Fatalf("%d bytes: class %d of %d bytes", n, c, size)
		}
		if classOf(size) != c {
			t.Fatalf("%d bytes: class %d, but its size %d has class %d", n, c, size, classOf(size))
		}
		if total := int(s.pages) * pageBytes; int(s.slots)*size > total || int(s.slots)*size < total*9/10 {
			t.Fatalf("class %d: %d slots of %d bytes in %d", c, s.slots, size, total)
		}
		if bin := s.bin(s.slots - 1); s.slots > 1 && (bin <= emptying || bin > binCount) {
			t.Fatalf("class %d: bin %d", c, bin)
		}
	}
}

// A model of a heap: what lives, and the byte that fills it.
type model struct {
	t    testing.TB
	h    *Heap
	live []block
	used int64
	held int64
}

type block struct {
	r    Ref
	n    int
	fill byte
}

func (m *model) alloc(n int, fill byte) {
	b := block{m.h.Alloc(n), n, fill}
	data := m.h.Bytes(b.r, n)
	if b.r == 0 || b.r>>refBits != 0 || len(data) != n || cap(data) != n {
		m.t.Fatalf("Alloc(%d) = %#x: %d bytes, capacity %d", n, b.r, len(data), cap(data))
	}
	for i := range data {
		data[i] = fill
	}
	m.live = append(m.live, b)
	m.used += int64(n)
	m.held += int64(m.h.Size(n))
}

func (m *model) free(i int) {
	b := m.live[i]
	m.check(b)
	m.h.Free(b.r, b.n)
	m.live[i] = m.live[len(m.live)-1]
	m.live = m.live[:len(m.live)-1]
	m.used -= int64(b.n)
	m.held -= int64(m.h.Size(b.n))
}

func (m *model) check(b block) {
	for i, got := range m.h.Bytes(b.r, b.n) {
		if got != b.fill {
			m.t.Fatalf("byte %d of %d at %#x is %#x, want %#x", i, b.n, b.r, got, b.fill)
		}
	}
}

func (m *model) checkStats() {
	m.t.Helper()
	s := m.h.Stats()
	if s.Used != m.used || s.Held != m.held {
		m.t.Fatalf("%+v, want Used %d, Held %d", s, m.used, m.held)
	}
	if s.Resident > s.Mapped {
		m.t.Fatalf("%+v: more resident than mapped", s)
	}
	m.checkPages()
}

// checkPages recomputes what the heap counts as it goes.
func (m *model) checkPages() {
	m.t.Helper()
	m.checkSpans()
	var dirty, committed int64
	for _, own := range m.h.own {
		committed += int64(own.resident)
	}
	for _, d := range m.h.doomed {
		committed += int64(d.own.resident)
	}
	for entry, a := range m.h.arenas {
		if a == nil {
			continue
		}
		free, dirtyCount := 0, 0
		for i := range arenaPages {
			frames := int64(a.frames[i]) * frameBytes
			committed += frames
			if a.free.has(i) {
				free++
			}
			if a.dirty.has(i) {
				dirtyCount++
				dirty += frames
			}
			if a.dirty.has(i) != (a.free.has(i) && frames > 0) {
				m.t.Fatalf("page %d of arena %d: wrong dirty bit", i, entry)
			}
		}
		if free != a.freeCount || dirtyCount != a.dirtyCount {
			m.t.Fatalf("arena %d: %d free, %d dirty, counted %d and %d", entry, free, dirtyCount, a.freeCount, a.dirtyCount)
		}
	}
	if dirty != m.h.dirty || committed != m.h.committed {
		m.t.Fatalf("dirty %d, committed %d, counted %d and %d", dirty, committed, m.h.dirty, m.h.committed)
	}
	if limit := max(dirtyMin, committed/dirtyPart); dirty > limit && !m.h.Unsettled() {
		m.t.Fatalf("%d bytes of empty pages are resident, the limit is %d", dirty, limit)
	}
}

// settle does what frees have left, and demands that each step is small.
func settle(t testing.TB, h *Heap) {
	t.Helper()
	for more := h.Unsettled(); more; {
		before := h.Stats()
		more = h.Settle()
		after := h.Stats()
		if gone := before.Resident - after.Resident; gone > settleBytes || gone == 0 && after.Mapped == before.Mapped {
			t.Fatalf("a step gave %d bytes back", gone)
		}
	}
}

// Blocks of all sizes come and go. Each keeps its bytes while it lives, no
// two overlap (they would overwrite each other), and the sums are exact.
func TestRandomAgainstModel(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	m := &model{t: t, h: New()}
	defer m.h.Close()
	sizes := []int{64, 64, 200, 600, 4000, 40000, 400000}
	for step := range 60000 {
		grow := step/6000%2 == 0
		if len(m.live) == 0 || rnd.IntN(10) < 6 == grow {
			m.alloc(1+rnd.IntN(sizes[rnd.IntN(len(sizes))]), byte(rnd.Uint32()))
		} else {
			m.free(rnd.IntN(len(m.live)))
		}
		if step%5000 == 0 {
			m.checkStats()
			settle(t, m.h)
			m.checkStats()
		}
		if step%7000 == 0 {
			m.h.TrimStep()
		}
		if step > 15000 && step%10 == 0 {
			m.compactSome(rnd)
		}
	}
	m.checkStats()
	for len(m.live) > 0 {
		m.free(rnd.IntN(len(m.live)))
	}
	m.checkStats()
	m.h.Trim()
	if s := m.h.Stats(); s != (Stats{}) {
		t.Errorf("after freeing all and Trim: %+v", s)
	}
}

// The largest sizes: runs that fill arenas, and arenas of their own.
func TestLarge(t *testing.T) {
	t.Parallel()
	h := New()
	defer h.Close()
	touch := func(r Ref, n int) {
		data := h.Bytes(r, n)
		data[0], data[n/2], data[n-1] = 1, 2, 3
	}
	sizes := []int{32 << 20, 32<<20 + 1, 64 << 20, 64<<20 + 1, 100 << 20, 1 << 30, 20 << 20, 30 << 20}
	var refs []Ref
	for range 2 {
		refs = refs[:0]
		for _, n := range sizes {
			r := h.Alloc(n)
			touch(r, n)
			refs = append(refs, r)
		}
		for i, n := range sizes {
			data := h.Bytes(refs[i], n)
			if data[0] != 1 || data[n/2] != 2 || data[n-1] != 3 {
				t.Fatalf("%d bytes: not what was written", n)
			}
			before := h.Stats().Resident
			h.Free(refs[i], n)
			if gone := before - h.Stats().Resident; gone > freeSteps*settleBytes {
				t.Fatalf("freeing %d bytes gave %d back at once", n, gone)
			}
		}
	}
	settle(t, h)
	if s := h.Stats(); s.Used != 0 || s.Held != 0 || s.Mapped > arenaBytes || s.Resident > dirtyMin {
		t.Errorf("after freeing all: %+v", s)
	}
	if len(h.dir) > 40 {
		t.Errorf("the directory has %d entries: freed ones are not used again", len(h.dir))
	}
	h.Free(h.Alloc(200<<20), 200<<20)
	h.Alloc(100 << 20) // Close must find both.
}

// What is discarded stays resident until Settle; then it goes by the megabyte,
// however scattered it was discarded.
func TestDiscard(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	m := &model{t: t, h: New()}
	defer m.h.Close()
	for range 1_000_000 {
		m.alloc(100, 1)
	}
	rnd.Shuffle(len(m.live), func(i, j int) { m.live[i], m.live[j] = m.live[j], m.live[i] })
	before := m.h.Stats().Resident
	for _, b := range m.live {
		m.h.Discard(b.r, b.n)
	}
	if s := m.h.Stats(); s.Resident != before || s.Held != 0 {
		t.Errorf("discarded: %+v", s)
	}
	steps := int64(0)
	for m.h.Settle() {
		steps++
	}
	if s := m.h.Stats(); s.Resident > dirtyMin || s.Mapped > arenaBytes || steps > before/settleBytes+3 {
		t.Errorf("settled in %d steps: %+v", steps, s)
	}
	m.live, m.used, m.held = nil, 0, 0
	m.checkStats()
}

func TestResize(t *testing.T) {
	t.Parallel()
	h := New()
	defer h.Close()
	f := func(was, n int) {
		t.Helper()
		r := h.Alloc(was)
		h.Resize(r, was, n)
		if s := h.Stats(); s.Used != int64(n) || s.Held != int64(h.Size(n)) {
			t.Errorf("%d bytes resized to %d: %+v", was, n, s)
		}
		h.Free(r, n)
		if s := h.Stats(); s.Used != 0 || s.Held != 0 {
			t.Errorf("%d bytes resized to %d and freed: %+v", was, n, s)
		}
	}
	f(1, 8)
	f(24, 17)
	f(33<<10, 48<<10)
	f(40<<20, 40<<20-1)
	f(36<<20+1, 40<<20)
	f(40<<20, 36<<20+1)
}

// A tail that is not used is not counted as resident, until it is.
func TestTailIsNotResident(t *testing.T) {
	t.Parallel()
	f := func(was, n int) {
		t.Helper()
		h := New()
		defer h.Close()
		r := h.Alloc(was)
		want := func(n int) {
			t.Helper()
			if got := h.Stats().Resident; got < int64(n) || got > int64(n+pageBytes) {
				t.Errorf("%d bytes: %d are resident", n, got)
			}
		}
		want(was)
		h.Resize(r, was, n)
		want(n)
		h.Resize(r, n, was)
		want(n) // touched is touched
		h.Resize(r, was, n)
		want(n)
		h.Free(r, n)
		h.Trim()
		want(0)
	}
	f(16<<20+1, 18<<20)
	f(64<<20+1, 72<<20)
}

// A heap is trimmed in steps none of which takes long.
func TestTrimStepIsBounded(t *testing.T) {
	t.Parallel()
	h := New()
	defer h.Close()
	var refs []Ref
	const size, count = 1000, 100_000
	for range count {
		refs = append(refs, h.Alloc(size))
	}
	large := h.Alloc(64 << 20)
	for _, r := range refs {
		h.Free(r, size)
	}
	h.Free(large, 64<<20)
	steps := 0
	for more := true; more; steps++ {
		before := h.Effort()
		more = h.TrimStep()
		if took := h.Effort() - before; took > settleBytes/frameBytes+callEffort {
			t.Fatalf("step %d takes %d", steps, took)
		}
	}
	if s := h.Stats(); s.Resident != 0 || s.Mapped != 0 {
		t.Errorf("after %d steps: %+v", steps, s)
	}
}

// What grows byte by byte moves seldom: eight times to a doubling at most.
func TestGrowthMovesSeldom(t *testing.T) {
	t.Parallel()
	h := New()
	moves := 0
	for n := 1 << 20; n+1000 <= 1<<30; n += 1000 {
		if h.Size(n) != h.Size(n+1000) {
			moves++
		}
	}
	if moves > 10*8 {
		t.Errorf("growing from 1 MB to 1 GB moves %d times", moves)
	}
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	f := func(name string, misuse func(h *Heap)) {
		t.Helper()
		h := New()
		defer h.Close()
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", name)
			}
		}()
		misuse(h)
	}
	f("no bytes", func(h *Heap) { h.Alloc(0) })
	f("negative", func(h *Heap) { h.Alloc(-1) })
	f("too much", func(h *Heap) { h.Alloc(allocMax + 1) })
	f("another size", func(h *Heap) { h.Free(h.Alloc(100), 200) })
	f("another run", func(h *Heap) { h.Free(h.Alloc(100<<10), 200<<10) })
	f("twice", func(h *Heap) { r := h.Alloc(8); h.Free(r, 8); h.Free(r, 8) })
	f("resize", func(h *Heap) { h.Resize(h.Alloc(8), 8, 9) })
}

func TestNothingIsMappedAtFirst(t *testing.T) {
	t.Parallel()
	h := New()
	h.Trim()
	if s := h.Stats(); s != (Stats{}) {
		t.Errorf("a new heap: %+v", s)
	}
	h.Close()
}

// The garbage collector skips what is known about pages, 16 bytes each.
func TestPagesHoldNoPointers(t *testing.T) {
	t.Parallel()
	if size := unsafe.Sizeof(page{}); size != 16 {
		t.Errorf("a page takes %d bytes", size)
	}
	fields := reflect.VisibleFields(reflect.TypeFor[arena]())
	fields = append(fields, reflect.VisibleFields(reflect.TypeFor[page]())...)
	for _, field := range fields {
		switch field.Type.Kind() {
		case reflect.Pointer, reflect.UnsafePointer, reflect.Slice, reflect.Map, reflect.String, reflect.Interface:
			t.Errorf("%s is a pointer", field.Name)
		}
	}
}
