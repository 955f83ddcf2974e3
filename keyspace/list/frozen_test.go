package list

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupedb/troupe/keyspace"
)

// A walk of a frozen list shows the elements that there were when it was frozen,
// in order, whatever becomes of the list meanwhile; and in the end nothing is
// kept.
func TestFrozenAgainstModel(t *testing.T) {
	t.Parallel()
	EachSeed(t, 3, func(t *testing.T, rng *rand.Rand) {
		for _, size := range sizes {
			r := newRig(t, rng, size)
			for range 6 {
				for i := range 50 + rng.IntN(1500) {
					r.step(i%10 > 0)
				}
				r.freeze()
			}
			r.copyAndFree()
		}
	})
}

// Likewise one of several chunks, which are split, joined and cut off.
func TestFrozenManyChunks(t *testing.T) {
	t.Parallel()
	EachSeed(t, 4, func(t *testing.T, rng *rand.Rand) {
		r := newRig(t, rng, 1)
		for range 10 {
			for len(r.want) < 2000 {
				text := fmt.Sprint(rng.IntN(100))
				r.l.push([]byte(text), right, r.lim)
				r.want = append(r.want, text)
			}
			r.freeze()
		}
		r.copyAndFree()
	})
}

// freeze freezes the list and walks it to the end, sometimes for nobody.
func (r *rig) freeze() {
	r.t.Helper()
	want, at := slices.Clone(r.want), 0
	f := r.l.freeze(&r.kept)
	if f.Len() != len(want) {
		r.t.Fatalf("%d elements are frozen, want %d", f.Len(), len(want))
	}
	visit := func(e keyspace.Element) {
		if at == len(want) || string(e.Text) != want[at] {
			r.t.Fatalf("element %d of %d was %.30q, want %.30q", at, len(want), e.Text, want[min(at, len(want)-1)])
		}
		at++
	}
	shown, busy, effort, grow := r.rng.IntN(4) > 0, 1+r.rng.IntN(60), 1+r.rng.IntN(20+len(want)/20), r.rng.IntN(2) == 0
	for done, slices := false, 0; !done; slices++ {
		for range r.rng.IntN(busy) {
			r.step(grow)
		}
		if slices%10 == 0 {
			r.compare()
		}
		done = f.Walk(effort, visit)
		if !shown {
			visit = nil
		}
	}
	if visit != nil && at != len(want) {
		r.t.Fatalf("%d elements were shown, want %d", at, len(want))
	}
	r.step(true)
	if r.kept != 0 {
		r.t.Fatalf("%d bytes are kept after the walk", r.kept)
	}
	f.Thaw()
	r.step(true)
	r.compare()
}

// What is pushed and popped at the ends copies no elements, and what is trimmed
// away is kept without a copy.
func TestFrozenKeepsLittle(t *testing.T) {
	t.Parallel()
	r := newRig(t, rand.New(rand.NewPCG(1, 1)), -2)
	text := make([]byte, 98)
	for range 10_000 {
		r.l.push(text, right, r.lim)
	}
	held := r.l.held
	f := r.l.freeze(&r.kept)
	for range 1000 {
		r.l.push(text, right, r.lim)
		r.l.pop(left)
	}
	if most := held/10 + 2*chunkMax*int64(blockBytes); r.kept > most {
		t.Errorf("%d bytes are kept, want at most %d", r.kept, most)
	}
	before := r.mem.Stats().Held
	rest := r.l
	r.l = r.l.trim(4000, 10)
	for !rest.Free(r.mem, 1000) {
	}
	if more := r.mem.Stats().Held - before; more > 2*chunkMax*int64(blockBytes) {
		t.Errorf("to trim the list takes %d bytes more", more)
	}
	elements := 0
	for !f.Walk(1000, func(keyspace.Element) { elements++ }) {
	}
	f.Thaw()
	if elements != 10_000 || r.kept != 0 || r.mem.Stats().Held != r.l.held {
		t.Errorf("%d elements, %d bytes are kept, %d held of which the list says %d", elements, r.kept, r.mem.Stats().Held, r.l.held)
	}
}
