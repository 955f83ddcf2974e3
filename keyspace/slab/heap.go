// Package slab owns the memory of keys and values: byte ranges in mapped
// arenas that the garbage collector never scans, named by 40-bit references.
//
// A Heap belongs to one owner at a time: it has no locks, starts nothing and
// reads no clock. It promises that its counts (Stats) are exact, Resident at
// worst a little high; that no allocation up to 32 KB occupies over an eighth
// more than was asked for (or 7 bytes, if that is more); that a page without
// live allocations is given to whichever size needs one, or back to the
// system; and that no call but Trim and Close takes long: see Settle.
//
// Where things are:
//
//	Ref, 40 bits   | arena, 17 bits | page, 12 bits | unit of 8 bytes, 11 bits |
//	directory      base address of each arena; entry 0 is never used, so Ref 0 is none
//	arena          64 MB mapped at once, 4,096 pages of 16 KB, touched as needed
//	span           1 to 8 pages cut into slots of one class (allocations up to 32 KB)
//	run            whole pages of one allocation (up to 32 MB); its tail is not touched
//	own arenas     a mapping of its own for one allocation (up to 2.25 GB)
//
// Sizes are 8 bytes apart up to 512 bytes and then eight to a doubling, in whole
// pages from 32 KB on: what grows byte by byte is copied about nine times in
// all, however large it gets. A freed slot begins with the unit (plus one) of the next free slot of its
// span. What is known about pages is kept outside them, so that a page which
// has gone back to the system stays untouched:
//
//	page, 16 bytes | prev 4 | next 4 | free 2 | fresh 2 | used 2 | class 1 | back 1 |
package slab

import (
	"fmt"
	"unsafe"
)

const (
	unitBytes  = 8
	pageBits   = 14
	pageBytes  = 1 << pageBits
	arenaBits  = 26
	arenaBytes = 1 << arenaBits
	arenaPages = arenaBytes / pageBytes

	unitShift  = 3
	arenaShift = arenaBits - unitShift // of a Ref
	pageShift  = pageBits - unitShift  // of a Ref
	pagesShift = arenaBits - pageBits  // of a page number
	unitMask   = 1<<arenaShift - 1

	runMax   = arenaBytes / 2
	allocMax = 9 << 28
	arenaMax = 1 << (refBits - arenaShift)
	refBits  = 40
)

// Ref is where an allocation is: a 40-bit address in units of 8 bytes. 0 is
// none.
type Ref uint64

// Heap allocates byte ranges. The zero Heap is not ready: use New.
type Heap struct {
	dir    []unsafe.Pointer // the base of each arena, nil where none is
	arenas []*arena         // the pages of each arena, nil for own arenas
	lists  [classCount]spanList
	own    map[int]ownArenas // by their first directory entry
	doomed []doomed          // freed and not yet unmapped

	lowDirty  int // no arena below has a dirty page
	lowFree   int // no arena below has a free page
	highDirty int // no arena above has a dirty page
	empty     int // arenas that have no live page

	used, held, gaps, committed, dirty, mapped int64 // bytes; gaps and dirty are parts of committed
	allocs, effort                             uint64

	plan   *plan // being made
	marked int   // spans that are to be emptied
}

// Stats says what a heap holds, in bytes.
type Stats struct {
	Used     int64 // what the owner asked for and has not freed
	Held     int64 // the same with the rounding up to slots and pages
	Gaps     int64 // freed slots between others: what compaction may give back
	Spare    int64 // pages that nothing lives in, kept for what comes next
	Resident int64 // memory that may be touched and is not given back: what the heap costs
	Mapped   int64 // address space
}

// New returns an empty heap, which maps nothing until its first Alloc.
func New() *Heap { return &Heap{} }

// Bytes returns the n bytes at r, with no room to append. They stay valid
// until r is freed.
func (h *Heap) Bytes(r Ref, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(h.dir[r>>arenaShift], (r&unitMask)<<unitShift)), n)
}

// Alloc returns a place for n bytes, 0 < n <= 2.25 GB, whose contents are
// undefined. It panics if the system refuses memory.
func (h *Heap) Alloc(n int) Ref {
	h.allocs++
	if uint(n-1) >= slotMax {
		return h.allocPages(n)
	}
	h.used += int64(n)
	return h.takeSlot(classOf(n))
}

// Free takes back the n bytes at r, n being what was asked for.
func (h *Heap) Free(r Ref, n int) {
	h.Discard(r, n)
	h.settleSome()
}

// Discard is Free for those who free very much, and then Settle: pages that
// have emptied all around go back to the system in fewer and larger parts.
func (h *Heap) Discard(r Ref, n int) {
	h.effort++
	if uint(n-1) >= slotMax {
		h.freePages(r, n)
		return
	}
	h.used -= int64(n)
	h.putSlot(r, classOf(n))
}

// Size returns the bytes that an allocation of n occupies. Allocations of a
// and b bytes are interchangeable in place if Size(a) == Size(b), but must be
// freed with the size that the owner last kept: see Resize.
func (h *Heap) Size(n int) int {
	if n <= slotMax {
		return slotSize(n)
	}
	return pagesSize(n)
}

// Resize tells the heap that the allocation of was bytes now keeps n in the
// same place, where Size(was) == Size(n), and is to be freed with n.
func (h *Heap) Resize(r Ref, was, n int) {
	if h.Size(was) != h.Size(n) {
		panic(fmt.Sprintf("slab: %d bytes do not fit where %d were", n, was))
	}
	h.used += int64(n - was)
	switch {
	case n <= was || n <= slotMax:
	case n <= runMax:
		h.commitRun(r, n)
	default:
		h.commitOwn(int(r>>arenaShift), n)
	}
}

// Gaps is Stats.Gaps, for those who ask often.
func (h *Heap) Gaps() int64 { return h.gaps }

// Held is Stats.Held, likewise.
func (h *Heap) Held() int64 { return h.held }

// Allocs returns how many allocations there have been.
func (h *Heap) Allocs() uint64 { return h.allocs }

// Stats returns the present sums. It costs nothing.
func (h *Heap) Stats() Stats {
	return Stats{Used: h.used, Held: h.held, Gaps: h.gaps, Spare: h.dirty, Resident: h.committed, Mapped: h.mapped}
}

// Close unmaps everything. The heap is as new; every Ref is void.
func (h *Heap) Close() {
	for i, a := range h.arenas {
		if a != nil {
			UnmapChunk(h.dir[i], arenaBytes)
		}
	}
	for i, own := range h.own {
		UnmapChunk(h.dir[i], own.size)
	}
	for _, d := range h.doomed {
		UnmapChunk(d.base, d.own.size)
	}
	*h = Heap{}
}
