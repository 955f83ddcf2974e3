package keyspace

import (
	"math/rand/v2"
	"testing"
)

// leaver is a Tracker that ends.
type leaver struct{ over bool }

func (l *leaver) Ended() bool { return l.over }

// Of clients that come, read the same key and go, so many are kept in mind as were
// there at the same time; and nobody is forgotten who is still there.
func TestReadersThatHaveGoneAreForgotten(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	f := func(stay int) {
		t.Helper()
		var r readers
		here, items, longest := map[*leaver]bool{}, 0, 0
		for range 20_000 {
			if one := (&leaver{}); len(here) < stay || rng.IntN(2) == 0 {
				here[one] = true
				items += r.add(one)
				items += r.add(one)
			}
			for one := range here { // any one
				if len(here) > stay {
					one.over = true
					delete(here, one)
				}
				break
			}
			longest = max(longest, len(r.list))
			if items != len(r.list) {
				t.Fatalf("%d readers, and %d were counted", len(r.list), items)
			}
		}
		if most := max(readersFew, 2*(stay+1)); longest > most {
			t.Errorf("%d readers at a time, and %d are kept in mind, want at most %d", stay, longest, most)
		}
		kept := map[Tracker]int{}
		for _, one := range r.list {
			kept[one]++
		}
		for one := range here {
			if kept[one] != 1 {
				t.Errorf("a reader is kept in mind %d times", kept[one])
			}
		}
	}
	f(0)
	f(1)
	f(readersFew)
	f(500)
}
