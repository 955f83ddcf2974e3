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

// A table that holds something is made larger: at every size, to every size, it is
// the same set, and as it would be had it grown by itself.
func TestReserveMore(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	hashes := make([]uint64, 20_000)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	f := func(n, reserved int) {
		t.Helper()
		tab := New(func(r slab.Ref) uint64 { return hashes[r] })
		defer tab.Close()
		for i := range n {
			tab.Insert(hashes[i], slab.Ref(i), uint32(i))
		}
		tab.Reserve(reserved)
		for i := n; i < n+n/2; i++ {
			tab.Insert(hashes[i], slab.Ref(i), uint32(i))
		}
		n += n / 2
		seen := map[slab.Ref]uint32{}
		for cursor := uint64(0); ; {
			if cursor = tab.Walk(cursor, func(s *Slot) { seen[s.Ref()] = s.Stamp() }); cursor == 0 {
				break
			}
		}
		if len(seen) != n || tab.Len() != n {
			t.Errorf("%d entries, %d reserved: %d are walked, Len is %d", n, reserved, len(seen), tab.Len())
		}
		for r, stamp := range seen {
			if stamp != uint32(r) {
				t.Errorf("%d entries, %d reserved: entry %d has stamp %d", n, reserved, r, stamp)
			}
		}
		for _, i := range rng.Perm(n) {
			if !tab.Remove(hashes[i], slab.Ref(i)) {
				t.Errorf("%d entries, %d reserved: entry %d is not removed", n, reserved, i)
			}
		}
	}
	for _, n := range []int{1, 2, 5, 6, 7, 42, 100, 1000, 5375, 5377} {
		for _, reserved := range []int{0, n - 1, n + 1, n + n/2, 2 * n, 3*n + 7, 16 * n} {
			f(n, reserved)
		}
	}
}

// What was met of a walk before a Reserve is not met again after it.
func TestWalkPastReserve(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	hashes := make([]uint64, 3000)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	tab := New(func(r slab.Ref) uint64 { return hashes[r] })
	defer tab.Close()
	for i, h := range hashes {
		tab.Insert(h, slab.Ref(i), 0)
	}
	met := map[slab.Ref]int{}
	steps := 0
	for cursor := uint64(0); ; {
		if cursor = tab.Walk(cursor, func(s *Slot) { met[s.Ref()]++ }); cursor == 0 {
			break
		}
		if steps++; steps <= 400 && steps%40 == 0 {
			tab.Reserve(3000 + steps*20)
		}
	}
	for i := range hashes {
		if met[slab.Ref(i)] != 1 {
			t.Errorf("entry %d was met %d times", i, met[slab.Ref(i)])
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
