package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// sortItemsMax bounds the items of an answer, where GET asks for several of
// each element: more would not fit any client's memory, nor ours.
const sortItemsMax = 1 << 26

// cell is one text of an answer: where it lies in the answer's memory. Without
// an end it is null.
type cell struct{ begin, end int }

const noEnd = -1

// result is what a SORT has found.
type result struct {
	all   []byte
	cells []cell
}

func (r *result) at(i int) (text []byte) {
	if c := r.cells[i]; c.end != noEnd {
		return r.all[c.begin:c.end:c.end]
	}
	return nil
}

// result is the answer's elements, or for each in turn what belongs to it by
// each GET. All is copied: the next look-up may make it void.
func (s *sorter) result() (r result) {
	shown, per := s.ranks[s.first:s.end], len(s.gets)
	if per == 0 {
		r.all = s.elements.all
		for i := range shown {
			begin, end := s.elements.span(int(shown[i].element))
			r.cells = append(r.cells, cell{begin, end})
		}
		return r
	}
	r.cells = make([]cell, len(shown)*per)
	for g, get := range s.gets {
		s.eachBelonging(get, shown, func(i int, b belongings, found bool) {
			c := cell{len(r.all), noEnd}
			if found {
				r.all = b.appendTo(r.all)
				c.end = len(r.all)
			}
			r.cells[i*per+g] = c
		})
	}
	return r
}

// isTooMuch reports whether GET asks for more than is answered.
func (s *sorter) isTooMuch() bool {
	return len(s.gets) > 1 && (s.end-s.first)*len(s.gets) > sortItemsMax
}

// answer is the reply to a SORT that does not store.
func (s *sorter) answer() resp.Reply {
	r := s.result()
	items := s.tx.Items(len(r.cells))
	for i := range items {
		items[i] = resp.Nil
		if r.cells[i].end != noEnd {
			items[i] = resp.Bulk(r.at(i))
		}
	}
	return resp.Array(items...)
}

// keep makes the answer a list, and returns how many elements that has. What
// would be null in an answer is an empty one.
func (s *sorter) keep() resp.Reply {
	r := s.result()
	each := func(yield func(keyspace.Element) bool) {
		for i := range r.cells {
			if !yield(keyspace.Element{Text: r.at(i)}) {
				return
			}
		}
	}
	mistake := s.tx.Kind(keyspace.List).Put(s.tx, s.store, each, keyspace.NoDeadline, "sortstore")
	if mistake.IsError() {
		return mistake
	}
	return resp.Int(int64(len(r.cells)))
}
