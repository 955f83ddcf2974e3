package slab

import "math/bits"

// frameBytes is the grain in which pages become resident. A system with
// larger pages commits somewhat more than is counted.
const frameBytes = 4 << 10

// arena is what is known of the pages of one arena. It holds no pointers.
type arena struct {
	free       bitmap // pages of no span or run
	dirty      bitmap // free pages with memory behind them
	sparse     bitmap // pages of spans that are to be emptied
	freeCount  int
	dirtyCount int
	longest    int               // no run of free pages is longer
	frames     [arenaPages]uint8 // how many leading frames of a page are resident
	pages      [arenaPages]page
}

// takePages returns the number of the first of count free pages: resident
// ones if one page is wanted and there are such, in the lowest place.
func (h *Heap) takePages(count int) uint32 {
	entry, at := h.findPages(count)
	a := h.arenas[entry]
	if a.freeCount == arenaPages {
		h.empty--
	}
	for i := at; i < at+count; i++ {
		a.free.clear(i)
		if a.dirty.has(i) {
			a.dirty.clear(i)
			a.dirtyCount--
			h.dirty -= int64(a.frames[i]) * frameBytes
		}
	}
	a.freeCount -= count
	return uint32(entry<<pagesShift + at)
}

func (h *Heap) findPages(count int) (entry, at int) {
	if count == 1 && h.dirty > 0 {
		for h.arenas[h.lowDirty] == nil || h.arenas[h.lowDirty].dirtyCount == 0 {
			h.lowDirty++
		}
		return h.lowDirty, h.arenas[h.lowDirty].dirty.next(0)
	}
	for h.lowFree < len(h.arenas) && (h.arenas[h.lowFree] == nil || h.arenas[h.lowFree].freeCount == 0) {
		h.lowFree++
	}
	for i := h.lowFree; i < len(h.arenas); i++ {
		a := h.arenas[i]
		if a == nil || a.freeCount < count || a.longest < count {
			continue
		}
		if at := a.free.run(count); at >= 0 {
			return i, at
		}
		a.longest = count - 1
	}
	return h.addArena(), 0
}

// addArena maps an arena and returns its entry in the directory.
func (h *Heap) addArena() int {
	entry := h.entries(1)
	h.dir[entry] = mapArena()
	h.mapped += arenaBytes
	a := &arena{freeCount: arenaPages, longest: arenaPages}
	for i := range a.free {
		a.free[i] = ^uint64(0)
	}
	h.arenas[entry] = a
	h.empty++
	h.lowFree = min(h.lowFree, entry)
	return entry
}

// entries returns the first of count consecutive unused directory entries.
func (h *Heap) entries(count int) int {
	run := 0
	for i := 1; i < len(h.dir); i++ {
		if h.dir[i] != nil {
			run = 0
		} else if run++; run == count {
			return i - count + 1
		}
	}
	first := max(len(h.dir)-run, 1)
	if first+count > arenaMax {
		panic("slab: 8 TB are in use")
	}
	for len(h.dir) < first+count {
		h.dir = append(h.dir, nil)
		h.arenas = append(h.arenas, nil)
	}
	return first
}

// putPages takes back count pages of a span or run.
func (h *Heap) putPages(number uint32, count int) {
	entry, at := int(number>>pagesShift), int(number&(arenaPages-1))
	a := h.arenas[entry]
	for i := at; i < at+count; i++ {
		a.pages[i] = page{}
		a.free.set(i)
		if a.frames[i] > 0 {
			a.dirty.set(i)
			a.dirtyCount++
			h.dirty += int64(a.frames[i]) * frameBytes
		}
	}
	a.freeCount += count
	a.longest = arenaPages
	h.lowFree = min(h.lowFree, entry)
	h.lowDirty = min(h.lowDirty, entry)
	h.highDirty = max(h.highDirty, entry)
	if a.freeCount == arenaPages {
		h.empty++
	}
}

// commit counts the frames that bytes [from, to) of the span or run at number
// make resident. Few calls find a new one: a frame's first byte was in range
// then, or the page is new.
func (h *Heap) commit(number, from, to uint32) {
	first, last := from/frameBytes, (to-1)/frameBytes
	if first == last && from%frameBytes != 0 {
		return
	}
	const perPage = pageBytes / frameBytes
	a, at := h.arenas[number>>pagesShift], number&(arenaPages-1)
	for f := first; f <= last; f++ {
		frames := &a.frames[at+f/perPage]
		if reached := uint8(f%perPage + 1); *frames < reached {
			h.committed += int64(reached-*frames) * frameBytes
			*frames = reached
		}
	}
}

// bitmap has a bit for each page of an arena.
type bitmap [arenaPages / 64]uint64

func (b *bitmap) has(i int) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b *bitmap) set(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b *bitmap) clear(i int)    { b[i>>6] &^= 1 << (i & 63) }

// next returns the first set bit at or after i, or -1.
func (b *bitmap) next(i int) int {
	for ; i < arenaPages; i = i&^63 + 64 {
		if w := b[i>>6] >> (i & 63); w != 0 {
			return i + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// last returns the last set bit, or -1.
func (b *bitmap) last() int {
	for w := len(b) - 1; w >= 0; w-- {
		if b[w] != 0 {
			return w<<6 + bits.Len64(b[w]) - 1
		}
	}
	return -1
}

// nextClear returns the first clear bit at or after i and below end, or end.
func (b *bitmap) nextClear(i, end int) int {
	for ; i < end; i = i&^63 + 64 {
		if w := ^b[i>>6] >> (i & 63); w != 0 {
			return min(i+bits.TrailingZeros64(w), end)
		}
	}
	return end
}

// run returns the first of the lowest count set bits in a row, or -1.
func (b *bitmap) run(count int) int {
	for at := b.next(0); at >= 0 && at+count <= arenaPages; {
		end := b.nextClear(at, at+count)
		if end == at+count {
			return at
		}
		at = b.next(end)
	}
	return -1
}
