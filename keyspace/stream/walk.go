package stream

// walk goes over the entries of an interval that are there, in either
// direction. It is good until the stream changes.
type walk struct {
	s       *stream
	span    interval
	reverse bool
	p       place
	bytes   []byte
	at, end int
	offsets []uint32 // of the block's entries up to end, going backwards
	done    bool
}

// walk begins one.
func (s *stream) walk(span interval) (w walk) {
	w.begin(s, span)
	return w
}

func (w *walk) begin(s *stream, span interval) {
	w.s, w.span = s, span
	if s.length == 0 || span.last.less(span.first) {
		w.done = true
		return
	}
	if w.reverse {
		w.p = s.find(span.last)
	} else {
		w.p = s.find(span.first)
	}
	w.open()
}

// mark is where a walk has come to, for one that is to go on there.
type mark struct {
	id      ID // of the entry before
	block   ID // the first one of the block
	version uint32
	at      uint32
}

// goOn makes a walk which has just begun behind m.id go on at the mark, if that
// still holds.
func (w *walk) goOn(m *mark, after ID) {
	if w.done || m.id != after {
		return
	}
	if b := w.s.at(w.p); b.first == m.block && b.version == m.version && m.at >= b.begin {
		w.at = int(m.at)
	}
}

// mark is where the walk is, behind the entry of an ID.
func (w *walk) mark(id ID) mark {
	if w.done {
		return mark{}
	}
	b := w.s.at(w.p)
	return mark{id, b.first, b.version, uint32(w.at)}
}

// open begins with the block at p.
func (w *walk) open() {
	if w.done = !w.s.valid(w.p); w.done {
		return
	}
	b := w.s.at(w.p)
	w.bytes, w.at, w.end = w.s.bytesOf(b), int(b.begin), int(b.used)
	if w.reverse {
		w.offsets = make([]uint32, 0, b.live+b.gone)
		for at := w.at; at < w.end; at = skip(w.bytes, at) {
			w.offsets = append(w.offsets, uint32(at))
		}
	}
}

// next is the following entry.
func (w *walk) next() (e entry, ok bool) {
	for !w.done {
		if e, ok = w.step(); !ok {
			w.turn()
			continue
		}
		if e.deleted() {
			continue
		}
		if !w.reverse && w.span.last.less(e.id) || w.reverse && e.id.less(w.span.first) {
			w.done = true
			break
		}
		if !w.reverse && e.id.less(w.span.first) || w.reverse && w.span.last.less(e.id) {
			continue
		}
		return e, true
	}
	return entry{}, false
}

// step is the block's following entry, deleted or not.
func (w *walk) step() (e entry, ok bool) {
	b := w.s.at(w.p)
	if w.reverse {
		n := len(w.offsets) - 1
		if n < 0 {
			return entry{}, false
		}
		e = b.entryAt(w.bytes, int(w.offsets[n]))
		w.offsets = w.offsets[:n]
		return e, true
	}
	if w.at >= w.end {
		return entry{}, false
	}
	e = b.entryAt(w.bytes, w.at)
	w.at = e.next
	return e, true
}

// turn goes on to the neighbouring block.
func (w *walk) turn() {
	if w.reverse {
		w.p = w.s.prev(w.p)
	} else {
		w.p = w.s.next(w.p)
	}
	w.open()
}

// lookup is the entry of an ID, if it is there.
func (s *stream) lookup(id ID) (e entry, p place, found bool) {
	if s.length == 0 {
		return entry{}, place{}, false
	}
	p = s.find(id)
	b := s.at(p)
	bytes := s.bytesOf(b)
	for at := int(b.begin); at < int(b.used); at = e.next {
		e = b.entryAt(bytes, at)
		if c := e.id.compare(id); c >= 0 {
			return e, p, c == 0 && !e.deleted()
		}
	}
	return entry{}, p, false
}

// edge is the ID of the first entry, or of the last one; 0-0 if there is none.
func (s *stream) edge(reverse bool) ID {
	w := walk{reverse: reverse}
	w.begin(s, interval{ID{}, maxID})
	e, _ := w.next()
	return e.id
}
