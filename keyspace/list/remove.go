package list

import "bytes"

// removal is which elements of a list LREM takes out: those of a text, at most
// so many, found from one end.
type removal struct {
	text []byte
	most int
	from side
}

// removeAll takes elements out of a large list and returns how many.
func (l *large) removeAll(r removal, lim limits) (removed int) {
	if r.from == left {
		removed = l.removeForward(r, lim)
	} else {
		removed = l.removeBackward(r, lim)
	}
	if removed > 0 {
		l.joinChunks()
	}
	return removed
}

func (l *large) removeForward(r removal, lim limits) (removed int) {
	for p, changed := l.first(), false; l.valid(p) && (removed < r.most || changed); {
		n := l.removeIn(p, r.text, 0, r.most-removed)
		removed += n
		if l.at(p).items == 0 {
			p, changed = l.remove(p), true
			continue
		}
		q := l.prev(p)
		if changed = changed || n > 0; changed && l.join(q, lim) {
			p, changed = l.next(q), n > 0
			continue
		}
		p, changed = l.next(p), n > 0
	}
	return removed
}

func (l *large) removeBackward(r removal, lim limits) (removed int) {
	for p, changed := l.last(), false; l.valid(p) && (removed < r.most || changed); {
		wanted := r.most - removed
		skip := 0
		if wanted < int(l.at(p).items) {
			skip = max(0, matches(l.elementsOf(l.at(p)), r.text)-wanted)
		}
		n := l.removeIn(p, r.text, skip, wanted)
		removed += n
		if l.at(p).items == 0 {
			p, changed = l.prev(l.remove(p)), true
			continue
		}
		if changed || n > 0 {
			l.join(p, lim)
		}
		p, changed = l.prev(p), n > 0
	}
	return removed
}

// matches is how many of the elements in b have that text.
func matches(b, text []byte) (n int) {
	for at := 0; at < len(b); {
		t, end := elementAt(b, at)
		if bytes.Equal(t, text) {
			n++
		}
		at = end
	}
	return n
}

// removeIn takes elements of that text out of a block, at most so many after
// those to skip. The block may be left without elements.
func (l *large) removeIn(p place, text []byte, skip, most int) (removed int) {
	if l.frozen != nil {
		if matches(l.elementsOf(l.at(p)), text) <= skip {
			return 0 // and nothing is copied for it
		}
		l.own(l.edit(p))
	}
	b := l.at(p)
	all := l.elementsOf(b)
	rest, removed := removeFrom(all, text, skip, most)
	if removed == 0 {
		return 0
	}
	b.end -= uint32(len(all) - rest)
	b.items -= uint16(removed)
	l.count(&l.chunks[p.chunk], -removed, rest-len(all))
	if rest > 0 {
		l.tighten(b)
	}
	return removed
}

// removeFrom takes such elements out of those in b, and says how many bytes
// of b are left.
func removeFrom(b, text []byte, skip, most int) (rest, removed int) {
	from := 0 // what comes after it and stays has not moved yet
	for at := 0; at < len(b) && removed < most; {
		t, end := elementAt(b, at)
		switch {
		case !bytes.Equal(t, text):
		case skip > 0:
			skip--
		default:
			rest += copy(b[rest:], b[from:at])
			from = end
			removed++
		}
		at = end
	}
	return rest + copy(b[rest:], b[from:]), removed
}
