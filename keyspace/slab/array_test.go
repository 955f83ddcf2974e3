package slab

import "testing"

// An array of 12-byte elements goes up and down at random and agrees with a
// slice; what it says it weighs follows its length.
func TestArrayAgainstSlice(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	var a Array[[3]uint32]
	defer a.Close()
	var want [][3]uint32
	for range 40 {
		target := rnd.IntN(5 * chunkLen)
		if rnd.IntN(3) == 0 {
			target = rnd.IntN(20)
		}
		for a.Len() < target {
			v := [3]uint32{rnd.Uint32(), rnd.Uint32(), rnd.Uint32()}
			*a.Grow() = v
			want = append(want, v)
		}
		for a.Len() > target {
			a.Shrink()
			want = want[:len(want)-1]
		}
		for i, w := range want {
			if *a.At(i) != w {
				t.Fatalf("element %d of %d: %v, want %v", i, a.Len(), *a.At(i), w)
			}
		}
		if limit := int64(12*(4*target+chunkLen*3/2) + 200); a.Bytes() > limit {
			t.Fatalf("%d elements weigh %d bytes", target, a.Bytes())
		}
	}
	a.Close()
	if a.Len() != 0 || a.Bytes() != 0 {
		t.Errorf("closed: %d elements, %d bytes", a.Len(), a.Bytes())
	}
	*a.Grow() = [3]uint32{7}
	if *a.At(0) != [3]uint32{7} {
		t.Error("a closed array is not ready")
	}
}

// An array closes in steps of so many chunks, and is ready again.
func TestArrayClosesInSteps(t *testing.T) {
	t.Parallel()
	f := func(length, chunks, want int) {
		t.Helper()
		var a Array[uint64]
		for range length {
			*a.Grow() = 7
		}
		steps := 1
		for ; !a.CloseSome(chunks); steps++ {
			if a.Bytes() == 0 {
				t.Fatalf("%d elements: nothing is left and it is not done", length)
			}
		}
		if steps != want || a.Len() != 0 || a.Bytes() != 0 {
			t.Errorf("%d elements by %d chunks: %d steps, want %d; %d bytes left", length, chunks, steps, want, a.Bytes())
		}
		if *a.Grow() = 8; *a.At(0) != 8 {
			t.Error("a closed array is not ready")
		}
		a.Close()
	}
	f(0, 1, 1)
	f(1, 1, 1)
	f(chunkLen-1, 1, 1)
	f(chunkLen, 1, 1)
	f(chunkLen+1, 1, 2)
	f(10*chunkLen, 1, 10)
	f(10*chunkLen, 4, 3)
	f(10*chunkLen, 40, 1)
}

// A small array that has shrunk is made to fit, and keeps its elements.
func TestArrayFit(t *testing.T) {
	t.Parallel()
	f := func(most, left, want int) {
		t.Helper()
		var a Array[uint64]
		defer a.Close()
		for i := range most {
			*a.Grow() = uint64(i)
		}
		for a.Len() > left {
			a.Shrink()
		}
		a.Fit()
		if a.Fit() {
			t.Errorf("%d of %d: it fits, and has moved again", left, most)
		}
		if a.first != want {
			t.Errorf("%d of %d: room for %d, want %d", left, most, a.first, want)
		}
		for i := range left {
			if *a.At(i) != uint64(i) {
				t.Fatalf("%d of %d: element %d is %d", left, most, i, *a.At(i))
			}
		}
	}
	f(0, 0, 0)
	f(1, 1, 1)
	f(100, 33, 64)
	f(100, 32, 32)
	f(100, 26, 32)
	f(1000, 1000, chunkLen)
	f(1000, 300, 512)
	f(5000, 1500, chunkLen)
}
