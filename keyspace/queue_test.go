package keyspace

import "testing"

// A queue keeps its order, and lets go of its ring when it empties large.
func TestQueue(t *testing.T) {
	t.Parallel()
	var q queue[int]
	in, out := 0, 0
	for _, step := range []int{3, -2, 10, -11, 1000, -400, 700, -1300} {
		for ; step > 0; step-- {
			q.push(in)
			in++
		}
		for ; step < 0; step++ {
			if first, got := q.first(), q.pop(); got != out || first != got {
				t.Fatalf("got %d and %d, want %d", first, got, out)
			}
			out++
		}
		if q.len() != in-out {
			t.Fatalf("%d are in it, want %d", q.len(), in-out)
		}
	}
	if len(q.ring) > queueKeep {
		t.Errorf("an empty queue keeps room for %d", len(q.ring))
	}
}
