package slab

// Compaction empties the spans in which little lives, by moving that to the
// free slots of others; then their pages go back to the system. A plan says
// which spans: of each class the emptiest ones, as many as the rest has room
// for, so that each allocation is moved at most once for it. They are marked,
// and get no new slots any more (unless there is no other room). The owner then
// goes through what it has and moves what lies in marked spans: see Mover.

// levels is how many degrees of fullness a plan tells apart. Spans of the
// highest one are left alone: to empty them costs more than it gives.
const levels = 16

// plan is a plan being made: a first walk through the arenas counts, a second
// one marks.
type plan struct {
	next    int // the arena to look at
	marking bool
	classes [classCount]spread
}

// spread is how the slots of a class are spread over its spans.
type spread struct {
	spans, slots int64         // that there are, and that live
	at           [levels]int32 // spans that are not full, by their level
	below        int           // those of lower levels are to be emptied …
	more         int32         // … and so many of this one
}

// Plan makes a part of a plan, some 10 µs' worth, and reports whether it is made
// to the end; Marked then says whether there is anything to be emptied. A plan
// by which fewer than so many bytes would come back is none.
func (h *Heap) Plan(worth int64) (done bool) {
	if h.plan == nil {
		h.plan = &plan{}
	}
	p := h.plan
	for p.next < len(h.arenas) && h.arenas[p.next] == nil {
		p.next++
	}
	if p.next < len(h.arenas) {
		h.look(p)
		p.next++
		return false
	}
	if !p.marking && p.decide() >= worth {
		p.next, p.marking = 0, true
		return false
	}
	h.plan = nil
	return true
}

// Marked is how many spans are yet to be emptied.
func (h *Heap) Marked() int { return h.marked }

// look counts the spans of an arena, or marks them.
func (h *Heap) look(p *plan) {
	a := h.arenas[p.next]
	for i := 0; i < arenaPages; {
		switch head := &a.pages[i]; head.class {
		case classFree:
			i++
		case classRun:
			i += int(head.next)
		default:
			if p.marking {
				h.judge(p, uint32(p.next<<pagesShift+i))
			} else {
				p.classes[head.class].count(head)
			}
			i += int(shapes[head.class].pages)
		}
	}
}

func levelOf(p *page) int { return int(p.used) * levels / int(shapes[p.class].slots) }

func (s *spread) count(p *page) {
	s.spans++
	s.slots += int64(p.used)
	if p.used < shapes[p.class].slots {
		s.at[levelOf(p)]++
	}
}

// decide says, for each class, which spans are to be emptied, and returns how
// many bytes these are.
func (p *plan) decide() (bytes int64) {
	for class := range p.classes {
		s, shape := &p.classes[class], &shapes[class]
		if s.spans == 0 {
			continue
		}
		slots := int64(shape.slots)
		excess := s.spans - (s.slots+slots-1)/slots
		for ; s.below < levels-1 && excess > 0; s.below++ {
			spans := min(excess, int64(s.at[s.below]))
			bytes += spans * int64(shape.pages) * pageBytes
			if excess -= spans; excess == 0 {
				s.more = int32(spans)
				break
			}
		}
	}
	return bytes
}

// judge marks a span or not, as was decided.
func (h *Heap) judge(p *plan, number uint32) {
	head := h.page(number)
	list, s := &h.lists[head.class], &p.classes[head.class]
	if number == list.current || head.used == shapes[head.class].slots {
		return
	}
	level := levelOf(head)
	wanted := level < s.below
	if level == s.below && s.more > 0 {
		s.more--
		wanted = true
	}
	switch bin, is := shapes[head.class].bin(head.used), h.isMarked(number); {
	case wanted && !is:
		h.unlink(list, bin, number)
		h.link(list, emptying, number)
		h.mark(list, number)
	case !wanted && is:
		h.unlink(list, emptying, number)
		h.unmark(list, number)
		h.link(list, bin, number)
	}
}

// isMarked reports whether the span at number is to be emptied.
func (h *Heap) isMarked(number uint32) bool {
	return h.arenas[number>>pagesShift].sparse.has(int(number & (arenaPages - 1)))
}

func (h *Heap) mark(list *spanList, number uint32) {
	a, at := h.arenas[number>>pagesShift], int(number&(arenaPages-1))
	for i := at; i < at+int(shapes[a.pages[at].class].pages); i++ {
		a.sparse.set(i)
	}
	list.marked++
	h.marked++
}

func (h *Heap) unmark(list *spanList, number uint32) {
	a, at := h.arenas[number>>pagesShift], int(number&(arenaPages-1))
	for i := at; i < at+int(shapes[a.pages[at].class].pages); i++ {
		a.sparse.clear(i)
	}
	list.marked--
	h.marked--
}

// Mover moves what lies in marked spans, with some effort: it is handed to
// those who hold references, and they stop when it is Spent.
type Mover struct {
	heap *Heap
	// Left is the effort that is left: see Heap.Effort.
	Left int
	// Moved is how many allocations it has moved, and Stayed how many it was
	// asked for that lie well.
	Moved, Stayed int64
}

// moveEffort is what moving a small allocation takes.
const moveEffort = 3

// Mover makes one with so much effort.
func (h *Heap) Mover(effort int) Mover { return Mover{heap: h, Left: effort} }

// Spent reports whether the effort is used up.
func (m *Mover) Spent() bool { return m.Left <= 0 }

// Done reports whether nothing is left to be moved.
func (m *Mover) Done() bool { return m.heap.marked == 0 }

// Wants reports whether the allocation at r is to be moved.
func (m *Mover) Wants(r Ref) bool {
	a := m.heap.arenas[r>>arenaShift]
	if a == nil || !a.sparse.has(int(r>>pageShift&(arenaPages-1))) {
		m.Stayed++
		return false
	}
	return true
}

// Move copies the n bytes at r to another place, has moved tell all who hold the
// reference, and takes the old place back.
func (m *Mover) Move(r Ref, n int, moved func(to Ref)) {
	h := m.heap
	to := h.Alloc(n)
	copy(h.Bytes(to, n), h.Bytes(r, n))
	moved(to)
	h.Discard(r, n)
	m.Moved++
	m.Left -= moveEffort + n>>8
}
