package dice

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupedb/troupe/resp"
)

// Elements of sorted sets, of which a reply has three items each.
//
//	ZElement   1 score int64 · 2 member string · 3 rank int64, from 1 on
//
// In the time of Raw there were no sorted sets. An element is a Struct there,
// of numbers and a string by the same names.

// Element is a member of a sorted set. A Rank of 0 says that it is none.
type Element struct {
	Rank, Score int64
	Member      []byte
}

// ElementItems is how many items of a reply one element takes.
const ElementItems = 3

// ElementsMax is more elements than a message can hold, whatever they are.
const ElementsMax = MessageMax / (ElementItems * itemHead)

// AppendElement appends an element to the items of a reply.
func AppendElement(items []resp.Reply, e Element) []resp.Reply {
	return append(items, resp.Int(e.Rank), resp.Int(e.Score), resp.Bulk(e.Member))
}

// Score is a score as these protocols carry it: a whole number of 64 bits. The
// largest of those has become 2^63 on its way, and is given back.
func Score(score float64) (whole int64, ok bool) {
	const above = 1 << 63
	switch {
	case score == above:
		return math.MaxInt64, true
	case score != math.Trunc(score) || score < -above || score > above:
		return 0, false
	}
	return int64(score), true
}

// ErrScore is the answer instead of a score that these protocols do not carry.
var ErrScore = resp.Error("ERR the score is not a whole number of 64 bits, and this protocol carries no other: read it with a Redis client")

// nobody is the element of a reply that has none.
var nobody = []resp.Reply{resp.Zero, resp.Zero, resp.Empty}

// elementOf is the items of a reply that is one element, or null.
func elementOf(r *resp.Reply) []resp.Reply {
	if len(r.Items()) < ElementItems {
		return nobody
	}
	return r.Items()
}

// sizeElement is what the first element of the items takes as a ZElement.
func sizeElement(items []resp.Reply) int {
	return sizeNumber(items[1].Int()) + sizeText(items[2].Str()) + sizeNumber(items[0].Int())
}

// appendElement appends the first element of the items as a field.
func appendElement(dst []byte, field int, items []resp.Reply) []byte {
	dst = appendTag(dst, field, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(sizeElement(items)))
	dst = appendNumber(dst, 1, items[1].Int())
	dst = appendText(dst, 2, items[2].Str())
	return appendNumber(dst, 3, items[0].Int())
}
