package slab

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkBytes(b *testing.B) {
	h := New()
	defer h.Close()
	r := h.Alloc(32)
	sum := 0
	for b.Loop() {
		sum += len(h.Bytes(r, 32))
	}
}

func BenchmarkAllocFree(b *testing.B) {
	h := New()
	defer h.Close()
	h.Alloc(32)
	for b.Loop() {
		h.Free(h.Alloc(32), 32)
	}
}

// BenchmarkChurn replaces one of 200,000 allocations of 8 to 200 bytes at a
// time.
func BenchmarkChurn(b *testing.B) {
	h := New()
	defer h.Close()
	rnd := rand.New(rand.NewPCG(1, 2))
	type block struct {
		r Ref
		n int
	}
	blocks := make([]block, 200000)
	for i := range blocks {
		n := 8 + rnd.IntN(193)
		blocks[i] = block{h.Alloc(n), n}
	}
	for b.Loop() {
		block := &blocks[rnd.IntN(len(blocks))]
		h.Free(block.r, block.n)
		block.n = 8 + rnd.IntN(193)
		block.r = h.Alloc(block.n)
	}
}

// BenchmarkFill allocates and writes 64 MB of 32 bytes each, then frees them.
func BenchmarkFill(b *testing.B) {
	const count = arenaBytes / 32
	refs := make([]Ref, count)
	for b.Loop() {
		h := New()
		for i := range refs {
			refs[i] = h.Alloc(32)
			h.Bytes(refs[i], 32)[0] = 1
		}
		for _, r := range refs {
			h.Free(r, 32)
		}
		h.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count, "ns/alloc+free")
}

func BenchmarkRun(b *testing.B) {
	h := New()
	defer h.Close()
	for b.Loop() {
		h.Free(h.Alloc(200<<10), 200<<10)
	}
}
