package slab

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// allocPages allocates n bytes, more than fit a slot, in whole pages.
func (h *Heap) allocPages(n int) Ref {
	if n <= 0 || n > allocMax {
		panic(fmt.Sprintf("slab: an allocation of %d bytes", n))
	}
	if n > runMax {
		return h.allocOwn(n)
	}
	pages := runPages(n)
	number := h.takePages(pages)
	*h.page(number) = page{class: classRun, next: uint32(pages)}
	h.used += int64(n)
	h.held += int64(pages) * pageBytes
	r := Ref(number) << pageShift
	h.commitRun(r, n)
	return r
}

// commitRun counts what the first n bytes of the run at r make resident.
func (h *Heap) commitRun(r Ref, n int) { h.commit(uint32(r>>pageShift), 0, uint32(n)) }

func (h *Heap) freePages(r Ref, n int) {
	if n > runMax {
		h.freeOwn(r, n)
		return
	}
	pages, number := runPages(n), uint32(r>>pageShift)
	if p := h.page(number); p.class != classRun || int(p.next) != pages {
		panic("slab: freed with a size other than the one asked for")
	}
	h.used -= int64(n)
	h.held -= int64(pages) * pageBytes
	h.putPages(number, pages)
}

// pagesSize returns the bytes that n, more than fit a slot, occupy: one of
// eight sizes to a doubling, or whole pages while those are further apart.
func pagesSize(n int) int {
	step := max(pageBytes, 1<<(bits.Len(uint(n-1))-4))
	return (n + step - 1) &^ (step - 1)
}

func runPages(n int) int { return pagesSize(n) / pageBytes }

// ownArenas are the arenas of one allocation. Their directory entries follow
// each other, as their memory does.
type ownArenas struct {
	size     int // bytes, mapped
	resident int // bytes that may have been touched
}

func (own ownArenas) count() int { return (own.size + arenaBytes - 1) / arenaBytes }

func (h *Heap) allocOwn(n int) Ref {
	own := ownArenas{size: pagesSize(n)}
	first := h.entries(own.count())
	base := MapChunk(own.size)
	for i := range own.count() {
		h.dir[first+i] = unsafe.Add(base, i*arenaBytes)
	}
	if h.own == nil {
		h.own = map[int]ownArenas{}
	}
	h.own[first] = own
	h.used += int64(n)
	h.held += int64(own.size)
	h.mapped += int64(own.size)
	h.commitOwn(first, n)
	return Ref(first) << arenaShift
}

// commitOwn counts what the first n bytes of own arenas make resident.
func (h *Heap) commitOwn(first, n int) {
	own := h.own[first]
	if n = wholePages(n); n > own.resident {
		h.committed += int64(n - own.resident)
		own.resident = n
		h.own[first] = own
	}
}

func (h *Heap) freeOwn(r Ref, n int) {
	first := int(r >> arenaShift)
	own := h.own[first]
	if own.size != pagesSize(n) {
		panic("slab: freed with a size other than the one asked for")
	}
	h.doomed = append(h.doomed, doomed{h.dir[first], own})
	clear(h.dir[first : first+own.count()])
	delete(h.own, first)
	h.used -= int64(n)
	h.held -= int64(own.size)
}

// doomed is what is left of own arenas that are freed.
type doomed struct {
	base unsafe.Pointer
	own  ownArenas
}

// unmapDoomed unmaps the end of the doomed arenas that were added last.
func (h *Heap) unmapDoomed() {
	last := len(h.doomed) - 1
	d := &h.doomed[last]
	keep := max(0, (d.own.size-1)/settleBytes*settleBytes)
	UnmapChunk(unsafe.Add(d.base, keep), d.own.size-keep)
	h.mapped -= int64(d.own.size - keep)
	gone := max(0, d.own.resident-keep)
	h.committed -= int64(gone)
	h.effort += callEffort + uint64(gone/frameBytes)
	d.own.size, d.own.resident = keep, d.own.resident-gone
	if keep == 0 {
		h.doomed = h.doomed[:last]
	}
}
