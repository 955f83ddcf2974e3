package stream

import (
	"sort"
	"unsafe"
)

// keyed is what an ordered keeps: something that has an ID.
type keyed interface{ key() ID }

// key implements keyed.
func (a ID) key() ID { return a }

// ordered is a set of things in the order of their IDs, in pieces of up to
// pieceMax. Things mostly come at its end and go near its beginning: both take
// the time of a search in one piece. Without pointers in T, it costs the garbage
// collector nothing. The zero ordered is empty and ready.
type ordered[T keyed] struct {
	pieces [][]T
	length int
	room   int // things that there is memory for
}

const pieceMax = 64

// spot is where something is, or would be.
type spot struct{ piece, at int }

// seek is the first thing that has the ID or a higher one.
func (o *ordered[T]) seek(id ID) (s spot, found bool) {
	n := len(o.pieces)
	if n == 0 {
		return spot{}, false
	}
	s.piece = n - 1
	if last := o.pieces[n-1]; id.less(last[0].key()) {
		s.piece = max(0, sort.Search(n-1, func(i int) bool { return id.less(o.pieces[i][0].key()) })-1)
	}
	p := o.pieces[s.piece]
	if p[len(p)-1].key().less(id) {
		s.at = len(p)
		if s.piece+1 < n {
			return spot{s.piece + 1, 0}, false
		}
		return s, false
	}
	s.at = sort.Search(len(p), func(i int) bool { return !p[i].key().less(id) })
	return s, p[s.at].key() == id
}

// get is the thing of an ID; nil if there is none. It moves with the next
// change.
func (o *ordered[T]) get(id ID) *T {
	if s, found := o.seek(id); found {
		return &o.pieces[s.piece][s.at]
	}
	return nil
}

// insert adds a thing whose ID no other has.
func (o *ordered[T]) insert(thing T) {
	o.length++
	if len(o.pieces) == 0 {
		o.pieces = append(o.pieces, o.newPiece(1))
	}
	n := len(o.pieces) - 1
	s := spot{n, len(o.pieces[n])}
	if last := o.pieces[n]; len(last) > 0 && !last[len(last)-1].key().less(thing.key()) {
		s, _ = o.seek(thing.key())
	}
	if len(o.pieces[s.piece]) == pieceMax {
		s = o.split(s)
	}
	p := o.pieces[s.piece]
	if len(p) == cap(p) {
		wider := o.newPiece(min(pieceMax, 2*cap(p)))[:len(p)]
		copy(wider, p)
		o.room -= cap(p)
		p = wider
	}
	p = p[:len(p)+1]
	copy(p[s.at+1:], p[s.at:])
	p[s.at] = thing
	o.pieces[s.piece] = p
}

func (o *ordered[T]) newPiece(room int) []T {
	o.room += room
	return make([]T, 0, room)
}

// split makes room at a spot whose piece is full: by a new piece at the end, or
// by two halves elsewhere.
func (o *ordered[T]) split(s spot) spot {
	p := o.pieces[s.piece]
	o.pieces = append(o.pieces, nil)
	copy(o.pieces[s.piece+2:], o.pieces[s.piece+1:])
	o.pieces[s.piece+1] = o.newPiece(pieceMax)
	if s.at == len(p) {
		return spot{s.piece + 1, 0}
	}
	o.pieces[s.piece+1] = append(o.pieces[s.piece+1], p[pieceMax/2:]...)
	o.pieces[s.piece] = p[:pieceMax/2]
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
	p := o.pieces[s.piece]
	thing = p[s.at]
	o.length--
	if len(p) > 1 {
		if s.at == 0 { // what comes first goes first: nothing has to move
			o.room--
			o.pieces[0+s.piece] = p[1:]
			return thing, true
		}
		o.pieces[s.piece] = append(p[:s.at], p[s.at+1:]...)
		return thing, true
	}
	o.room -= cap(p)
	if s.piece == 0 {
		o.pieces[0] = nil
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
		p := o.pieces[s.piece]
		for i := s.at; i < len(p); i++ {
			if !visit(&p[i]) {
				return
			}
		}
	}
}

// first and last are the things at the ends of an order that is not empty.
func (o *ordered[T]) first() T { return o.pieces[0][0] }
func (o *ordered[T]) last() T {
	p := o.pieces[len(o.pieces)-1]
	return p[len(p)-1]
}

// clone is an independent copy.
func (o *ordered[T]) clone() (c ordered[T]) {
	for _, p := range o.pieces {
		c.pieces = append(c.pieces, append(c.newPiece(len(p)), p...))
	}
	c.length = o.length
	return c
}

// bytes is the memory that it takes beside itself.
func (o *ordered[T]) bytes() int64 {
	return int64(o.room)*int64(unsafe.Sizeof(*new(T))) + int64(cap(o.pieces))*int64(unsafe.Sizeof([]T{}))
}
