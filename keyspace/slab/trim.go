package slab

import "unsafe"

// Empty pages are kept resident up to dirtyMin bytes or one part in dirtyPart
// of what is resident, whichever is more, so that churn costs no system calls.
const (
	dirtyMin  = 1 << 20
	dirtyPart = 16
)

// limitPages bounds the pages that one step of limitDirty gives back, and so
// the time it takes.
const limitPages = 64

// Trim gives every empty page back to the system, and empty arenas with them.
func (h *Heap) Trim() {
	for h.TrimSome(arenaPages) > 0 {
	}
	for i, a := range h.arenas {
		if a != nil && a.freeCount == arenaPages {
			h.dropArena(i)
		}
	}
}

// TrimSome gives back at most about pages empty pages of 16 KB, the highest
// first, and returns how many; 0 means that none is left.
func (h *Heap) TrimSome(pages int) int {
	done := 0
	for done < pages && h.dirty > 0 {
		done += h.trimHighest(pages - done)
	}
	return done
}

// limitDirty gives pages back while more empty ones are resident than is
// useful.
func (h *Heap) limitDirty() {
	for h.dirty > max(dirtyMin, h.committed/dirtyPart) {
		h.trimHighest(limitPages)
	}
}

// trimHighest gives back the highest dirty pages that lie in a row, at most
// limit of them, and returns how many. There must be one.
func (h *Heap) trimHighest(limit int) int {
	for h.arenas[h.highDirty] == nil || h.arenas[h.highDirty].dirtyCount == 0 {
		h.highDirty--
	}
	a := h.arenas[h.highDirty]
	last := a.dirty.last()
	first := last
	for first > 0 && last-first+1 < limit && a.dirty.has(first-1) {
		first--
	}
	for i := first; i <= last; i++ {
		h.forget(a, i)
	}
	giveBack(unsafe.Add(h.dir[h.highDirty], first*pageBytes), (last-first+1)*pageBytes)
	return last - first + 1
}

// forget counts a dirty page as no longer resident.
func (h *Heap) forget(a *arena, i int) {
	a.dirty.clear(i)
	a.dirtyCount--
	size := int64(a.frames[i]) * frameBytes
	h.dirty -= size
	h.committed -= size
	a.frames[i] = 0
}
