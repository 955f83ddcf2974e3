package list

import "encoding/binary"

// headSize is the number of elements in front of those of a packed list.
const headSize = 2

// packed is a list in its packed form. One of no bytes has no elements.
type packed []byte

func (b packed) len() int {
	if len(b) == 0 {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b))
}

func (b packed) setLen(items int) { binary.LittleEndian.PutUint16(b, uint16(items)) }

// elements are the bytes of the elements.
func (b packed) elements() []byte {
	if len(b) == 0 {
		return nil
	}
	return b[headSize:]
}

// putAll writes the elements of texts to b, one after the other; if they are
// pushed at the left side, the last text comes first. b has their size.
func putAll(b []byte, texts [][]byte, at side) {
	if at == left {
		for _, text := range texts {
			n := len(b) - sizeOf(text)
			putElement(b[n:], text)
			b = b[:n]
		}
		return
	}
	for _, text := range texts {
		putElement(b, text)
		b = b[sizeOf(text):]
	}
}

// newPacked appends to dst a packed list of texts pushed at a side.
func newPacked(dst []byte, texts [][]byte, at side) packed {
	n := headSize + sizeOfAll(texts)
	if cap(dst) < n {
		dst = make([]byte, n)
	}
	b := packed(dst[:n])
	b.setLen(len(texts))
	putAll(b.elements(), texts, at)
	return b
}

// rotate moves the element at one end, a copy of whose text is given, to the
// other end.
func (b packed) rotate(from side, text []byte) {
	all, n := b.elements(), sizeOf(text)
	if from == left {
		copy(all, all[n:])
		putElement(all[len(all)-n:], text)
		return
	}
	copy(all[n:], all)
	putElement(all, text)
}
