package actors

import (
	"testing"
	"time"
)

// held keeps what TestRelease lets go.
var held [][]byte

// Memory that nobody refers to any more goes back to the system once the heap is
// calm; when there is nothing to be won, nothing is done. (Not parallel: other
// tests would not leave the heap calm.)
func TestRelease(t *testing.T) {
	data := int64(100 << 20)
	r := newReleaser(func() int64 { return data })
	for range 40 {
		held = append(held, make([]byte, 1<<20))
	}
	r.look()
	if r.next != (time.Time{}) {
		t.Error("a busy heap was collected")
	}
	_, before := r.read()
	held = nil
	r.look()
	_, after := r.read()
	if after+30<<20 > before {
		t.Errorf("a heap of %d bytes has now %d", before, after)
	}
	was := r.next
	r.next = time.Time{}
	if r.look(); r.next == (time.Time{}) && r.floor >= releaseMin {
		t.Error("much was given back, and what pools kept of it was left")
	}
	r.next = time.Time{}
	if r.look(); r.next != (time.Time{}) && r.floor >= releaseMin {
		t.Error("collected for nothing")
	}
	held = append(held, make([]byte, releaseMin))
	r.allocs, r.floor = r.read()
	data = 50 << 20
	if r.look(); r.next.Before(was) {
		t.Error("half of the data is gone, and the heap was not collected")
	}
	held = nil
}
