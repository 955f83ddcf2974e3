package stream

import "unsafe"

// keyed is what an ordered keeps: something that begins with its ID.
type keyed interface{ key() ID }

// idOf is key without a call by way of a table of methods.
func idOf[T keyed](thing *T) ID { return *(*ID)(unsafe.Pointer(thing)) }

// key implements keyed.
func (a ID) key() ID { return a }

// ordered is a set of things in the order of their IDs, in pieces of up to
// pieceMax. Things mostly come at its end and go near its beginning: both take
// the time of a search in one piece. Without pointers in T, it costs the garbage
// collector nothing. The zero ordered is empty and ready.
type ordered[T keyed] struct {
	pieces []piece[T]
	length int
	room   int // things that there is memory for
}

// piece is a part of an ordered, never empty. Its first ID stands beside the
// others' so that the search for a piece looks into none. One that is shared,
// with a frozen group, is not changed but by things behind its own: see own.
type piece[T keyed] struct {
	first  ID
	things []T
	shared bool
}

const pieceMax = 64

// set gives the piece other things.
func (p *piece[T]) set(things []T) { p.first, p.things = idOf(&things[0]), things }

// spot is where something is, or would be.
type spot struct{ piece, at int }

// seek is the first thing that has the ID or a higher one.
func (o *ordered[T]) seek(id ID) (s spot, found bool) {
	n := len(o.pieces)
	if n == 0 {
		return spot{}, false
	}
	s.piece = o.seekPiece(id)
	things := o.pieces[s.piece].things
	low, high := 0, len(things)
	for low < high {
		if middle := int(uint(low+high) >> 1); idOf(&things[middle]).less(id) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(things) {
		s.at = low
		return s, idOf(&things[low]) == id
	}
	if s.piece+1 < n {
		return spot{s.piece + 1, 0}, false
	}
	s.at = low
	return s, false
}

// seekPiece is the last piece that begins at the ID or before it, or the first of
// all.
func (o *ordered[T]) seekPiece(id ID) int {
	pieces := o.pieces
	low, high := 0, len(pieces)-1
	if !id.less(pieces[high].first) {
		return high
	}
	for high-low > 1 {
		if middle := int(uint(low+high) >> 1); id.less(pieces[middle].first) {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// get is the thing of an ID, to be read; nil if there is none. It moves with the
// next change.
func (o *ordered[T]) get(id ID) *T {
	if s, found := o.seek(id); found {
		return &o.pieces[s.piece].things[s.at]
	}
	return nil
}

// insert adds a thing whose ID no other has.
func (o *ordered[T]) insert(thing T) {
	o.length++
	id := idOf(&thing)
	if len(o.pieces) == 0 {
		o.pieces = append(o.pieces, piece[T]{things: o.newPiece(1)})
	}
	n := len(o.pieces) - 1
	s := spot{n, len(o.pieces[n].things)}
	if last := o.pieces[n].things; len(last) > 0 && !idOf(&last[len(last)-1]).less(id) {
		s, _ = o.seek(id)
	}
	if len(o.pieces[s.piece].things) == pieceMax {
		s = o.split(s)
	}
	if s.at < len(o.pieces[s.piece].things) {
		o.own(s.piece)
	}
	p := o.pieces[s.piece].things
	if len(p) == cap(p) {
		wider := o.newPiece(min(pieceMax, 2*cap(p)))[:len(p)]
		copy(wider, p)
		o.room -= cap(p)
		p = wider
		o.pieces[s.piece].shared = false
	}
	p = p[:len(p)+1]
	copy(p[s.at+1:], p[s.at:])
	p[s.at] = thing
	o.pieces[s.piece].set(p)
}

func (o *ordered[T]) newPiece(room int) []T {
	o.room += room
	return make([]T, 0, room)
}

// split makes room at a spot whose piece is full: by a new piece at the end, or
// by two halves elsewhere.
func (o *ordered[T]) split(s spot) spot {
	if s.at < len(o.pieces[s.piece].things) {
		o.own(s.piece)
	}
	p := o.pieces[s.piece].things
	o.pieces = append(o.pieces, piece[T]{})
	copy(o.pieces[s.piece+2:], o.pieces[s.piece+1:])
	fresh := o.newPiece(pieceMax)
	if s.at == len(p) {
		o.pieces[s.piece+1] = piece[T]{things: fresh} // the new thing comes into it
		return spot{s.piece + 1, 0}
	}
	o.pieces[s.piece+1] = piece[T]{}
	o.pieces[s.piece+1].set(append(fresh, p[pieceMax/2:]...))
	o.pieces[s.piece].things = p[:pieceMax/2]
	if s.at > pieceMax/2 {
		return spot{s.piece + 1, s.at - pieceMax/2}
	}
	return s
}

// remove takes the thing of an ID away and returns it.
func (o *ordered[T]) remove(id ID) (thing T, found bool) {
	s, found := o.seek(id)
	if !found {
		return thing, false
	}
	p := o.pieces[s.piece].things
	thing = p[s.at]
	o.length--
	if len(p) > 1 {
		if s.at == 0 { // what comes first goes first: nothing has to move
			o.room--
			o.pieces[s.piece].set(p[1:])
			return thing, true
		}
		o.own(s.piece)
		p = o.pieces[s.piece].things
		o.pieces[s.piece].things = append(p[:s.at], p[s.at+1:]...)
		return thing, true
	}
	o.room -= cap(p)
	if s.piece == 0 {
		o.pieces[0] = piece[T]{}
		o.pieces = o.pieces[1:]
		return thing, true
	}
	o.pieces = append(o.pieces[:s.piece], o.pieces[s.piece+1:]...)
	return thing, true
}

// from calls visit for each thing from an ID on until it returns false. visit
// changes no order.
func (o *ordered[T]) from(id ID, visit func(thing *T) bool) {
	s, _ := o.seek(id)
	for ; s.piece < len(o.pieces); s = (spot{s.piece + 1, 0}) {
		p := o.pieces[s.piece].things
		for i := s.at; i < len(p); i++ {
			if !visit(&p[i]) {
				return
			}
		}
	}
}

// first and last are the things at the ends of an order that is not empty.
func (o *ordered[T]) first() T { return o.pieces[0].things[0] }
func (o *ordered[T]) last() T {
	p := o.pieces[len(o.pieces)-1].things
	return p[len(p)-1]
}

// clone is an independent copy.
func (o *ordered[T]) clone() (c ordered[T]) {
	for _, p := range o.pieces {
		c.pieces = append(c.pieces, piece[T]{first: p.first, things: append(c.newPiece(len(p.things)), p.things...)})
	}
	c.length = o.length
	return c
}

// bytes is the memory that it takes beside itself.
func (o *ordered[T]) bytes() int64 {
	return int64(o.room)*int64(unsafe.Sizeof(*new(T))) + int64(cap(o.pieces))*int64(unsafe.Sizeof(piece[T]{}))
}
