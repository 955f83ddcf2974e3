package slab

import "unsafe"

// Empty pages are kept resident up to dirtyMin bytes or one part in dirtyPart
// of what is resident, whichever is more, so that churn costs no system calls.
const (
	dirtyMin  = 1 << 20
	dirtyPart = 16
)

// Giving memory back takes the system about 0.1 µs for each 4 KB. So that no
// call of Free takes long, whatever is freed, it goes in steps of settlePages
// pages at most (1 MB). A Free that leaves a page empty does freeSteps of
// them: that keeps pace unless an allocation is large, and then Settle does
// what is left.
const (
	settlePages = 64
	settleBytes = settlePages * pageBytes
	freeSteps   = 2
)

// Effort counts what freeing has taken so far, for those who free much and do
// it in slices: one, about 0.2 µs, for each Free and for each 4 KB that went
// back to the system, and callEffort for each call that told it.
func (h *Heap) Effort() uint64 { return h.effort }

// callEffort is much where other processors have to be told.
const callEffort = 64

// Unsettled reports whether frees have left something to Settle.
func (h *Heap) Unsettled() bool {
	return h.empty > 1 || len(h.doomed) > 0 || h.dirty > max(dirtyMin, h.committed/dirtyPart)
}

// Settle gives a bounded part of what was freed back to the system, and
// reports whether there is more.
func (h *Heap) Settle() (more bool) {
	switch {
	case len(h.doomed) > 0:
		h.unmapDoomed()
	case h.dirty > max(dirtyMin, h.committed/dirtyPart):
		h.trimHighest(settlePages)
	case h.empty > 1:
		h.dropEmpty()
	}
	return h.Unsettled()
}

// settleSome is Settle as often as a Free does it.
func (h *Heap) settleSome() {
	for range freeSteps {
		if !h.Unsettled() {
			return
		}
		h.Settle()
	}
}

// Trim gives every empty page back to the system, and empty arenas with them.
// It takes as long as that takes.
func (h *Heap) Trim() {
	for h.TrimStep() {
	}
}

// TrimStep is a bounded part of Trim, like one of Settle's, and reports whether
// there may be more.
func (h *Heap) TrimStep() (more bool) {
	switch {
	case h.Unsettled():
		h.Settle()
	case h.dirty > 0:
		h.trimHighest(settlePages)
	case h.empty > 0:
		h.dropEmpty()
	default:
		return false
	}
	return true
}

// trimHighest gives back the highest dirty pages that lie in a row, at most
// limit of them, and returns how many. There must be one.
func (h *Heap) trimHighest(limit int) int {
	for h.arenas[h.highDirty] == nil || h.arenas[h.highDirty].dirtyCount == 0 {
		h.highDirty--
	}
	return h.trimArena(h.highDirty, limit)
}

// trimArena is trimHighest in one arena.
func (h *Heap) trimArena(entry, limit int) int {
	a := h.arenas[entry]
	last := a.dirty.last()
	first := last
	for first > 0 && last-first+1 < limit && a.dirty.has(first-1) {
		first--
	}
	for i := first; i <= last; i++ {
		h.forget(a, i)
	}
	h.effort += callEffort
	giveBack(unsafe.Add(h.dir[entry], first*pageBytes), (last-first+1)*pageBytes)
	return last - first + 1
}

// forget counts a dirty page as no longer resident.
func (h *Heap) forget(a *arena, i int) {
	a.dirty.clear(i)
	a.dirtyCount--
	size := int64(a.frames[i]) * frameBytes
	h.dirty -= size
	h.committed -= size
	h.effort += uint64(a.frames[i])
	a.frames[i] = 0
}

// dropEmpty unmaps the highest arena without live pages, once its own memory
// is given back. There must be one.
func (h *Heap) dropEmpty() {
	entry := len(h.arenas) - 1
	for h.arenas[entry] == nil || h.arenas[entry].freeCount < arenaPages {
		entry--
	}
	if h.arenas[entry].dirtyCount > 0 {
		h.trimArena(entry, settlePages)
		return
	}
	h.effort += callEffort
	UnmapChunk(h.dir[entry], arenaBytes)
	h.dir[entry], h.arenas[entry] = nil, nil
	h.mapped -= arenaBytes
	h.empty--
}
