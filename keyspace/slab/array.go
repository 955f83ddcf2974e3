package slab

import (
	"math/bits"
	"unsafe"
)

const (
	chunkBits = 10
	chunkLen  = 1 << chunkBits
)

// Array is a dense array that grows and shrinks at its end, for elements
// without pointers. Its chunks of 1,024 elements are mapped and never move;
// only the first one, while it is smaller, is Go memory that doubles. So no
// growth copies more than a chunk, and a small array is a small allocation.
// The zero Array is empty and ready.
type Array[T any] struct {
	chunks []*T
	length int
	first  int // elements that the first chunk has room for
}

// Len returns the number of elements.
func (a *Array[T]) Len() int { return a.length }

// At returns element i < Len. It moves when the array grows or shrinks.
func (a *Array[T]) At(i int) *T {
	p := unsafe.Pointer(a.chunks[uint(i)>>chunkBits])
	return (*T)(unsafe.Add(p, uintptr(i&(chunkLen-1))*unsafe.Sizeof(*new(T))))
}

// Grow adds an element with undefined contents at the end and returns it.
func (a *Array[T]) Grow() *T {
	i := a.length
	if i < chunkLen {
		if i == a.first {
			a.setFirst(max(1, 2*i))
		}
	} else if i == len(a.chunks)*chunkLen {
		a.chunks = append(a.chunks, a.mapChunk())
	}
	a.length++
	return a.At(i)
}

// Shrink takes the last element away. Memory goes when a chunk and a half are
// unused, so that an array at a chunk's edge does not map and unmap.
func (a *Array[T]) Shrink() {
	a.length--
	last := len(a.chunks) - 1
	switch {
	case last > 0 && a.length <= last*chunkLen-chunkLen/2:
		UnmapChunk(unsafe.Pointer(a.chunks[last]), a.chunkBytes())
		a.chunks[last] = nil
		a.chunks = a.chunks[:last]
	case last == 0 && a.length*4 <= a.first && a.first > 1:
		a.setFirst(a.first / 2)
	}
}

// Fit takes away room that Shrink has left in a small array for it to grow again,
// and reports whether elements have moved for that.
func (a *Array[T]) Fit() (moved bool) {
	if a.length == 0 || len(a.chunks) != 1 {
		return false
	}
	n := 1 << bits.Len(uint(a.length-1))
	if moved = n < a.first; moved {
		a.setFirst(n)
	}
	return moved
}

// setFirst moves the first chunk to one with room for n elements.
func (a *Array[T]) setFirst(n int) {
	var chunk *T
	if n == chunkLen {
		chunk = a.mapChunk()
	} else {
		chunk = unsafe.SliceData(make([]T, n))
	}
	if a.first == 0 {
		a.chunks = append(a.chunks, chunk)
	} else {
		old := a.chunks[0]
		copy(unsafe.Slice(chunk, a.length), unsafe.Slice(old, a.length))
		a.chunks[0] = chunk
		if a.first == chunkLen {
			UnmapChunk(unsafe.Pointer(old), a.chunkBytes())
		}
	}
	a.first = n
}

func (a *Array[T]) chunkBytes() int { return chunkLen * int(unsafe.Sizeof(*new(T))) }

func (a *Array[T]) mapChunk() *T { return (*T)(MapChunk(a.chunkBytes())) }

// Bytes returns the memory of the array, its directory included.
func (a *Array[T]) Bytes() int64 {
	elements := a.first
	if len(a.chunks) > 1 {
		elements = len(a.chunks) * chunkLen
	}
	return int64(elements)*int64(unsafe.Sizeof(*new(T))) + int64(cap(a.chunks))*int64(unsafe.Sizeof(a))
}

// Close gives all memory back. The array is empty and ready.
func (a *Array[T]) Close() { a.CloseSome(len(a.chunks)) }

// CloseSome gives back at most so many chunks, the last ones first: each takes
// the system about 15 µs. It reports whether all memory is back; the array is
// then empty and ready, and until then it is used for nothing else.
func (a *Array[T]) CloseSome(chunks int) (done bool) {
	for ; chunks > 0 && len(a.chunks) > 0; chunks-- {
		last := len(a.chunks) - 1
		if a.first == chunkLen {
			UnmapChunk(unsafe.Pointer(a.chunks[last]), a.chunkBytes())
		}
		a.chunks[last] = nil
		a.chunks = a.chunks[:last]
	}
	if len(a.chunks) > 0 {
		return false
	}
	*a = Array[T]{}
	return true
}
