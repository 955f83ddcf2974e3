package geo

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// tell lists the results, each with what the options say.
func (q *query) tell(tx *keyspace.Tx) resp.Reply {
	list := tx.Items(len(q.results))
	if q.shown() == 1 {
		for i, r := range q.results {
			list[i] = resp.Bulk(q.found[r.nth].member)
		}
		return resp.Array(list...)
	}
	// Everything inside of the list lies in two pieces of memory.
	var texts []byte
	if q.withDistance {
		texts = make([]byte, 0, len(q.results)*distanceBytes)
	}
	room := make([]resp.Reply, 0, len(q.results)*(q.shown()+2))
	for i, r := range q.results {
		var parts []resp.Reply
		parts, texts, room = q.parts(r, texts, room)
		list[i] = resp.Array(parts...)
	}
	return resp.Array(list...)
}

// shown is how many parts a result has.
func (q *query) shown() (parts int) {
	parts = 1
	for _, also := range []bool{q.withDistance, q.withHash, q.withPlace} {
		if also {
			parts++
		}
	}
	return parts
}

// parts are those of one result. Texts are appended to texts, replies to room.
func (q *query) parts(r ranked, texts []byte, room []resp.Reply) (parts []resp.Reply, _ []byte, _ []resp.Reply) {
	f := &q.found[r.nth]
	p := placeOf(f.score)
	at := len(room)
	if q.withPlace {
		room = append(room, resp.Plain(p.longitude), resp.Plain(p.latitude))
	}
	place := room[at:len(room):len(room)]
	at = len(room)
	room = append(room, resp.Bulk(f.member))
	if q.withDistance {
		begin := len(texts)
		texts = appendDistance(texts, q.from.told(p, r.haversine, q.shape.unit))
		room = append(room, resp.Bulk(texts[begin:len(texts):len(texts)]))
	}
	if q.withHash {
		room = append(room, resp.Int(int64Of(f.score)))
	}
	if q.withPlace {
		room = append(room, resp.Array(place...))
	}
	return room[at:len(room):len(room)], texts, room
}

// distanceBytes is room for a distance: half round the earth in feet.
const distanceBytes = 16

// distanceUnits are those in which distances are told.
const distanceUnits = 10_000

// distanceLeast is 2^-11, in any unit: no less has no bits behind the 64th
// place.
const distanceLeast = 1.0 / (1 << 11)

// appendDistance appends a distance as C's "%.4f" does.
func appendDistance(dst []byte, distance float64) []byte {
	if distance < distanceLeast {
		return strconv.AppendFloat(dst, distance, 'f', 4, 64)
	}
	whole, fraction := math.Modf(distance)
	units, rest := bits.Mul64(uint64(fraction*(1<<64)), distanceUnits)
	if rest > 1<<63 || rest == 1<<63 && units&1 == 1 {
		units++
	}
	dst = strconv.AppendUint(dst, uint64(whole)+units/distanceUnits, 10)
	point := len(dst)
	dst = strconv.AppendUint(dst, distanceUnits+units%distanceUnits, 10) // the 1 in front keeps the zeros
	dst[point] = '.'
	return dst
}
