package set

import (
	"encoding/binary"
	"math"
	"sort"

	"github.com/troupedb/troupe/keyspace/pack"
)

// ints is a set of integers: see the package comment. Methods that change it
// do so in place as long as the result fits the slice's capacity, and return
// the result.
type ints []byte

// widthOf is how many bytes an integer needs.
func widthOf(n int64) int {
	switch {
	case n >= math.MinInt16 && n <= math.MaxInt16:
		return 2
	case n >= math.MinInt32 && n <= math.MaxInt32:
		return 4
	}
	return 8
}

// width is how many bytes each integer takes. There must be one.
func (b ints) width() int { return int(b[0]) }

// len is the number of members.
func (b ints) len() int {
	if len(b) == 0 {
		return 0
	}
	return (len(b) - 1) / b.width()
}

// at is the ith member, from 0, in rising order.
func (b ints) at(i int) int64 { return getInt(b, i, b.width()) }

// getInt reads the ith integer of those of a width.
func getInt(b []byte, i, width int) int64 {
	b = b[1+i*width:]
	switch width {
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

func putInt(b []byte, i, width int, n int64) {
	b = b[1+i*width:]
	switch width {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(n))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(n))
	default:
		binary.LittleEndian.PutUint64(b, uint64(n))
	}
}

// find is the place of a member, or the one where it would be.
func (b ints) find(n int64) (i int, found bool) {
	i = sort.Search(b.len(), func(i int) bool { return b.at(i) >= n })
	return i, i < b.len() && b.at(i) == n
}

// longest is the length of the longest member's text.
func (b ints) longest() int {
	if len(b) == 0 {
		return 0
	}
	var d digits
	return max(len(d.text(b.at(0))), len(d.text(b.at(b.len()-1))))
}

// insert adds a member that is not there at its place, as find told it.
func (b ints) insert(i int, n int64) ints {
	need := widthOf(n)
	if len(b) == 0 {
		b = append(b, byte(need))
	} else if need > b.width() {
		b = b.widen(need)
	}
	width := b.width()
	b = pack.Splice(b, 1+i*width, 1+i*width, width)
	putInt(b, i, width, n)
	return b
}

// widen makes each member take so many bytes.
func (b ints) widen(width int) ints {
	n, was := b.len(), b.width()
	b = pack.Splice(b, len(b), len(b), n*(width-was))
	for i := n - 1; i >= 0; i-- { // from the end: none is written over before it is read
		putInt(b, i, width, getInt(b, i, was))
	}
	b[0] = byte(width)
	return b
}

// remove takes the ith member out.
func (b ints) remove(i int) ints {
	width := b.width()
	return pack.Splice(b, 1+i*width, 1+(i+1)*width, 0)
}
