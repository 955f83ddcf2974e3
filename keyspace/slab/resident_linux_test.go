package slab

import (
	"encoding/binary"
	"os"
	"testing"
)

// present asks the kernel how many bytes of the heap's arenas are in memory.
func present(t *testing.T, h *Heap) int64 {
	t.Helper()
	file, err := os.Open("/proc/self/pagemap")
	if err != nil {
		t.Skipf("the kernel does not tell which pages are in memory: %v", err)
	}
	defer file.Close()
	var total int64
	states := make([]byte, arenaBytes/osPage*8)
	for entry, a := range h.arenas {
		if a == nil {
			continue
		}
		if _, err := file.ReadAt(states, int64(uintptr(h.dir[entry]))/int64(osPage)*8); err != nil {
			t.Skipf("the kernel does not tell which pages are in memory: %v", err)
		}
		for ; len(states) > 0; states = states[8:] {
			if binary.LittleEndian.Uint64(states)>>62 != 0 { // In memory, or swapped out.
				total += int64(osPage)
			}
		}
		states = make([]byte, arenaBytes/osPage*8)
	}
	return total
}

// What the heap says is resident is what the kernel says, but for the tails
// of large slots that were never written.
func TestResidentIsTrue(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	m := &model{t: t, h: New()}
	defer m.h.Close()
	check := func(when string) {
		t.Helper()
		counted, real := m.h.Stats().Resident, present(t, m.h)
		if real > counted || real < counted*95/100 {
			t.Errorf("%s: %d bytes are resident, %d counted", when, real, counted)
		}
	}
	for range 4 {
		for range 20000 {
			m.alloc(1+rnd.IntN(1<<rnd.IntN(13)), 1)
		}
		for range 30 {
			m.alloc(1+rnd.IntN(1<<20), 2)
		}
		check("grown")
		for len(m.live) > 5000 {
			m.free(rnd.IntN(len(m.live)))
		}
		check("shrunk")
	}
	m.h.Trim()
	check("trimmed")
}

// A hundred thousand values of 32 bytes are overwritten with others of 8 to
// 200 bytes, three times over, and then with values of 32 bytes again. The
// empty pages come back by themselves; once the owner has moved what sits in
// sparse pages, so does the rest.
func TestOverwritingKeepsNothing(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	m := &model{t: t, h: New()}
	defer m.h.Close()
	const count = 100000
	for range count {
		m.alloc(32, 1)
	}
	overwrite := func(i, n int) {
		m.alloc(n, byte(i))
		m.free(i) // The last one, which is new, takes its place.
	}
	check := func(when string, limit float64) {
		t.Helper()
		m.checkStats()
		counted, real := m.h.Stats(), present(t, m.h)
		t.Logf("%s: held %d, resident %d", when, counted.Held, real)
		if float64(real) > limit*float64(counted.Held)+dirtyMin {
			t.Errorf("%s: %d bytes are resident for %d", when, real, counted.Held)
		}
	}
	check("at first", 1.01)
	for range 3 {
		for range count {
			overwrite(rnd.IntN(count), 8+rnd.IntN(193))
		}
		check("overwritten", 1.4)
	}
	for i := range count {
		overwrite(i, 32)
	}
	check("as at first", 1.01)
}
