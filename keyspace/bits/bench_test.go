package bits

import (
	"fmt"
	"testing"
)

// BenchmarkBits goes over strings of so many bytes.
func BenchmarkBits(b *testing.B) {
	for _, size := range []int{100, 100_000, 10_000_000} {
		text, other, out := make([]byte, size), make([]byte, size), make([]byte, size)
		whole := newSpan(0, -1, size, false)
		f := func(name string, run func()) {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					run()
				}
			})
		}
		f("count", func() { count(text, whole) })
		f("search", func() { search(text, whole, true) })
		for op := and; op <= one; op++ {
			f(operations[op], func() { op.combine(out, [][]byte{text, other}) })
		}
	}
}
