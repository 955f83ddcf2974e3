package slab

import (
	"fmt"
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

func runPages(n int) int { return (n + pageBytes - 1) / pageBytes }

// allocOwn maps arenas for one allocation. Their directory entries follow
// each other, as their memory does.
func (h *Heap) allocOwn(n int) Ref {
	count, size := ownArenas(n), wholePages(n)
	first := h.entries(count)
	base := MapChunk(size)
	for i := range count {
		h.dir[first+i] = unsafe.Add(base, i*arenaBytes)
	}
	if h.own == nil {
		h.own = map[int]int{}
	}
	h.own[first] = size
	h.countOwn(n, size)
	return Ref(first) << arenaShift
}

func (h *Heap) freeOwn(r Ref, n int) {
	first, size := int(r>>arenaShift), wholePages(n)
	if h.own[first] != size {
		panic("slab: freed with a size other than the one asked for")
	}
	UnmapChunk(h.dir[first], size)
	clear(h.dir[first : first+ownArenas(n)])
	delete(h.own, first)
	h.countOwn(-n, -size)
}

func (h *Heap) countOwn(n, size int) {
	h.used += int64(n)
	h.held += int64(size)
	h.committed += int64(size)
	h.mapped += int64(size)
}

func ownArenas(n int) int { return (n + arenaBytes - 1) / arenaBytes }
