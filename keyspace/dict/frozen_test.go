package dict

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// frozenRig is a Dict with its model, which is frozen and walked while it
// changes. The tag is the Mark.
type frozenRig struct {
	t    *testing.T
	rng  *rand.Rand
	mem  *slab.Heap
	d    *Dict
	m    *model
	w    words
	many int
}

// A walk of a Frozen visits each element that there was when the Dict was
// frozen, once and as it was then, whatever becomes of it meanwhile; and in the
// end nothing is left of it.
func TestFrozenAgainstModel(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand, payload Payload) {
		for range 4 {
			mem := slab.New()
			r := &frozenRig{t, rng, mem, New(mem, rng.Uint64(), payload), newModel(), words{rng, payload}, 1 + rng.IntN(3000)}
			for range 8 {
				r.change(rng.IntN(4000))
				r.freeze()
			}
			c := r.d.CopyTo(mem, r.d.NewSeed())
			compare(t, c, r.m)
			for !c.Free(1000) {
			}
			freeInSlices(t, r.d, rng)
			mem.Close()
		}
	})
}

// change does so many things to the Dict. Now and then most of it goes at once,
// so that its table shrinks.
func (r *frozenRig) change(steps int) {
	for range steps {
		step(r.t, r.d, r.m, r.w, r.w.text(r.many))
		if r.rng.IntN(2000) == 0 {
			r.removeMost()
		}
	}
}

func (r *frozenRig) removeMost() {
	for text := range maps.Clone(r.m.payload) {
		if r.rng.IntN(10) > 0 {
			e, _ := r.d.Find([]byte(text))
			r.d.Remove(e)
			delete(r.m.payload, text)
			delete(r.m.mark, text)
		}
	}
}

// freeze freezes the Dict and walks it to the end, sometimes for nobody.
func (r *frozenRig) freeze() {
	r.t.Helper()
	want := model{maps.Clone(r.m.payload), maps.Clone(r.m.mark)}
	f := r.d.Freeze(func(e Element) int64 { return int64(e.Mark()) }, new(int64))
	if f.Len() != len(want.payload) {
		r.t.Fatalf("%d elements are frozen, want %d", f.Len(), len(want.payload))
	}
	visit := func(e Element, tag int64) {
		text := string(e.Text)
		if load, had := want.payload[text]; !had || load != string(e.Payload) || int64(want.mark[text]) != tag {
			r.t.Fatalf("%q %.30q with tag %d was seen, want %.30q with %d (%v)", text, e.Payload, tag, load, want.mark[text], had)
		}
		delete(want.payload, text)
	}
	shown, busy := r.rng.IntN(4) > 0, 1+r.rng.IntN(200)
	for {
		r.change(r.rng.IntN(busy))
		if held := r.mem.Stats().Held; held != r.d.held+f.held {
			r.t.Fatalf("%d and %d bytes counted, the heap holds %d", r.d.held, f.held, held)
		}
		if done := f.Walk(1+r.rng.IntN(100), visit); done {
			break
		}
		if !shown {
			visit = nil
		}
	}
	if visit != nil && len(want.payload) > 0 {
		r.t.Fatalf("%d elements were not seen", len(want.payload))
	}
	r.change(r.rng.IntN(100))
	if f.kept.Len() != 0 || f.held != 0 || *f.sum != 0 {
		r.t.Fatalf("%d elements of %d bytes are kept after the walk", f.kept.Len(), f.held)
	}
	f.Thaw()
	r.d.index.Each(func(slot *table.Slot) bool {
		if slot.Stamp()&noted != 0 {
			r.t.Fatalf("%q is still noted", r.d.At(slot.Ref()).Text)
		}
		return true
	})
	compare(r.t, r.d, r.m)
	compareHeld(r.t, r.d, r.mem)
}

// What has not changed since is not copied, and what is kept goes first.
func TestFrozenKeepsLittle(t *testing.T) {
	t.Parallel()
	d := newDict(t, Text)
	for _, text := range []string{"a", "b", "c", "d"} {
		d.Insert([]byte(text), []byte("old"))
	}
	f := d.Freeze(nil, new(int64))
	before := d.mem.Allocs()
	e, _ := d.Find([]byte("c"))
	d.Remove(e)
	if allocs := d.mem.Allocs() - before; allocs != 0 || f.held != 8 {
		t.Errorf("to remove an element took %d allocations, and %d bytes are kept", allocs, f.held)
	}
	for range 3 {
		e, _ = d.Find([]byte("a"))
		d.Replace(e, []byte("new"))
	}
	if f.kept.Len() != 2 {
		t.Errorf("%d elements are kept", f.kept.Len())
	}
	var seen []string
	for done := false; !done; {
		done = f.Walk(1, func(e Element, _ int64) { seen = append(seen, string(e.Text)+string(e.Payload)) })
	}
	if len(seen) != 4 || seen[0] != "aold" || seen[1] != "cold" {
		t.Errorf("%q was seen", seen)
	}
	f.Thaw()
}
