package set

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// members is a set as a command reads it, in whichever form. The zero members
// is that of a missing key, and empty.
type members struct {
	ints   ints
	packed packed
	large  *large
}

// membersOf are those of a Value that is a set or missing.
func membersOf(v keyspace.Value) members {
	switch {
	case v.Missing():
		return members{}
	case v.IsObject():
		return members{large: v.Object().(*large)}
	case v.Encoding() == keyspace.Intset:
		return members{ints: v.Packed()}
	}
	return members{packed: v.Packed()}
}

// lookup finds the set of a reading command. If ok is false, the key holds
// something else.
func lookup(tx *keyspace.Tx, key []byte) (s members, ok bool) {
	v := tx.Lookup(key)
	if !v.Missing() && !v.Is(keyspace.Set) {
		return members{}, false
	}
	return membersOf(v), true
}

// len is the number of members.
func (s *members) len() int {
	switch {
	case s.large != nil:
		return s.large.Len()
	case len(s.ints) > 0:
		return s.ints.len()
	}
	return s.packed.len()
}

// has reports whether a text is a member.
func (s *members) has(text []byte) (found bool) {
	switch {
	case s.large != nil:
		_, found = s.large.Find(text)
	case len(s.ints) > 0:
		if n, isInt := command.ParseInt(text); isInt {
			_, found = s.ints.find(n)
		}
	default:
		_, _, found = s.packed.find(text)
	}
	return found
}

// digits keeps the texts of integers that have been visited, for as long as
// whoever visits them needs them.
type digits struct{ buf []byte }

// text writes an integer.
func (d *digits) text(n int64) []byte {
	start := len(d.buf)
	d.buf = strconv.AppendInt(d.buf, n, 10)
	return d.buf[start:len(d.buf):len(d.buf)]
}

// each calls visit for every member until it returns false: integers in rising
// order, with their texts in d, packed ones in the order in which they came.
func (s *members) each(d *digits, visit func(text []byte) bool) {
	switch {
	case s.large != nil:
		s.large.Each(func(e dict.Element) bool { return visit(e.Text) })
	case len(s.ints) > 0:
		for i := range s.ints.len() {
			if !visit(d.text(s.ints.at(i))) {
				return
			}
		}
	default:
		s.packed.each(visit)
	}
}

// list makes the items of a reply that shows the whole set. Digits are in the
// turn's buffer.
func (s *members) list(tx *keyspace.Tx) []resp.Reply {
	items := tx.Items(s.len())[:0]
	d := digits{tx.Scratch()}
	s.each(&d, func(text []byte) bool {
		items = append(items, resp.Bulk(text))
		return true
	})
	tx.KeepScratch(d.buf)
	return items
}
