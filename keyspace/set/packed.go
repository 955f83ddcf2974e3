package set

import "github.com/troupedb/troupe/keyspace/pack"

// packed is a set in its packed form. Methods that change it do so in place as
// long as the result fits the slice's capacity, and return the result.
type packed []byte

// head reads the number of members and says where the first one is.
func (b packed) head() (members, first int) {
	if len(b) == 0 {
		return 0, 0
	}
	return pack.Length(b, 0)
}

// len is the number of members.
func (b packed) len() int {
	n, _ := b.head()
	return n
}

// find looks for a member, which lies in the bytes from begin to end.
func (b packed) find(text []byte) (begin, end int, found bool) {
	_, i := b.head()
	for i < len(b) {
		n, at := pack.Length(b, i)
		end = at + n
		if n == len(text) && string(b[at:end]) == string(text) {
			return i, end, true
		}
		i = end
	}
	return 0, 0, false
}

// each calls visit for every member until it returns false.
func (b packed) each(visit func(text []byte) bool) {
	_, i := b.head()
	for i < len(b) {
		text, next := pack.Text(b, i)
		if !visit(text) {
			return
		}
		i = next
	}
}

// add puts a member that is not there yet at the end.
func (b packed) add(text []byte) packed {
	b = b.setLen(b.len() + 1)
	i := len(b)
	b = pack.Splice(b, i, i, pack.Size(len(text)))
	pack.Put(b, i, text)
	return b
}

// remove takes out the member from begin to end.
func (b packed) remove(begin, end int) packed {
	n := b.len()
	return packed(pack.Splice(b, begin, end, 0)).setLen(n - 1)
}

// setLen writes the number of members.
func (b packed) setLen(n int) packed {
	_, first := b.head()
	if size := pack.LengthSize(n); size != first {
		b = pack.Splice(b, 0, first, size)
	}
	pack.PutLength(b, 0, n)
	return b
}
