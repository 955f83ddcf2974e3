package hash

import (
	"encoding/binary"
	"slices"
)

// packed is a hash in its packed form. Methods that change it do so in place
// as long as the result fits the slice's capacity, and return the result.
type packed []byte

// pair is where the parts of a field and its value are in some bytes.
type pair struct {
	begin  int // of the pair: the field's length
	field  int // the field
	length int // the value's length, after the field
	value  int // the value
	end    int // of the value, and so of the pair
}

// pairAt reads the two lengths of the pair that begins at i.
func pairAt(b []byte, i int) (p pair) {
	p.begin = i
	n, at := lengthAt(b, i)
	p.field, p.length = at, at+n
	n, at = lengthAt(b, p.length)
	p.value, p.end = at, at+n
	return p
}

func (p *pair) fieldOf(b []byte) []byte { return b[p.field:p.length:p.length] }
func (p *pair) valueOf(b []byte) []byte { return b[p.value:p.end:p.end] }

// lengthMax is the longest varint, in bytes: no text has 2^35 bytes.
const lengthMax = 5

// lengthAt reads the varint at b[i] and says where the next byte is.
func lengthAt(b []byte, i int) (n, next int) {
	if c := b[i]; c < 0x80 {
		return int(c), i + 1
	}
	return longLengthAt(b, i)
}

func longLengthAt(b []byte, i int) (n, next int) {
	for shift := 0; ; shift += 7 {
		c := b[i]
		i++
		n |= int(c&0x7f) << shift
		if c < 0x80 {
			return n, i
		}
	}
}

// lengthSize is how many bytes the varint n takes.
func lengthSize(n int) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// putLength writes the varint n to b[i:] and says where the next byte is.
func putLength(b []byte, i, n int) (next int) { return i + binary.PutUvarint(b[i:], uint64(n)) }

// textSize is how many bytes a text of n bytes takes with its length.
func textSize(n int) int { return lengthSize(n) + n }

// putText writes a text with its length to b[i:] and says where the next byte
// is.
func putText(b []byte, i int, text []byte) (next int) {
	i = putLength(b, i, len(text))
	return i + copy(b[i:], text)
}

// len is the number of fields.
func (b packed) len() int {
	n, _ := b.head()
	return n
}

// head reads the number of fields and says where the first pair is.
func (b packed) head() (fields, first int) {
	if len(b) == 0 {
		return 0, 0
	}
	n, first := lengthAt(b, 0)
	return n >> 1, first
}

// find looks for a field.
func (b packed) find(field []byte) (p pair, found bool) {
	_, i := b.head()
	for i < len(b) {
		n, at := lengthAt(b, i)
		length := at + n
		if n == len(field) && string(b[at:length]) == string(field) {
			return pairAt(b, i), true
		}
		n, at = lengthAt(b, length)
		i = at + n
	}
	return pair{}, false
}

// each calls visit for every field until it returns false.
func (b packed) each(visit func(field, value []byte) bool) {
	_, i := b.head()
	for i < len(b) {
		p := pairAt(b, i)
		if !visit(p.fieldOf(b), p.valueOf(b)) {
			return
		}
		i = p.end
	}
}

// add puts a field that is not there yet at the end.
func (b packed) add(field, value []byte) packed {
	fields, _ := b.head()
	b = b.setLen(fields + 1)
	i := len(b)
	b = b.splice(i, i, textSize(len(field))+textSize(len(value)))
	putText(b, putText(b, i, field), value)
	return b
}

// replace gives the pair at p another value.
func (b packed) replace(p pair, value []byte) packed {
	b = b.splice(p.length, p.end, textSize(len(value)))
	putText(b, p.length, value)
	return b
}

// remove takes the pair at p out.
func (b packed) remove(p pair) packed {
	fields, _ := b.head()
	return b.splice(p.begin, p.end, 0).setLen(fields - 1)
}

// setLen writes the number of fields.
func (b packed) setLen(fields int) packed {
	_, first := b.head()
	n := fields << 1
	if size := lengthSize(n); size != first {
		b = b.splice(0, first, size)
	}
	putLength(b, 0, n)
	return b
}

// splice makes the bytes from i to j n bytes, whose contents are undefined.
func (b packed) splice(i, j, n int) packed {
	length := len(b) + n - (j - i)
	all := slices.Grow(b, max(0, length-len(b)))[:length]
	copy(all[i+n:], b[j:])
	return all
}
