package dice

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupedb/troupe/resp"
)

// Places on the earth, which only the last of DiceDB's libraries knows:
//
//	GEOCoords    1 longitude double · 2 latitude double
//	GEOElement   1 member string · 2 GEOCoords · 3 distance double · 4 hash uint64

// place is what a GEOElement holds.
type place struct {
	member   string
	coords   coords
	distance float64
	hash     int64
}

// coords are 0 where there are none.
type coords struct{ longitude, latitude float64 }

// placeOf reads an item of GEOSEARCH's reply: a member, or one with what was
// asked for beside it, which its kind tells.
func placeOf(r *resp.Reply) (p place) {
	if r.Kind() != resp.List {
		return place{member: r.Str()}
	}
	for i := range r.Items() {
		switch item := &r.Items()[i]; {
		case i == 0:
			p.member = item.Str()
		case item.Kind() == resp.Number:
			p.hash = item.Int()
		case item.Kind() == resp.List:
			p.coords = coordsOf(item)
		default:
			p.distance = floatOf(item)
		}
	}
	return p
}

// coordsOf reads an item of GEOPOS's reply, which may be null.
func coordsOf(r *resp.Reply) (c coords) {
	if items := r.Items(); len(items) == 2 {
		c = coords{floatOf(&items[0]), floatOf(&items[1])}
	}
	return c
}

// floatOf is a number in a reply, where it may be a text; null is 0.
func floatOf(r *resp.Reply) float64 {
	if r.Kind() == resp.Decimal {
		return r.Float()
	}
	f, err := strconv.ParseFloat(r.Str(), 64)
	if err != nil {
		return 0
	}
	return f
}

// size is what the coordinates take as a message.
func (c coords) size() int { return sizeFloat(c.longitude) + sizeFloat(c.latitude) }

// append appends the coordinates as a field: one that is there even if it is
// empty, since a client takes it for given.
func (c coords) append(dst []byte, field int) []byte {
	dst = protowire.AppendVarint(appendTag(dst, field, protowire.BytesType), uint64(c.size()))
	return appendFloat(appendFloat(dst, 1, c.longitude), 2, c.latitude)
}

func (p *place) size() int {
	return sizeText(p.member) + 1 + protowire.SizeBytes(p.coords.size()) + sizeFloat(p.distance) + sizeNumber(p.hash)
}

func (p *place) append(dst []byte) []byte {
	dst = protowire.AppendVarint(appendTag(dst, 1, protowire.BytesType), uint64(p.size()))
	dst = p.coords.append(appendText(dst, 1, p.member), 2)
	return appendNumber(appendFloat(dst, 3, p.distance), 4, p.hash)
}

// appendFloat appends a field below 16, unless it is zero; sizeFloat is what it
// takes.
func appendFloat(dst []byte, field int, f float64) []byte {
	if f == 0 {
		return dst
	}
	return binary.LittleEndian.AppendUint64(appendTag(dst, field, protowire.Fixed64Type), math.Float64bits(f))
}

func sizeFloat(f float64) int {
	if f == 0 {
		return 0
	}
	return 1 + 8
}

// geoaddWords puts GEOADD's words into ours.
func geoaddWords(_ Protocol, argv [][]byte, _ int64) ([][]byte, resp.Reply) {
	options, places, refusal := sortOut(argv, []string{"NX", "XX", "CH"}, 3)
	return slices.Concat(argv[:2], options, places), refusal
}
