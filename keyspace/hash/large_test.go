package hash

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// A large hash agrees with the model, counts its memory rightly, and gives all
// of it back in slices, as its copy does.
func TestLargeAgainstModel(t *testing.T) {
	t.Parallel()
	EachSeed(t, 2, func(t *testing.T, rng *rand.Rand) {
		for range 6 {
			mem, other := slab.New(), slab.New()
			fields := 1 + rng.IntN(3000)
			m, w := newModel(), words{rng}
			l := newLarge(mem, rng.Uint64())
			for range 4000 {
				field := w.field(fields)
				if rng.IntN(3) > 0 {
					value := w.value()
					if got, want := l.set([]byte(field), []byte(value)), m.set(field, value); got != want {
						t.Fatalf("set(%q) added %v, want %v", field, got, want)
					}
				} else if got, want := l.remove([]byte(field)), m.remove(field); got != want {
					t.Fatalf("remove(%q) = %v, want %v", field, got, want)
				}
			}
			compareLarge(t, l, m)
			c := l.Copy(mem, other).(*large)
			compareLarge(t, c, m)
			compareHeld(t, l, mem)
			compareHeld(t, c, other)
			freeInSlices(t, l, mem, rng)
			compareLarge(t, c, m)
			freeInSlices(t, c, other, rng)
			mem.Close()
			other.Close()
		}
	})
}

func compareLarge(t *testing.T, l *large, m *model) {
	t.Helper()
	if l.Len() != len(m.order) {
		t.Fatalf("%d fields, want %d", l.Len(), len(m.order))
	}
	for field, want := range m.value {
		if got, found := l.get([]byte(field)); !found || string(got) != want {
			t.Fatalf("%q is %.30q, %v, want %.30q", field, got, found, want)
		}
	}
	seen := map[string]bool{}
	l.each(func(field, value []byte) bool {
		if seen[string(field)] || m.value[string(field)] != string(value) {
			t.Fatalf("%q %.30q was seen, want %.30q", field, value, m.value[string(field)])
		}
		seen[string(field)] = true
		return true
	})
	if len(seen) != len(m.order) {
		t.Fatalf("%d fields seen, want %d", len(seen), len(m.order))
	}
}

func compareHeld(t *testing.T, l *large, mem *slab.Heap) {
	t.Helper()
	if held := mem.Stats().Held; l.held != held {
		t.Fatalf("%d bytes counted, the heap holds %d", l.held, held)
	}
	if l.Bytes() <= l.held {
		t.Fatalf("%d bytes in all, %d of them in the heap", l.Bytes(), l.held)
	}
}

func freeInSlices(t *testing.T, l *large, mem *slab.Heap, rng *rand.Rand) {
	t.Helper()
	most := 1 + rng.IntN(100)
	left, calls := l.Len(), 0
	for done := false; !done; calls++ {
		before := mem.Stats().Used
		done = l.Free(mem, most)
		if after := mem.Stats().Used; !done && after >= before {
			t.Fatalf("a slice freed nothing: %d bytes, then %d", before, after)
		}
	}
	if calls < left/(most+50) {
		t.Errorf("%d fields went in %d calls of %d", left, calls, most)
	}
	if s := mem.Stats(); s.Held != 0 || s.Used != 0 {
		t.Errorf("after Free the heap holds %d bytes, %d used", s.Held, s.Used)
	}
}

// A walk by scan visits every field that is there all the time, whatever else
// comes and goes.
func TestLargeScan(t *testing.T) {
	t.Parallel()
	EachSeed(t, 3, func(t *testing.T, rng *rand.Rand) {
		mem := slab.New()
		defer mem.Close()
		l := newLarge(mem, rng.Uint64())
		for i := range 1000 {
			l.set(fmt.Append(nil, "stays", i), []byte("v"))
		}
		seen := map[string]bool{}
		size := 0
		for cursor, steps := uint64(0), 0; steps == 0 || cursor != 0; steps++ {
			cursor = l.scan(cursor, func(field, _ []byte) { seen[string(field)] = true })
			grow := rng.IntN(2) == 0
			for range rng.IntN(300) {
				if grow {
					l.set(fmt.Append(nil, "goes", size), nil)
					size++
				} else if size > 0 {
					size--
					l.remove(fmt.Append(nil, "goes", size))
				}
			}
		}
		for i := range 1000 {
			if field := fmt.Sprint("stays", i); !seen[field] {
				t.Fatalf("%s was not visited", field)
			}
		}
	})
}

// A value of the same size class is written where the old one was.
func TestLargeChangesInPlace(t *testing.T) {
	t.Parallel()
	mem := slab.New()
	defer mem.Close()
	l := newLarge(mem, 1)
	l.set([]byte("f"), []byte("12345"))
	slot, _, _ := l.find([]byte("f"), l.hashOf(l.index.Random(0).Ref()))
	where := slot.Ref()
	f := func(value string, inPlace bool) {
		t.Helper()
		l.set([]byte("f"), []byte(value))
		if got, _ := l.get([]byte("f")); string(got) != value {
			t.Errorf("%q, want %q", got, value)
		}
		if (slot.Ref() == where) != inPlace {
			t.Errorf("%q: in place %v, want %v", value, !inPlace, inPlace)
		}
		compareHeld(t, l, mem)
	}
	f("54321", true)
	f("", true)
	f("123456", false)
}
