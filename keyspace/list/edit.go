package list

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
)

// edit is a list that a command changes. Each of its changes is made known
// with the event given, and ends the edit: its value is void then.
type edit struct {
	view
	keys *large // the key's when it was opened; nil if it was packed or missing
	tx   *keyspace.Tx
	key  []byte
	v    keyspace.Value
	lim  limits
}

// open begins to change the list of a key, which may be missing. If ok is
// false, the key holds something else.
func (e *edit) open(tx *keyspace.Tx, key []byte) (ok bool) {
	e.tx, e.key, e.v, e.lim = tx, key, tx.Find(key), limitsOf(tx.Settings)
	if isOther(e.v) {
		return false
	}
	e.view = viewOf(e.v)
	e.keys = e.large
	return true
}

// push puts texts at an end, one after the other. A list that outgrows the
// packed form becomes large.
func (e *edit) push(texts [][]byte, at side, event string) {
	if e.large == nil {
		more := sizeOfAll(texts)
		if e.lim.allow(e.packed.len()+len(texts), len(e.packed.elements())+more) {
			e.pushPacked(texts, more, at, event)
			return
		}
		e.enlarge()
	}
	for _, text := range texts {
		e.large.push(text, at, e.lim)
	}
	e.save(event)
}

// pushPacked is push for a list that stays packed; more is the size of the
// texts' elements.
func (e *edit) pushPacked(texts [][]byte, more int, at side, event string) {
	if e.v.Missing() {
		b := newPacked(e.tx.Scratch(), texts, at)
		e.putPacked(b, event)
		e.tx.KeepScratch(b)
		return
	}
	was := len(e.packed)
	e.packed.setLen(e.packed.len() + len(texts))
	b := e.tx.Resize(e.v, was+more, event)
	if at == right {
		putAll(b[was:], texts, right)
		return
	}
	copy(b[headSize+more:], b[headSize:was])
	putAll(b[headSize:headSize+more], texts, left)
}

func (e *edit) putPacked(b packed, event string) {
	p := keyspace.Packed{Type: keyspace.List, Encoding: keyspace.Listpack, Bytes: b}
	e.tx.PutPacked(e.key, p, keyspace.KeepDeadline, event)
}

// enlarge makes a packed list large.
func (e *edit) enlarge() {
	e.large = newLarge(e.tx.MemOf(e.key))
	if n := e.packed.len(); n > 0 {
		e.large.add(e.packed.elements(), n)
	}
}

// save makes known what was changed of a large list, which becomes packed if
// it is short. The key's time to live stays.
func (e *edit) save(event string) {
	switch half := e.lim.half(); {
	case half.allow(e.large.items, e.large.used):
		e.putPacked(e.large.pack(), event)
		if e.large != e.keys {
			e.large.Free(e.large.mem, math.MaxInt)
		}
	case e.large == e.keys:
		e.tx.Touch(e.v, event)
	default:
		e.tx.PutObject(e.key, e.large, keyspace.KeepDeadline, event)
	}
}

// pack is the list's packed form.
func (l *large) pack() packed {
	b := make(packed, headSize, headSize+l.used)
	b.setLen(l.items)
	for n := range l.chunks {
		blocks := l.blocksOf(&l.chunks[n])
		for i := range blocks {
			b = append(b, l.elementsOf(&blocks[i])...)
		}
	}
	return b
}

// drop takes n elements away at an end, of as many or more. A list without
// elements goes.
func (e *edit) drop(n int, at side, event string) {
	switch length := e.len(); {
	case n == length:
		e.clear(event)
	case n == 1 && e.large != nil:
		e.large.pop(at)
		e.save(event)
	case at == left:
		e.trim(n, length-n, event)
	default:
		e.trim(0, length-n, event)
	}
}

// clear removes the list.
func (e *edit) clear(event string) {
	e.tx.Also(e.key, event)
	e.tx.Remove(e.v, "del")
}

// trim leaves the n elements from element i on, of which there is at least
// one.
func (e *edit) trim(i, n int, event string) {
	if e.large != nil {
		e.large = e.large.trim(i, n)
		e.save(event)
		return
	}
	b := e.packed.elements()
	items := e.packed.len()
	from, to := skip(b, items, i), skip(b, items, i+n)
	e.packed.setLen(n)
	e.shorten(copy(b, b[from:to]), event)
}

// shorten makes known what was changed of a packed list, whose elements take
// so many bytes now.
func (e *edit) shorten(bytes int, event string) {
	if size := headSize + bytes; size != len(e.packed) {
		e.tx.Resize(e.v, size, event)
		return
	}
	e.tx.Touch(e.v, event)
}

// insert puts an element in as element i.
func (e *edit) insert(i int, text []byte, event string) {
	if e.large == nil {
		b, items := e.packed.elements(), e.packed.len()
		if e.lim.allow(items+1, len(b)+sizeOf(text)) {
			e.packed.setLen(items + 1)
			e.splice(skip(b, items, i), 0, text, event)
			return
		}
		e.enlarge()
	}
	e.large.insertBefore(i, text, e.lim)
	e.save(event)
}

// set gives element i another text.
func (e *edit) set(i int, text []byte, event string) {
	if e.large == nil {
		b, items := e.packed.elements(), e.packed.len()
		at := skip(b, items, i)
		_, end := elementAt(b, at)
		if e.lim.allow(items, len(b)+sizeOf(text)-(end-at)) {
			e.splice(at, end-at, text, event)
			return
		}
		e.enlarge()
	}
	e.large.set(i, text, e.lim)
	e.save(event)
}

// splice writes an element in place of the old bytes at that offset of a
// packed list's elements.
func (e *edit) splice(at, old int, text []byte, event string) {
	n, all := sizeOf(text), e.packed
	at += headSize
	if n > old {
		was := len(all)
		all = e.tx.Resize(e.v, was+n-old, event)
		copy(all[at+n:], all[at+old:was])
		putElement(all[at:], text)
		return
	}
	putElement(all[at:], text)
	e.shorten(at+n+copy(all[at+n:], all[at+old:])-headSize, event)
}

// remove takes out elements and returns how many.
func (e *edit) remove(r removal, event string) (removed int) {
	if e.large != nil {
		if removed = e.large.removeAll(r, e.lim); removed == 0 {
			return 0
		}
		if e.large.items == 0 {
			e.clear(event)
		} else {
			e.save(event)
		}
		return removed
	}
	b, skip := e.packed.elements(), 0
	if r.from == right && r.most < math.MaxInt {
		skip = max(0, matches(b, r.text)-r.most)
	}
	rest, removed := removeFrom(b, r.text, skip, r.most)
	switch {
	case removed == 0:
	case rest == 0:
		e.clear(event)
	default:
		e.packed.setLen(e.packed.len() - removed)
		e.shorten(rest, event)
	}
	return removed
}
