package dice

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupedb/troupe/resp"
)

// shape is how a reply stands in a command's own message of Result: nothing, or
// what the reply is in field 1. As in all of proto3, what is empty or zero is
// left out.
type shape uint8

const (
	emptyShape    shape = iota // the reply says nothing but that all is well
	textShape                  // string; "" also for null
	numberShape                // int64
	truthShape                 // bool
	textsShape                 // repeated string
	pairsShape                 // repeated message {1 key string · 2 value string}
	elementsShape              // repeated ZElement; see AppendElement
	elementShape               // ZElement, but in field 2; field 1 is the rank once more
	distanceShape              // double
	coordsShape                // repeated GEOCoords
	placesShape                // repeated GEOElement
)

// size is the number of bytes that append appends.
func (s shape) size(r *resp.Reply) (n int) {
	switch s {
	case textShape:
		return sizeText(r.Str())
	case numberShape:
		return sizeNumber(r.Int())
	case truthShape:
		return sizeNumber(min(r.Int(), 1))
	case textsShape:
		for _, item := range r.Items() {
			n += 1 + protowire.SizeBytes(len(item.Str()))
		}
	case pairsShape:
		for items := r.Items(); len(items) > 1; items = items[2:] {
			n += 1 + protowire.SizeBytes(sizeText(items[0].Str())+sizeText(items[1].Str()))
		}
	case elementsShape:
		for items := r.Items(); len(items) >= ElementItems; items = items[ElementItems:] {
			n += 1 + protowire.SizeBytes(sizeElement(items))
		}
	case elementShape:
		e := elementOf(r)
		return sizeNumber(e[0].Int()) + 1 + protowire.SizeBytes(sizeElement(e))
	case distanceShape:
		return sizeFloat(floatOf(r))
	case coordsShape:
		for i := range r.Items() {
			n += 1 + protowire.SizeBytes(coordsOf(&r.Items()[i]).size())
		}
	case placesShape:
		for i := range r.Items() {
			p := placeOf(&r.Items()[i])
			n += 1 + protowire.SizeBytes(p.size())
		}
	}
	return n
}

func (s shape) append(dst []byte, r *resp.Reply) []byte {
	switch s {
	case textShape:
		return appendText(dst, 1, r.Str())
	case numberShape:
		return appendNumber(dst, 1, r.Int())
	case truthShape:
		return appendNumber(dst, 1, min(r.Int(), 1))
	case textsShape:
		for _, item := range r.Items() {
			dst = protowire.AppendString(appendTag(dst, 1, protowire.BytesType), item.Str())
		}
	case pairsShape:
		dst = appendPairs(dst, r.Items())
	case elementsShape:
		for items := r.Items(); len(items) >= ElementItems; items = items[ElementItems:] {
			dst = appendElement(dst, 1, items)
		}
	case elementShape:
		e := elementOf(r)
		dst = appendElement(appendNumber(dst, 1, e[0].Int()), 2, e)
	case distanceShape:
		return appendFloat(dst, 1, floatOf(r))
	case coordsShape:
		for i := range r.Items() {
			dst = coordsOf(&r.Items()[i]).append(dst, 1)
		}
	case placesShape:
		for i := range r.Items() {
			p := placeOf(&r.Items()[i])
			dst = p.append(dst)
		}
	}
	return dst
}

func appendPairs(dst []byte, items []resp.Reply) []byte {
	for ; len(items) > 1; items = items[2:] {
		key, value := items[0].Str(), items[1].Str()
		dst = appendTag(dst, 1, protowire.BytesType)
		dst = protowire.AppendVarint(dst, uint64(sizeText(key)+sizeText(value)))
		dst = appendText(dst, 1, key)
		dst = appendText(dst, 2, value)
	}
	return dst
}

func appendTag(dst []byte, field int, kind protowire.Type) []byte {
	return protowire.AppendTag(dst, protowire.Number(field), kind)
}

// appendText and appendNumber append a field below 16, unless it is zero;
// sizeText and sizeNumber are what they take.
func appendText(dst []byte, field int, s string) []byte {
	if s == "" {
		return dst
	}
	return protowire.AppendString(appendTag(dst, field, protowire.BytesType), s)
}

func sizeText(s string) int {
	if s == "" {
		return 0
	}
	return 1 + protowire.SizeBytes(len(s))
}

func appendNumber(dst []byte, field int, n int64) []byte {
	if n == 0 {
		return dst
	}
	return protowire.AppendVarint(appendTag(dst, field, protowire.VarintType), uint64(n))
}

func sizeNumber(n int64) int {
	if n == 0 {
		return 0
	}
	return 1 + protowire.SizeVarint(uint64(n))
}
