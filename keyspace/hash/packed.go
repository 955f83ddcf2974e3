package hash

import (
	"github.com/troupedb/troupe/keyspace/pack"
)

// packed is a hash in its packed form, timed or not. Methods that change it do
// so in place as long as the result fits the slice's capacity, and return the
// result; a pair that was found is void afterwards.
type packed []byte

// pair is where the parts of a field and its value are in some bytes.
type pair struct {
	begin  int // of the pair: the field's length
	field  int // the field
	length int // the value's length, after the field
	value  int // the value
	after  int // the end of the value
	end    int // the end of the pair: after a deadline, if it has one
}

func (p *pair) fieldOf(b []byte) []byte { return b[p.field:p.length:p.length] }
func (p *pair) valueOf(b []byte) []byte { return b[p.value:p.after:p.after] }
func (p *pair) ends() bool              { return p.end > p.after }

// head reads the number of fields, whether the hash is timed, and where the
// first pair is.
func (b packed) head() (fields int, timed bool, first int) {
	if len(b) == 0 {
		return 0, false, 0
	}
	n, first := pack.Length(b, 0)
	return n >> 1, n&1 != 0, first
}

// len is the number of fields.
func (b packed) len() int {
	n, _, _ := b.head()
	return n
}

// timed reports whether fields have, or had, deadlines.
func (b packed) timed() bool { return len(b) > 0 && b[0]&1 != 0 }

// pairAt reads the lengths of the pair that begins at i.
func (b packed) pairAt(i int, timed bool) (p pair) {
	p.begin = i
	n, at := pack.Length(b, i)
	tail := 0
	if timed {
		n, tail = n>>1, deadlineBytes*(n&1)
	}
	p.field, p.length = at, at+n
	n, at = pack.Length(b, p.length)
	p.value, p.after = at, at+n
	p.end = p.after + tail
	return p
}

// find looks for a field.
func (b packed) find(field []byte) (p pair, found bool) {
	_, timed, i := b.head()
	if timed {
		return b.findTimed(field, i)
	}
	for i < len(b) {
		n, at := pack.Length(b, i)
		length := at + n
		if n == len(field) && string(b[at:length]) == string(field) {
			return b.pairAt(i, false), true
		}
		n, at = pack.Length(b, length)
		i = at + n
	}
	return pair{}, false
}

// findTimed is find in a timed hash, whose first pair is at i.
func (b packed) findTimed(field []byte, i int) (p pair, found bool) {
	for i < len(b) {
		p = b.pairAt(i, true)
		if p.length-p.field == len(field) && string(p.fieldOf(b)) == string(field) {
			return p, true
		}
		i = p.end
	}
	return pair{}, false
}

// pairs calls visit for every pair until it returns false.
func (b packed) pairs(visit func(p pair) bool) {
	_, timed, i := b.head()
	for i < len(b) {
		p := b.pairAt(i, timed)
		if !visit(p) {
			return
		}
		i = p.end
	}
}

// add puts a field that is not there yet at the end.
func (b packed) add(field, value []byte) packed {
	fields, timed, _ := b.head()
	b = b.setHead(fields+1, timed)
	length := len(field)
	if timed {
		length <<= 1
	}
	i := len(b)
	b = pack.Splice(b, i, i, pack.LengthSize(length)+len(field)+pack.Size(len(value)))
	i = pack.PutLength(b, i, length)
	pack.Put(b, i+copy(b[i:], field), value)
	return b
}

// replace gives the pair at p another value. Its deadline stays.
func (b packed) replace(p pair, value []byte) packed {
	b = pack.Splice(b, p.length, p.after, pack.Size(len(value)))
	pack.Put(b, p.length, value)
	return b
}

// remove takes the pair at p out.
func (b packed) remove(p pair) packed {
	fields, timed, _ := b.head()
	return packed(pack.Splice(b, p.begin, p.end, 0)).setHead(fields-1, timed)
}

// setHead writes the number of fields, and whether the hash is timed.
func (b packed) setHead(fields int, timed bool) packed {
	_, _, first := b.head()
	n := fields << 1
	if timed {
		n |= 1
	}
	if size := pack.LengthSize(n); size != first {
		b = pack.Splice(b, 0, first, size)
	}
	pack.PutLength(b, 0, n)
	return b
}
