package slab

import (
	"runtime"
	"sync/atomic"
	"unsafe"
	"weak"
)

// Buffer is memory for bytes that pass through: a large request while it
// arrives, a large reply while it leaves. It is a mapping of its own, so it
// goes back to the system when it is freed and not when the garbage collector
// comes by, and only what is written of it becomes resident: it may well be
// made as large as it is said to become.
//
// It has one owner at a time, who frees it. One that nobody refers to any more
// is freed in the end; so an owner may also leave it to those who still look at
// its bytes, provided that they keep a reference to it. Others may Share it with
// the owner, who may then still add to it; it goes when all have freed it.
type Buffer struct {
	*mapping
	last   runtime.Cleanup
	aged   atomic.Bool
	shares atomic.Int32 // who has it beside the owner
}

// mapping is what there is to free of a Buffer.
type mapping struct {
	base unsafe.Pointer
	size int          // bytes, mapped
	used atomic.Int64 // of these, counted

	place int // in live, from 1; 0 for none
}

// BufferMin is the size, in bytes, below which memory of Go's heap is better:
// a Buffer costs two calls of the system, and each of its pages a fault.
const BufferMin = 1 << 20

// inBuffers is what is counted of all Buffers.
var inBuffers atomic.Int64

// InBuffers is how many bytes have been used of all Buffers of the process.
func InBuffers() int64 { return inBuffers.Load() }

// NewBuffer returns a Buffer of at least size bytes, or nil if the system
// refuses so much address space.
func NewBuffer(size int) *Buffer {
	if size <= keptBytes {
		if b := takeKept(); b != nil {
			return b
		}
		size = keptBytes
	}
	size = wholePages(size)
	base, err := mapPages(size)
	if err != nil {
		return nil
	}
	b := &Buffer{mapping: &mapping{base: base, size: size}}
	b.last = runtime.AddCleanup(b, (*mapping).free, b.mapping)
	addLive(b)
	return b
}

// Bytes are those of the whole Buffer.
func (b *Buffer) Bytes() []byte { return unsafe.Slice((*byte)(b.base), b.size) }

// Holds reports whether p begins in the Buffer.
func (b *Buffer) Holds(p []byte) bool {
	at, base := uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(b.base)
	return at >= base && at-base < uintptr(b.size)
}

// Use counts the first n bytes as in use; once counted, they stay so.
func (b *Buffer) Use(n int) {
	if was := b.used.Load(); int64(n) > was {
		inBuffers.Add(int64(n) - was)
		b.used.Store(int64(n))
	}
}

// Free gives the memory back, 80 µs for each megabyte that was used, once all
// have freed it who share it. The caller may not look at its bytes any more.
func (b *Buffer) Free() {
	if b.shares.Add(-1) >= 0 {
		return
	}
	b.shares.Store(0)
	if b.size == keptBytes && b.keep() {
		return
	}
	b.last.Stop()
	b.free()
}

// A few Buffers of moderate size, which all have the same, are kept for a while
// when they are free: a new one's pages cost more than what is done with it.
const keptBytes = 4 << 20

// kept are free Buffers, each in a place of its own. AgeBuffers is their end.
var kept [8]atomic.Pointer[Buffer]

// keepsNone says that free Buffers are not kept.
var keepsNone atomic.Bool

// KeepFree says whether Buffers that are free may be kept for a while, which
// takes up to 32 MB.
func KeepFree(may bool) { keepsNone.Store(!may) }

// keep puts the Buffer where there is a place.
func (b *Buffer) keep() bool {
	if keepsNone.Load() {
		return false
	}
	b.aged.Store(false)
	for i := range kept {
		if kept[i].Load() == nil && kept[i].CompareAndSwap(nil, b) {
			return true
		}
	}
	return false
}

func takeKept() *Buffer {
	for i := range kept {
		if b := kept[i].Load(); b != nil && kept[i].CompareAndSwap(b, nil) {
			return b
		}
	}
	return nil
}

// AgeBuffers frees the Buffers that have been kept, and not been wanted, since
// it was called last.
func AgeBuffers() {
	for i := range kept {
		b := kept[i].Load()
		if b == nil || !b.aged.Swap(true) || !kept[i].CompareAndSwap(b, nil) {
			continue
		}
		b.last.Stop()
		b.free()
	}
}

// Shared reports whether the Buffer is shared: then what was shown of it must
// stay as it is.
func (b *Buffer) Shared() bool { return b.shares.Load() > 0 }

// shareMost is how many times as much as is shared of a Buffer may be kept for
// that.
const shareMost = 4

// Share shares the Buffer that bytes lie in, which somebody owns who does not
// free it now; the caller is to Free it when done with them. same are these
// bytes, as those of the Buffer. It returns nil if they are in none, or are so
// little of it that they had better be copied.
func Share(p []byte) (b *Buffer, same []byte) {
	if len(p) < BufferMin {
		return nil, nil
	}
	b = findLive(p)
	if b == nil || b.used.Load() > int64(shareMost*len(p)) {
		return nil, nil
	}
	b.shares.Add(1)
	at := int(uintptr(unsafe.Pointer(unsafe.SliceData(p))) - uintptr(b.base))
	return b, b.Bytes()[at : at+len(p) : at+len(p)]
}

// Piece is bytes that belong into others at a place, and lie in a Buffer that is
// shared for them.
type Piece struct {
	At    int
	Bytes []byte
	In    *Buffer
}

// live are the Buffers that there are, each in a place of its own; those for which
// there was no place can't be shared.
var live [512]atomic.Pointer[liveBuffer]

// liveBuffer is where a Buffer is; nobody writes it.
type liveBuffer struct {
	base uintptr
	size uintptr
	weak weak.Pointer[Buffer]
}

func addLive(b *Buffer) {
	l := &liveBuffer{uintptr(b.base), uintptr(b.size), weak.Make(b)}
	for i := range live {
		if live[i].Load() == nil && live[i].CompareAndSwap(nil, l) {
			b.place = i + 1
			return
		}
	}
}

// findLive is the Buffer that p begins in, or nil.
func findLive(p []byte) *Buffer {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(p)))
	for i := range live {
		if l := live[i].Load(); l != nil && at-l.base < l.size {
			return l.weak.Value()
		}
	}
	return nil
}

// free unmaps from the end in steps, as the system makes others wait for each.
func (m *mapping) free() {
	if m.place > 0 {
		live[m.place-1].Store(nil)
	}
	inBuffers.Add(-m.used.Load())
	for m.size > 0 {
		keep := max(0, (m.size-1)/settleBytes*settleBytes)
		UnmapChunk(unsafe.Add(m.base, keep), m.size-keep)
		m.size = keep
	}
	m.base = nil
	m.used.Store(0)
}
