package list

import "github.com/troupedb/troupe/keyspace/pack"

// sizeOf is how many bytes an element of that text takes.
func sizeOf(text []byte) int {
	n := len(text)
	if n < 0x80 {
		return n + 2
	}
	return n + 2*pack.LengthSize(n)
}

// sizeOfAll is how many bytes the elements of these texts take.
func sizeOfAll(texts [][]byte) (n int) {
	for _, text := range texts {
		n += sizeOf(text)
	}
	return n
}

// putElement writes an element to b, which begins and goes on to at least
// where the element ends.
func putElement(b, text []byte) {
	n := len(text)
	if n < 0x80 {
		b[0], b[n+1] = byte(n), byte(n)
		copy(b[1:], text)
		return
	}
	k := pack.PutLength(b, 0, n)
	end := k + copy(b[k:], text) + k
	for i := range k {
		b[end-1-i] = b[i]
	}
}

// elementAt reads the element that begins at b[i] and says where it ends.
func elementAt(b []byte, i int) (text []byte, end int) {
	if n := int(b[i]); n < 0x80 {
		end = i + n + 2
		return b[i+1 : end-1 : end-1], end
	}
	n, at := pack.Length(b, i)
	return b[at : at+n : at+n], at + n + at - i
}

// elementBefore reads the element that ends at b[:end] and says where it
// begins.
func elementBefore(b []byte, end int) (text []byte, begin int) {
	n := int(b[end-1])
	if n < 0x80 {
		begin = end - n - 2
		return b[begin+1 : end-1 : end-1], begin
	}
	n &= 0x7f
	at := end - 1 // of a byte of the length
	for shift := 7; b[at] >= 0x80; shift += 7 {
		at--
		n |= int(b[at]&0x7f) << shift
	}
	return b[at-n : at : at], at - n - (end - at)
}

// skip says where element n of those in b, of items elements, begins; element
// items is the end of b. It walks from the nearer end.
func skip(b []byte, items, n int) (at int) {
	if n <= items/2 {
		for ; n > 0; n-- {
			_, at = elementAt(b, at)
		}
		return at
	}
	at = len(b)
	for ; n < items; n++ {
		_, at = elementBefore(b, at)
	}
	return at
}

// countIn is how many elements b has.
func countIn(b []byte) (n int) {
	for at := 0; at < len(b); n++ {
		_, at = elementAt(b, at)
	}
	return n
}
