package slab

import (
	"runtime"
	"testing"
	"time"
)

// The tests of this file share a count of the process, so they run one by one.

// dropKept frees what is kept, so that a test begins with nothing.
func dropKept() {
	AgeBuffers()
	AgeBuffers()
}

// What is used is counted, once, until it is freed.
func TestBufferCounts(t *testing.T) {
	dropKept()
	before := InBuffers()
	f := func(want int64) {
		t.Helper()
		if got := InBuffers() - before; got != want {
			t.Errorf("%d bytes counted, want %d", got, want)
		}
	}
	b := NewBuffer(keptBytes + 1)
	if n := len(b.Bytes()); n <= keptBytes || n%osPage != 0 {
		t.Errorf("%d bytes", n)
	}
	f(0)
	b.Use(100)
	b.Use(50)
	b.Use(3000)
	f(3000)
	other := NewBuffer(2 * keptBytes)
	other.Use(BufferMin)
	f(3000 + BufferMin)
	b.Free()
	f(BufferMin)
	other.Free()
	f(0)
}

// Those of moderate size are used again, and a few are kept for a while.
func TestBufferKept(t *testing.T) {
	dropKept()
	before := InBuffers()
	first := NewBuffer(BufferMin)
	first.Use(BufferMin)
	first.Free()
	if again := NewBuffer(keptBytes); again != first {
		t.Error("it was not used again")
	}
	var many []*Buffer
	for range len(kept) + 5 {
		b := NewBuffer(BufferMin)
		b.Use(BufferMin)
		many = append(many, b)
	}
	first.Free()
	for _, b := range many {
		b.Free()
	}
	if n := InBuffers() - before; n != int64(len(kept))*BufferMin {
		t.Errorf("%d bytes are kept", n)
	}
	AgeBuffers()
	wanted := NewBuffer(BufferMin)
	wanted.Free()
	AgeBuffers()
	if n := InBuffers() - before; n != BufferMin {
		t.Errorf("%d bytes are kept after a while, of which one Buffer was wanted", n)
	}
	AgeBuffers()
	if n := InBuffers() - before; n != 0 {
		t.Errorf("%d bytes are kept for ever", n)
	}
}

// All of a Buffer can be written, and it knows its own bytes.
func TestBufferHolds(t *testing.T) {
	b := NewBuffer(BufferMin)
	defer b.Free()
	all := b.Bytes()
	all[0], all[len(all)-1] = 1, 2
	f := func(p []byte, want bool) {
		t.Helper()
		if got := b.Holds(p); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
	f(all, true)
	f(all[len(all)-1:], true)
	f(all[5:5], true)
	f(nil, false)
	f(make([]byte, 1), false)
}

// Address space that there is not is refused, and no reason to end.
func TestBufferRefused(t *testing.T) {
	if b := NewBuffer(1 << 62); b != nil {
		t.Error("mapped")
	}
}

// A Buffer that nobody refers to is freed.
func TestBufferLost(t *testing.T) {
	dropKept()
	before := InBuffers()
	func() { NewBuffer(2 * keptBytes).Use(BufferMin) }()
	for end := time.Now().Add(20 * time.Second); InBuffers() != before; runtime.Gosched() {
		if runtime.GC(); time.Now().After(end) {
			t.Fatalf("%d bytes are still counted", InBuffers()-before)
		}
	}
}
