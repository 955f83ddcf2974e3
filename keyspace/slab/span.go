package slab

import "unsafe"

// binCount is the number of lists that a class keeps its partly filled spans
// in, by how full they are. Slots are taken from the fullest, so that the
// others may empty.
const binCount = 4

// emptying is the bin of the spans that are to be emptied: see Plan. Slots are
// taken from them only where there are no others.
const emptying = 0

// spanList holds the spans of a class that have a free slot.
type spanList struct {
	current uint32               // the page number of the span in use, in no bin; 0 is none
	bins    [1 + binCount]uint32 // the first span of each bin; 0 is none
	marked  int32                // how many spans are to be emptied
}

// page is what is known of a page of an arena: all of it for the first page
// of a span or run, only back for the others. A page number is the arena in
// the directory and the page in it.
type page struct {
	prev, next uint32 // neighbours in a bin, as page numbers; next of a run is its pages
	free       uint16 // unit of the first freed slot, plus 1; 0 is none
	fresh      uint16 // unit of the first slot that was never used
	used       uint16 // live slots
	class      uint8
	back       uint8 // pages back to the first of the span
}

const (
	classFree = 0
	classRun  = 255
)

func (h *Heap) page(number uint32) *page {
	return &h.arenas[number>>pagesShift].pages[number&(arenaPages-1)]
}

// slot returns where the slot at a unit of the span at number is.
func (h *Heap) slot(number uint32, unit uint32) *uint16 {
	base := h.dir[number>>pagesShift]
	return (*uint16)(unsafe.Add(base, (number&(arenaPages-1))<<pageBits+unit<<unitShift))
}

func (h *Heap) takeSlot(class int) Ref {
	list, s := &h.lists[class], &shapes[class]
	if list.current == 0 {
		h.refill(class)
	}
	number := list.current
	p := h.page(number)
	var unit uint32
	if p.free != 0 {
		unit = uint32(p.free - 1)
		p.free = *h.slot(number, unit)
		h.gaps -= int64(s.size)
	} else {
		unit = uint32(p.fresh)
		p.fresh += s.units
		h.commit(number, unit<<unitShift, unit<<unitShift+s.size)
	}
	p.used++
	if p.used == s.slots {
		list.current = 0
	}
	h.held += int64(s.size)
	return Ref(number)<<pageShift + Ref(unit)
}

// refill makes current a span with a free slot: the fullest bin's, or a new
// one.
func (h *Heap) refill(class int) {
	list := &h.lists[class]
	for bin := binCount; bin >= emptying; bin-- {
		if number := list.bins[bin]; number != 0 {
			h.unlink(list, bin, number)
			if bin == emptying {
				h.unmark(list, number)
			}
			list.current = number
			return
		}
	}
	pages := int(shapes[class].pages)
	number := h.takePages(pages)
	for i := range pages {
		*h.page(number + uint32(i)) = page{class: uint8(class), back: uint8(i)}
	}
	list.current = number
}

func (h *Heap) putSlot(r Ref, class int) {
	list, s := &h.lists[class], &shapes[class]
	number := h.spanOf(r)
	p := h.page(number)
	if int(p.class) != class {
		panic("slab: freed with a size other than the one asked for")
	}
	unit := uint32(r - Ref(number)<<pageShift)
	*h.slot(number, unit) = p.free
	p.free = uint16(unit + 1)
	p.used--
	h.held -= int64(s.size)
	h.gaps += int64(s.size)
	switch {
	case p.used == 0:
		h.dropSpan(list, number)
	case number == list.current:
	case list.marked == 0 || !h.isMarked(number):
		h.rebin(list, number)
	}
}

// spanOf returns the number of the first page of the span that r is in.
func (h *Heap) spanOf(r Ref) uint32 {
	number := uint32(r >> pageShift)
	return number - uint32(h.page(number).back)
}

// rebin moves a span that lost a slot to the bin it now belongs to.
func (h *Heap) rebin(list *spanList, number uint32) {
	p := h.page(number)
	s := &shapes[p.class]
	bin := s.bin(p.used)
	if p.used+1 == s.slots { // It was full, and so in no bin.
		h.link(list, bin, number)
	} else if was := s.bin(p.used + 1); was != bin {
		h.unlink(list, was, number)
		h.link(list, bin, number)
	}
}

// dropSpan gives back the pages of a span whose last slot was freed.
func (h *Heap) dropSpan(list *spanList, number uint32) {
	p := h.page(number)
	s := &shapes[p.class]
	h.gaps -= int64(p.fresh) << unitShift
	switch {
	case number == list.current:
		list.current = 0
	case list.marked > 0 && h.isMarked(number):
		h.unlink(list, emptying, number)
		h.unmark(list, number)
	case s.slots > 1:
		h.unlink(list, s.bin(1), number)
	}
	h.putPages(number, int(s.pages))
}

// bin is where a span with so many live slots belongs, one of 1 to binCount.
func (s *shape) bin(used uint16) int { return 1 + int(uint32(used)*s.binMul>>16) }

func (h *Heap) link(list *spanList, bin int, number uint32) {
	p, next := h.page(number), list.bins[bin]
	p.prev, p.next = 0, next
	if next != 0 {
		h.page(next).prev = number
	}
	list.bins[bin] = number
}

func (h *Heap) unlink(list *spanList, bin int, number uint32) {
	p := h.page(number)
	if p.prev != 0 {
		h.page(p.prev).next = p.next
	} else {
		list.bins[bin] = p.next
	}
	if p.next != 0 {
		h.page(p.next).prev = p.prev
	}
	p.prev, p.next = 0, 0
}
