package hash

import "github.com/troupedb/troupe/keyspace/pack"

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
	n, at := pack.Length(b, i)
	p.field, p.length = at, at+n
	n, at = pack.Length(b, p.length)
	p.value, p.end = at, at+n
	return p
}

func (p *pair) fieldOf(b []byte) []byte { return b[p.field:p.length:p.length] }
func (p *pair) valueOf(b []byte) []byte { return b[p.value:p.end:p.end] }

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
	n, first := pack.Length(b, 0)
	return n >> 1, first
}

// find looks for a field.
func (b packed) find(field []byte) (p pair, found bool) {
	_, i := b.head()
	for i < len(b) {
		n, at := pack.Length(b, i)
		length := at + n
		if n == len(field) && string(b[at:length]) == string(field) {
			return pairAt(b, i), true
		}
		n, at = pack.Length(b, length)
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
	b = pack.Splice(b, i, i, pack.Size(len(field))+pack.Size(len(value)))
	pack.Put(b, pack.Put(b, i, field), value)
	return b
}

// replace gives the pair at p another value.
func (b packed) replace(p pair, value []byte) packed {
	b = pack.Splice(b, p.length, p.end, pack.Size(len(value)))
	pack.Put(b, p.length, value)
	return b
}

// remove takes the pair at p out.
func (b packed) remove(p pair) packed {
	fields, _ := b.head()
	return packed(pack.Splice(b, p.begin, p.end, 0)).setLen(fields - 1)
}

// setLen writes the number of fields.
func (b packed) setLen(fields int) packed {
	_, first := b.head()
	n := fields << 1
	if size := pack.LengthSize(n); size != first {
		b = pack.Splice(b, 0, first, size)
	}
	pack.PutLength(b, 0, n)
	return b
}
