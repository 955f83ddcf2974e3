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

// A Buffer that is shared goes when all have freed it, whoever is the last. What
// lies in none, or is a small part of one, is not shared.
func TestBufferShared(t *testing.T) {
	dropKept()
	before := InBuffers()
	b := NewBuffer(8 << 20)
	b.Use(8 << 20)
	other := NewBuffer(8 << 20)
	defer other.Free()
	f := func(p []byte, want *Buffer) {
		t.Helper()
		got, same := Share(p)
		if got != want || got != nil && (len(same) != len(p) || &same[0] != &p[0]) {
			t.Errorf("%d bytes: shared %p, want %p; %d bytes are the same", len(p), got, want, len(same))
		}
	}
	f(make([]byte, 8<<20), nil)
	f(b.Bytes()[:1<<20], nil)
	f(b.Bytes()[:100], nil)
	if b.Shared() {
		t.Error("it is shared")
	}
	f(b.Bytes()[1<<20:4<<20], b)
	f(b.Bytes()[4<<20:], b)
	for left := 2; left > 0; left-- {
		if !b.Shared() {
			t.Errorf("%d have it, and it is not shared", left)
		}
		b.Free()
	}
	if b.Shared() || InBuffers() == before {
		t.Error("it is gone before its owner has freed it")
	}
	b.Free()
	if n := InBuffers() - before; n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}
