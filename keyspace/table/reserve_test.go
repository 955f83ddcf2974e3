package table

import (
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// A table that was made large beforehand is the same set, and is scanned whole.
func TestReserve(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 5, 6, 100, 1000, 5000} {
		for _, reserved := range []int{0, 1, n / 3, n, 3*n + 7} {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			hashes := make([]uint64, n)
			tab := New(func(r slab.Ref) uint64 { return hashes[r] })
			tab.Reserve(reserved)
			for i := range hashes {
				hashes[i] = rng.Uint64()
				tab.Insert(hashes[i], slab.Ref(i), 0)
			}
			seen := map[slab.Ref]int{}
			for cursor := uint64(0); ; {
				if cursor = tab.Walk(cursor, func(s *Slot) { seen[s.Ref()]++ }); cursor == 0 {
					break
				}
			}
			if len(seen) != n || tab.Len() != n {
				t.Errorf("%d entries, %d reserved: %d are walked, Len is %d", n, reserved, len(seen), tab.Len())
			}
			for i, h := range hashes {
				found := false
				for p, s := tab.Probe(h), (*Slot)(nil); ; {
					if s = p.Next(); s == nil {
						break
					}
					found = found || s.Ref() == slab.Ref(i)
				}
				if !found {
					t.Errorf("%d entries, %d reserved: entry %d is not found", n, reserved, i)
				}
			}
			for i, h := range hashes {
				if !tab.Remove(h, slab.Ref(i)) {
					t.Errorf("%d entries, %d reserved: entry %d is not removed", n, reserved, i)
				}
			}
			tab.Close()
		}
	}
}

// Between two steps of a Walk anything may change; no entry is met twice, and
// what the walk has met is what stands before its cursor.
func TestWalkMeetsOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(2, seed))
		hashes := map[slab.Ref]uint64{}
		tab := New(func(r slab.Ref) uint64 { return hashes[r] })
		next := slab.Ref(1)
		add := func() {
			hashes[next] = rng.Uint64()
			tab.Insert(hashes[next], next, 0)
			next++
		}
		for range rng.IntN(2000) {
			add()
		}
		met := map[slab.Ref]bool{}
		for cursor := uint64(0); ; {
			cursor = tab.Walk(cursor, func(s *Slot) {
				if met[s.Ref()] {
					t.Fatalf("seed %d: an entry is met twice", seed)
				}
				met[s.Ref()] = true
			})
			if cursor == 0 {
				break
			}
			for r, h := range hashes {
				if before := Position(h) < cursor; before && !met[r] && r < next-200 {
					t.Fatalf("seed %d: an entry before the cursor was not met", seed)
				}
			}
			for range rng.IntN(60) {
				add()
				met[next-1] = Position(hashes[next-1]) < cursor // the walk is past its place
			}
			gone := rng.IntN(100)
			for r, h := range hashes {
				if gone--; gone < 0 {
					break
				}
				tab.Remove(h, r)
				delete(hashes, r)
				delete(met, r)
			}
		}
		for r := range hashes {
			if !met[r] {
				t.Errorf("seed %d: an entry is never met", seed)
			}
		}
		tab.Close()
	}
}
