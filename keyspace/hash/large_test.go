package hash

import (
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// A large hash agrees with the model and gives all its memory back in slices,
// as its copy does.
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
					if got, want := l.set([]byte(field), []byte(value), false), m.set(field, value); got != want {
						t.Fatalf("set(%q) added %v, want %v", field, got, want)
					}
				} else if e, found := l.Find([]byte(field)); found != m.remove(field) {
					t.Fatalf("%q is found: %v", field, found)
				} else if found {
					l.remove(e)
				}
			}
			compareLarge(t, l, m)
			c := l.Copy(mem, other).(*large)
			compareLarge(t, c, m)
			free(t, l, mem)
			compareLarge(t, c, m)
			free(t, c, other)
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
	h := fields{large: l}
	for field, want := range m.value {
		if got, found := h.get([]byte(field)); !found || string(got) != want {
			t.Fatalf("%q is %.30q, %v, want %.30q", field, got, found, want)
		}
	}
	seen := map[string]bool{}
	h.each(func(field, value []byte) bool {
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

// free frees a hash in slices, of which each frees something.
func free(t *testing.T, l *large, mem *slab.Heap) {
	t.Helper()
	for done := false; !done; {
		before := mem.Stats().Used
		done = l.Free(mem, 50)
		if after := mem.Stats().Used; !done && after >= before {
			t.Fatalf("a slice freed nothing: %d bytes, then %d", before, after)
		}
	}
	if s := mem.Stats(); s.Held != 0 || s.Used != 0 {
		t.Errorf("after Free the heap holds %d bytes, %d used", s.Held, s.Used)
	}
}
