package stream

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// An ordered has what a sorted list would have, whatever comes and goes where.
func TestOrdered(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var o ordered[delivery]
	var want []ID
	for step := range 20_000 {
		id := ID{rng.Uint64N(20), rng.Uint64N(50)}
		at, have := slices.BinarySearchFunc(want, id, ID.compare)
		if got := o.get(id); (got != nil) != have || have && got.id != id {
			t.Fatalf("step %d: %v is found: %v, want %t", step, id, got, have)
		}
		switch {
		case have && (step/3000%2 == 1 || rng.IntN(3) == 0):
			d, found := o.remove(id)
			if want = slices.Delete(want, at, at+1); !found || d.id != id {
				t.Fatalf("step %d: %v is taken away as %v", step, id, d)
			}
		case !have && step/3000%2 == 0:
			o.insert(delivery{id: id, when: int64(step)})
			want = slices.Insert(want, at, id)
		}
		var got []ID
		from := ID{rng.Uint64N(20), 0}
		o.from(from, func(d *delivery) bool {
			got = append(got, d.id)
			return len(got) < 100
		})
		at, _ = slices.BinarySearchFunc(want, from, ID.compare)
		if all := want[at:]; !slices.Equal(got, all[:min(100, len(all))]) || o.length != len(want) {
			t.Fatalf("step %d: from %v on there are %v of %d, want %v", step, from, got, o.length, all)
		}
	}
}

// What begins with its ID is found by it.
func TestBeginsWithID(t *testing.T) {
	t.Parallel()
	d := delivery{id: ID{1, 2}, when: 3}
	if got := idOf(&d); got != d.key() {
		t.Errorf("a delivery begins with %v, want %v", got, d.key())
	}
	if got := idOf(&d.id); got != d.id.key() {
		t.Errorf("an ID begins with %v, want %v", got, d.id)
	}
}

// BenchmarkSeek looks for any of 100,000 deliveries.
func BenchmarkSeek(b *testing.B) {
	var o ordered[delivery]
	for i := range uint64(100_000) {
		o.insert(delivery{id: ID{1, i}})
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		if o.get(ID{1, rng.Uint64N(100_000)}) == nil {
			b.Fatal("one is missing")
		}
	}
}
