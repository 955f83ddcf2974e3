package actors

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// releaser gives memory of Go's heap back to the system. While nothing is
// allocated nothing is collected either, and then the heap stays as large as it
// ever was: with the tables of collections that are gone, and with what large
// requests took.
//
// A collection is made when the heap is calm (a busy one is collected by
// itself), has grown since the last collection, or much data has gone since; and
// for about a twentieth of a processor's time at most. One that has given much back
// is followed by another: what pools keep goes with the second.
type releaser struct {
	data func() int64 // bytes of slabs and tables

	most    int64     // data since the last collection
	allocs  uint64    // bytes allocated so far, at the last look
	floor   uint64    // the heap's size after the last collection
	again   bool      // the last collection gave much back
	next    time.Time // not before then
	samples []metrics.Sample
}

const (
	releaseMin      = 4 << 20 // a heap that small is left alone
	releasePart     = 8       // what counts is growth, or loss of data, by such a part
	releaseLeast    = 4 << 20 // and by so many bytes
	releaseInterval = 5 * time.Second
	releaseLongest  = time.Minute
	releaseCost     = 20 // a collection waits so many times as long as the one before took
	calmPart        = 32 // a heap is calm if a second allocates such a part of it at most
)

func newReleaser(data func() int64) *releaser {
	r := &releaser{data: data}
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

// collecting is how much of processors' time collections have taken so far, by the
// runtime's own account.
func collecting() time.Duration {
	sample := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(sample)
	return time.Duration(sample[0].Value.Float64() * float64(time.Second))
}

// look is called once a second.
func (r *releaser) look() {
	allocs, size := r.read()
	calm := allocs-r.allocs < size/calmPart
	r.allocs = allocs
	data := r.data()
	r.most = max(r.most, data)
	begin := time.Now()
	if !calm || size < releaseMin || !r.pays(size, data) || begin.Before(r.next) {
		return
	}
	before := collecting()
	debug.FreeOSMemory()
	took := collecting() - before
	r.next = begin.Add(min(max(releaseInterval, releaseCost*took), releaseLongest))
	r.allocs, r.floor = r.read()
	r.most = data
	r.again = size > r.floor+releaseLeast
}

// pays reports whether there is reason to think that a collection helps.
func (r *releaser) pays(size uint64, data int64) bool {
	return r.again || size > r.floor+r.floor/releasePart+releaseLeast || data < r.most-r.most/releasePart-releaseLeast
}
