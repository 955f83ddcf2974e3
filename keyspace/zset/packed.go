package zset

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/troupedb/troupe/keyspace/pack"
	"github.com/troupedb/troupe/keyspace/rank"
)

// packed is a sorted set in its packed form. Methods that change it do so in
// place as long as the result fits the slice's capacity, and return the
// result.
type packed []byte

// item is a member of a packed sorted set, and where it is.
type item struct {
	begin, end int
	text       []byte
	score      float64
}

// itemAt reads the member that begins at i.
func (b packed) itemAt(i int) (m item) {
	m.begin = i
	m.text, i = pack.Text(b, i)
	m.score, m.end = scoreAt(b, i)
	return m
}

// wholeMax bounds the whole numbers that are kept as varints: up to there a
// float64 has every one of them.
const wholeMax = 1 << 53

// scoreAt reads the score at b[i] and says where the next byte is.
func scoreAt(b []byte, i int) (score float64, next int) {
	n, next := pack.Length(b, i)
	if n == 0 {
		return math.Float64frombits(binary.LittleEndian.Uint64(b[next:])), next + 8
	}
	n-- // its lowest bit is the sign
	return float64(n>>1 ^ -(n & 1)), next
}

// pastScore is where the byte after the score at b[i] is.
func pastScore(b []byte, i int) (next int) {
	if b[i] == 0 {
		return i + 1 + 8
	}
	for b[i] >= 0x80 {
		i++
	}
	return i + 1
}

// wholeOf is the varint of a score, 0 if it has none. A zero loses its sign, as
// it does in a listpack.
func wholeOf(score float64) int {
	if score < -wholeMax || score > wholeMax {
		return 0
	}
	n := int(score)
	if float64(n) != score {
		return 0
	}
	return (n<<1 ^ n>>63) + 1
}

// scoreSize is how many bytes a score takes.
func scoreSize(score float64) int {
	if n := wholeOf(score); n > 0 {
		return pack.LengthSize(n)
	}
	return 1 + 8
}

// putScore writes a score to b[i:].
func putScore(b []byte, i int, score float64) {
	n := wholeOf(score)
	i = pack.PutLength(b, i, n)
	if n == 0 {
		binary.LittleEndian.PutUint64(b[i:], math.Float64bits(score))
	}
}

// len is the number of members.
func (b packed) len() int {
	n, _ := b.head()
	return n
}

// head reads the number of members and says where the first one is.
func (b packed) head() (members, first int) {
	if len(b) == 0 {
		return 0, 0
	}
	return pack.Length(b, 0)
}

// find looks for a member, and tells its rank.
func (b packed) find(text []byte) (m item, rank int, found bool) {
	_, i := b.head()
	for ; i < len(b); rank++ {
		n, at := pack.Length(b, i)
		if n == len(text) && string(b[at:at+n]) == string(text) {
			return b.itemAt(i), rank, true
		}
		i = pastScore(b, at+n)
	}
	return item{}, 0, false
}

// place is how many members lie before a bound, and where the next one begins.
func (b packed) place(bound rank.Bound) (before, begin int) {
	_, i := b.head()
	for i < len(b) {
		m := b.itemAt(i)
		if !bound.Precedes(m.score, m.text) {
			break
		}
		before, i = before+1, m.end
	}
	return before, i
}

// at is where the member of a rank begins, or the end.
func (b packed) at(rank int) (begin int) {
	_, i := b.head()
	for ; rank > 0; rank-- {
		i = b.past(i)
	}
	return i
}

// past is where the byte after the member that begins at i is.
func (b packed) past(i int) (next int) {
	n, at := pack.Length(b, i)
	return pastScore(b, at+n)
}

// each calls visit for the members of the ranks from first up to, and without,
// end, until it returns false.
func (b packed) each(first, end int, visit visitor) {
	for i := b.at(first); first < end; first++ {
		m := b.itemAt(i)
		if !visit(m.text, m.score) {
			return
		}
		i = m.end
	}
}

// eachBack is each from the last one back.
func (b packed) eachBack(first, end int, visit visitor) {
	var room [128]int
	begins := room[:0]
	for i := b.at(first); len(begins) < end-first; i = b.past(i) {
		begins = append(begins, i)
	}
	for n := len(begins) - 1; n >= 0; n-- {
		if m := b.itemAt(begins[n]); !visit(m.text, m.score) {
			return
		}
	}
}

// visitor is called for members, one after the other, until it returns false.
// It changes nothing.
type visitor func(member []byte, score float64) bool

// add puts in a member that is not there yet, where it belongs.
func (b packed) add(text []byte, score float64) packed {
	b = b.setLen(b.len() + 1)
	i := b.placeOf(text, score)
	b = pack.Splice(b, i, i, sizeOf(text, score))
	putScore(b, pack.Put(b, i, text), score)
	return b
}

// sizeOf is how many bytes a member takes.
func sizeOf(text []byte, score float64) int { return pack.Size(len(text)) + scoreSize(score) }

// placeOf is where the first member begins that does not come before one of
// that text and score.
func (b packed) placeOf(text []byte, score float64) (begin int) {
	_, i := b.head()
	for i < len(b) {
		n, at := pack.Length(b, i)
		other, next := scoreAt(b, at+n)
		if other > score || other == score && bytes.Compare(b[at:at+n], text) >= 0 {
			break
		}
		i = next
	}
	return i
}

// move gives a member another score, and the place that belongs to it.
func (b packed) move(m item, text []byte, score float64) packed {
	i, was, size := b.placeOf(text, score), m.end-m.begin, sizeOf(text, score)
	if i > m.begin {
		copy(b[m.begin:], b[m.end:i])
		i -= was
	} else {
		copy(b[i+was:], b[i:m.begin])
	}
	if size != was {
		b = pack.Splice(b, i, i+was, size)
	}
	putScore(b, pack.Put(b, i, text), score)
	return b
}

// append puts in a member that comes after all others.
func (b packed) append(text []byte, score float64) packed {
	b = b.setLen(b.len() + 1)
	i := len(b)
	b = pack.Splice(b, i, i, sizeOf(text, score))
	putScore(b, pack.Put(b, i, text), score)
	return b
}

// cut takes out members that lie in a row, from begin to end.
func (b packed) cut(begin, end, members int) packed {
	return packed(pack.Splice(b, begin, end, 0)).setLen(b.len() - members)
}

// setLen writes the number of members.
func (b packed) setLen(members int) packed {
	_, first := b.head()
	if size := pack.LengthSize(members); size != first {
		b = pack.Splice(b, 0, first, size)
	}
	pack.PutLength(b, 0, members)
	return b
}
