package generic

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// sortItemsMax bounds the items of an answer, where GET asks for several of
// each element: more would not fit any client's memory, nor ours.
const sortItemsMax = 1 << 26

// answer is the reply to a SORT that does not store.
func (s *sorter) answer() resp.Reply {
	shown := s.ranks[s.first:s.end]
	n := len(shown) * max(1, len(s.gets))
	if n > sortItemsMax && len(s.gets) > 1 {
		return resp.ErrOutOfRange
	}
	items := s.tx.Items(n)[:0]
	var buf []byte // for what belongs to the elements: the next look-up may make it void
	for _, r := range shown {
		element := s.elements.at(int(r.element))
		if len(s.gets) == 0 {
			items = append(items, resp.Bulk(element))
		}
		for _, get := range s.gets {
			b, found := get.of(s.tx, element)
			if !found {
				items = append(items, resp.Nil)
				continue
			}
			begin := len(buf)
			buf = b.appendTo(buf)
			items = append(items, resp.Bulk(buf[begin:]))
		}
	}
	return resp.Array(items...)
}

// keep makes the answer a list, and returns how many elements that has. What
// would be null in an answer is an empty one.
func (s *sorter) keep() resp.Reply {
	shown := s.ranks[s.first:s.end]
	if len(shown)*len(s.gets) > sortItemsMax && len(s.gets) > 1 {
		return resp.ErrOutOfRange
	}
	var kept texts
	for _, r := range shown {
		element := s.elements.at(int(r.element))
		if len(s.gets) == 0 {
			kept.add(element)
		}
		for _, get := range s.gets {
			b, _ := get.of(s.tx, element)
			kept.all = b.appendTo(kept.all)
			kept.ends = append(kept.ends, len(kept.all))
		}
	}
	each := func(yield func(keyspace.Element) bool) {
		for i := range kept.ends {
			if !yield(keyspace.Element{Text: kept.at(i)}) {
				return
			}
		}
	}
	mistake := s.tx.Kind(keyspace.List).Put(s.tx, s.store, each, keyspace.NoDeadline, "sortstore")
	if mistake.IsError() {
		return mistake
	}
	return resp.Int(int64(len(kept.ends)))
}
