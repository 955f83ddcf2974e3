package actors

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// releaser gives memory of Go's heap back to the system. Much of it may have
// come free with keys that are gone: the tables of smaller collections, what
// large requests took. But while nothing is allocated nothing is collected
// either, and then the heap stays as large as it ever was.
//
// A collection is made when the heap is calm (a busy one is collected by
// itself), there is reason to think that it helps, and for about a hundredth of
// a processor's time at most.
type releaser struct {
	changes func() int64 // of keys, so far

	seen    int64     // changes at the last collection
	allocs  uint64    // bytes allocated so far, at the last look
	floor   uint64    // the heap's size after the last collection
	next    time.Time // not before then
	samples []metrics.Sample
}

const (
	releaseMin      = 16 << 20 // a heap that small is left alone
	releaseChanges  = 1000     // so many changes are reason to think that something is free
	releaseInterval = 5 * time.Second
	releaseCost     = 100 // a collection waits so many times as long as the one before took
	calmPart        = 32  // a heap is calm if a second allocates such a part of it at most
)

func newReleaser(changes func() int64) *releaser {
	r := &releaser{changes: changes}
	for _, name := range []string{"/gc/heap/allocs:bytes", "/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes", "/memory/classes/heap/free:bytes"} {
		r.samples = append(r.samples, metrics.Sample{Name: name})
	}
	return r
}

// read returns how much has been allocated so far, and how large the heap is.
func (r *releaser) read() (allocs, size uint64) {
	metrics.Read(r.samples)
	for _, s := range r.samples[1:] {
		size += s.Value.Uint64()
	}
	return r.samples[0].Value.Uint64(), size
}

// look is called once a second.
func (r *releaser) look() {
	allocs, size := r.read()
	calm := allocs-r.allocs < size/calmPart
	r.allocs = allocs
	changes := r.changes()
	if !calm || size < releaseMin || changes-r.seen < releaseChanges && size < r.floor+r.floor/8+releaseMin/2 {
		return
	}
	begin := time.Now()
	if begin.Before(r.next) {
		return
	}
	debug.FreeOSMemory()
	end := time.Now()
	r.next = end.Add(max(releaseInterval, releaseCost*end.Sub(begin)))
	r.seen = changes
	r.allocs, r.floor = r.read()
}
