package generic

import (
	"bytes"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
)

// reference is a pattern of BY or GET, which says what belongs to an element:
// a string, by its key, or a field of a hash. The element's text takes the
// place of the first star.
type reference struct {
	itself        bool // "#": the element
	reaches       bool // there is a star; else, and unless it is "#", nothing belongs to any element
	before, after []byte
	field         []byte // nil: a string
}

// parseReference reads a pattern: "weight_*", or with a field "user_*->age".
func parseReference(pattern []byte) *reference {
	star := bytes.IndexByte(pattern, '*')
	if star < 0 {
		return &reference{itself: string(pattern) == "#"}
	}
	r := &reference{reaches: true, before: pattern[:star], after: pattern[star+1:]}
	if arrow := bytes.Index(r.after, []byte("->")); arrow >= 0 && arrow+2 < len(r.after) {
		r.after, r.field = r.after[:arrow], r.after[arrow+2:]
	}
	return r
}

// appendKey appends the key of what belongs to an element.
func (r *reference) appendKey(dst, element []byte) []byte {
	return append(append(append(dst, r.before...), element...), r.after...)
}

// belongings is what belongs to an element: a text or, if it is kept as one, a
// number.
type belongings struct {
	text     []byte // in the slab, or that of the element
	number   int64
	isNumber bool
}

// in is what belongs to an element by what its key holds. A value of another
// type than that asked for has nothing.
func (r *reference) in(tx *keyspace.Tx, v keyspace.Value) (b belongings, found bool) {
	switch {
	case r.field != nil && v.Is(keyspace.Hash):
		e, found := tx.Kind(keyspace.Hash).Find(tx, v, r.field)
		return belongings{text: e.Value}, found
	case r.field != nil || !v.Is(keyspace.String):
		return belongings{}, false
	case v.Encoding() == keyspace.Int:
		return belongings{number: v.Int(), isNumber: true}, true
	}
	return belongings{text: v.Packed()}, true
}

// appendTo appends it as text.
func (b *belongings) appendTo(dst []byte) []byte {
	if b.isNumber {
		return strconv.AppendInt(dst, b.number, 10)
	}
	return append(dst, b.text...)
}

// score is it as a number to sort by.
func (b *belongings) score() (f float64, ok bool) {
	if b.isNumber {
		return float64(b.number), true
	}
	return readScore(b.text)
}
