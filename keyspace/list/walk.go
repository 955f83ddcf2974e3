package list

// view is a list as a command reads it, in whichever form. The zero view is
// that of a missing key, and empty.
type view struct {
	packed packed
	large  *large
}

// len is the number of elements.
func (v *view) len() int {
	if v.large != nil {
		return v.large.items
	}
	return v.packed.len()
}

// walker stands between two elements of a list, which does not change
// meanwhile, and goes either way.
type walker struct {
	b  []byte // the elements of the block it is in, or of a packed list
	at int    // where it is in them

	large *large
	place
}

// walk stands before element i of the list; i may be its length.
func (v *view) walk(i int) walker {
	if v.large == nil {
		b := v.packed.elements()
		return walker{b: b, at: skip(b, v.packed.len(), i)}
	}
	l := v.large
	if i == l.items {
		w := walker{large: l, place: l.last()}
		w.b = l.elementsOf(l.at(w.place))
		w.at = len(w.b)
		return w
	}
	p, nth := l.find(i)
	b := l.elementsOf(l.at(p))
	return walker{b: b, at: skip(b, int(l.at(p).items), nth), large: l, place: p}
}

// next is the element behind, which there must be. The walker passes it.
func (w *walker) next() (text []byte) {
	if w.at == len(w.b) {
		w.place = w.large.next(w.place)
		w.b, w.at = w.large.elementsOf(w.large.at(w.place)), 0
	}
	text, w.at = elementAt(w.b, w.at)
	return text
}

// prev is the element before, likewise.
func (w *walker) prev() (text []byte) {
	if w.at == 0 {
		w.place = w.large.prev(w.place)
		w.b = w.large.elementsOf(w.large.at(w.place))
		w.at = len(w.b)
	}
	text, w.at = elementBefore(w.b, w.at)
	return text
}

// from is next for a walk from the left side, and prev for one from the right.
func (w *walker) from(at side) []byte {
	if at == left {
		return w.next()
	}
	return w.prev()
}

// walkFrom stands at an end of the list.
func (v *view) walkFrom(at side) walker {
	if at == left {
		return v.walk(0)
	}
	return v.walk(v.len())
}

// each calls visit for every element in order until it returns false.
func (v *view) each(visit func(text []byte) bool) {
	n := v.len()
	if n == 0 {
		return
	}
	for w := v.walk(0); n > 0; n-- {
		if !visit(w.next()) {
			return
		}
	}
}
