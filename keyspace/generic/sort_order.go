package generic

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

// texts are texts one after the other in one piece of memory, by their number.
type texts struct {
	all  []byte
	ends []int
}

func (t *texts) add(text []byte) {
	t.all = append(t.all, text...)
	t.ends = append(t.ends, len(t.all))
}

// span is where text i begins and ends.
func (t *texts) span(i int) (begin, end int) {
	if i > 0 {
		begin = t.ends[i-1]
	}
	return begin, t.ends[i]
}

func (t *texts) at(i int) []byte {
	begin, end := t.span(i)
	return t.all[begin:end:end]
}

// sorter is a SORT under way.
type sorter struct {
	*sorting
	tx       *keyspace.Tx
	elements texts
	orders   texts // what they are sorted by, if that is texts that belong to them
	ranks    []rank
	// The answer is ranks[first:end].
	first, end int

	room []byte // for keys
}

// rank is an element while its place is worked out. Elements whose keys are
// different come in the order of these.
type rank struct {
	key     uint64
	element uint32 // its number
	lacks   bool   // nothing belongs to it, by which it could be sorted: it comes first
}

// load copies the elements: reading others may make keys go that are past
// their deadline. Of those that stay in their order only the answer's are
// needed.
func (s *sorter) load(v keyspace.Value) {
	kind := s.tx.Kind(v.Type())
	n := kind.Len(v)
	s.first, s.end = s.window(n)
	skip, most := 0, n
	if s.asIs {
		skip, most = s.first, s.end-s.first
		if s.backwards(v) {
			skip = n - s.end
		}
		s.first, s.end = 0, most
	}
	s.ranks = make([]rank, 0, most)
	s.elements.ends = make([]int, 0, most)
	kind.Each(s.tx, v, func(e keyspace.Element) bool {
		if skip > 0 {
			skip--
			return true
		}
		if len(s.ranks) < most {
			s.ranks = append(s.ranks, rank{element: uint32(len(s.ranks))})
			s.elements.add(e.Text)
		}
		return len(s.ranks) < most
	})
	if s.asIs && s.backwards(v) {
		slices.Reverse(s.ranks)
	}
}

// backwards reports whether elements that are not sorted come from the last
// one on: those of a set have no order.
func (s *sorter) backwards(v keyspace.Value) bool { return s.desc && !v.Is(keyspace.Set) }

// order sorts the ranks. ok is false if an element should have a number to be
// sorted by, and has none.
func (s *sorter) order() (ok bool) {
	if s.alpha {
		s.rankByTexts()
	} else if !s.rankByScores() {
		return false
	}
	if s.desc {
		for i := range s.ranks {
			s.ranks[i].key = ^s.ranks[i].key
		}
	}
	switch {
	case s.end <= len(s.ranks)/8:
		s.sortFirst(s.end)
	case len(s.ranks) >= radixMin:
		s.ranks = sortByKeys(s.ranks, make([]rank, len(s.ranks)))
		s.sortEqual()
	default:
		slices.SortFunc(s.ranks, s.compare)
	}
	return true
}

// compare compares two elements as they are to be sorted.
func (s *sorter) compare(a, b rank) int {
	switch {
	case a.key < b.key:
		return -1
	case a.key > b.key:
		return 1
	case s.desc:
		return s.compareEqual(b, a)
	}
	return s.compareEqual(a, b)
}

// sortFirst puts only the first n ranks in order, of many more; the others are
// lost. Those that come before the nth so far are collected behind it, until
// there are n of them, and all of these sorted.
func (s *sorter) sortFirst(n int) {
	if n == 0 {
		return
	}
	best := s.ranks[:2*n]
	slices.SortFunc(best, s.compare)
	end := n
	for _, r := range s.ranks[2*n:] {
		if s.compare(r, best[n-1]) >= 0 {
			continue
		}
		best[end] = r
		if end++; end == 2*n {
			slices.SortFunc(best, s.compare)
			end = n
		}
	}
	slices.SortFunc(best[:end], s.compare)
}

// rankByScores makes keys of numbers. What is sorted by something that does
// not belong to it counts as 0.
func (s *sorter) rankByScores() (ok bool) {
	if s.by != nil {
		ok = true
		s.eachBelonging(s.by, s.ranks, func(i int, b belongings, found bool) {
			score := 0.0
			if found && ok {
				score, ok = b.score()
			}
			s.ranks[i].key = scoreKey(score)
		})
		return ok
	}
	for i := range s.ranks {
		score, ok := readScore(s.elements.at(i))
		if !ok {
			return false
		}
		s.ranks[i].key = scoreKey(score)
	}
	return true
}

// rankByTexts makes keys of the first bytes of texts.
func (s *sorter) rankByTexts() {
	if s.by == nil {
		for i := range s.ranks {
			s.ranks[i].key = textKey(s.elements.at(i))
		}
		return
	}
	s.eachBelonging(s.by, s.ranks, func(i int, b belongings, found bool) {
		s.orders.all = b.appendTo(s.orders.all)
		s.orders.ends = append(s.orders.ends, len(s.orders.all))
		s.ranks[i].key, s.ranks[i].lacks = textKey(s.orders.at(i)), !found
	})
}

// eachBelonging calls visit for what belongs to each of some elements.
func (s *sorter) eachBelonging(r *reference, ranks []rank, visit func(i int, b belongings, found bool)) {
	if !r.reaches {
		for i := range ranks {
			visit(i, belongings{text: s.elements.at(int(ranks[i].element))}, r.itself)
		}
		return
	}
	var keys [keyspace.LookupMost][]byte
	for from := 0; from < len(ranks); from += len(keys) {
		part := ranks[from:min(from+len(keys), len(ranks))]
		room := s.room[:0]
		for i := range part {
			begin := len(room)
			room = r.appendKey(room, s.elements.at(int(part[i].element)))
			keys[i] = room[begin:]
		}
		s.room = room
		s.tx.LookupAll(keys[:len(part)], func(i int, v keyspace.Value) {
			b, found := r.in(s.tx, v)
			visit(from+i, b, found)
		})
	}
}

// scoreKey is a number that is in the order of scores, 0 and -0 being the
// same.
func scoreKey(score float64) uint64 {
	bits := math.Float64bits(score + 0)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

// textKey is a number that is in the order of texts, as far as eight bytes
// tell.
func textKey(text []byte) uint64 {
	if len(text) >= 8 {
		return binary.BigEndian.Uint64(text)
	}
	var b [8]byte
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}

// compareEqual compares elements with the same key. In the end their own texts
// decide, so that the order does not depend on how they are kept.
func (s *sorter) compareEqual(a, b rank) int {
	if s.alpha && s.by != nil {
		switch {
		case a.lacks && !b.lacks:
			return -1
		case b.lacks && !a.lacks:
			return 1
		}
		if c := bytes.Compare(s.orders.at(int(a.element)), s.orders.at(int(b.element))); c != 0 {
			return c
		}
	}
	return bytes.Compare(s.elements.at(int(a.element)), s.elements.at(int(b.element)))
}

// readScore reads a number to sort by, as C's strtod does it for Redis: after
// blanks, in any of C's notations, and nothing at all is 0.
func readScore(text []byte) (score float64, ok bool) {
	if n, ok := command.ParseInt(text); ok {
		return float64(n), true
	}
	if len(text) == 0 {
		return 0, true
	}
	return keyspace.ParseDouble(bytes.TrimLeft(text, " \t\n\v\f\r"))
}
