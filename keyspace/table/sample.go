package table

import "math/bits"

// Sample calls visit for at least n entries, or for all if there are no more:
// those of one bucket chosen by r, a random number, and of the buckets after
// it. Whose hashes are neighbours is chance, so they are as good a sample as
// entries drawn one by one, for one wait for memory instead of n. visit must
// not insert or remove.
func (t *Table) Sample(r uint64, n int, visit func(*Slot)) {
	if t.count == 0 {
		return
	}
	i := t.sampled(r)
	for range t.buckets.Len() {
		b := t.buckets.At(i)
		n -= b.each(visit)
		for b.isLinked() {
			b = t.overflow.At(b.link())
			n -= b.each(visit)
		}
		if n <= 0 {
			return
		}
		if i++; i == t.buckets.Len() {
			i = 0
		}
	}
}

// sampled is the bucket that r chooses.
func (t *Table) sampled(r uint64) int {
	i, _ := bits.Mul64(mix(r+golden, mixer), uint64(t.buckets.Len()))
	return int(i)
}

// Touch reads the bucket that Sample begins with: whoever is to take several
// samples does well to touch them all first, as the processor then waits for
// their memory at once. What it returns is of no use but that it was read.
func (t *Table) Touch(r uint64) byte {
	if t.count == 0 {
		return 0
	}
	return byte(t.buckets.At(t.sampled(r)).tags)
}
