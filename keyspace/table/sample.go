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
	buckets := t.buckets.Len()
	first, _ := bits.Mul64(mix(r+golden, mixer), uint64(buckets))
	i := int(first)
	for range buckets {
		b := t.buckets.At(i)
		n -= b.each(visit)
		for b.isLinked() {
			b = t.overflow.At(b.link())
			n -= b.each(visit)
		}
		if n <= 0 {
			return
		}
		if i++; i == buckets {
			i = 0
		}
	}
}
