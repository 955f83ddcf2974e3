package rank

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// heapOf makes elements of a heap, of 24 bytes each as those of a sorted set
// with short members are.
type heapOf struct {
	mem  *slab.Heap
	tree *Tree
	refs []slab.Ref
}

func newHeap(b *testing.B, elements int) *heapOf {
	h := &heapOf{mem: slab.New()}
	b.Cleanup(h.mem.Close)
	h.tree = New(h.mem, func(r slab.Ref) []byte { return h.mem.Bytes(r, 8) })
	for i := range elements {
		r := h.mem.Alloc(24)
		binary.BigEndian.PutUint64(h.mem.Bytes(r, 8), uint64(i))
		h.refs = append(h.refs, r)
	}
	return h
}

// scores are those of each way to fill a tree.
var scores = map[string]func(rng *rand.Rand) float64{
	"random": func(rng *rand.Rand) float64 { return float64(rng.IntN(1 << 40)) },
	"equal":  func(*rand.Rand) float64 { return 0 },
}

func BenchmarkTree(b *testing.B) {
	for _, size := range []int{1000, 1_000_000} {
		for name, score := range scores {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) { benchmark(b, size, score) })
		}
	}
}

func benchmark(b *testing.B, size int, score func(*rand.Rand) float64) {
	h, rng := newHeap(b, size), rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(size, func(i, j int) { h.refs[i], h.refs[j] = h.refs[j], h.refs[i] })
	for _, r := range h.refs {
		h.tree.Insert(score(rng), r)
	}
	b.Run("remove+insert", func(b *testing.B) {
		for b.Loop() {
			_, r := h.tree.RemoveAt(rng.IntN(size))
			h.tree.Insert(score(rng), r)
		}
	})
	b.Run("rank", func(b *testing.B) {
		for b.Loop() {
			h.tree.Rank(Before(score(rng), h.tree.text(h.refs[rng.IntN(size)])))
		}
	})
	b.Run("at", func(b *testing.B) {
		for b.Loop() {
			h.tree.At(rng.IntN(size))
		}
	})
	b.Run("each100", func(b *testing.B) {
		var sum byte
		for b.Loop() {
			first := rng.IntN(size - 100)
			h.tree.Each(first, first+100, func(_ float64, r slab.Ref) bool { sum += h.tree.text(r)[0]; return true })
		}
	})
	b.Run("pop+append", func(b *testing.B) {
		last, _ := h.tree.At(size - 1)
		for b.Loop() {
			_, r := h.tree.RemoveAt(0)
			last++
			h.tree.Append(last, r)
		}
	})
	b.ReportMetric(float64(h.tree.Bytes())/float64(size), "B/element")
}

func BenchmarkFill(b *testing.B) {
	const size = 1_000_000
	for name, score := range scores {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				h, rng := newHeap(b, size), rand.New(rand.NewPCG(1, 2))
				b.StartTimer()
				for _, r := range h.refs {
					h.tree.Insert(score(rng), r)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/size, "ns/insert")
		})
	}
}
