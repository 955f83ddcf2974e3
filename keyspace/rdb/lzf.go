package rdb

import "math/bits"

// LZF (Lehmann's liblzf) knows two things, bytes as they are and bytes that
// were there before:
//
//	000 5 bits  | bytes |                  that many and one more bytes
//	3 bits 5 bits | 8 bits |               2 more than the 3 bits (1 to 6) say, from
//	                                       where the 13 bits, and 1, lead back
//	111 5 bits | 8 bits | 8 bits |         the same, with 9 and the first 8 bits for the length
const (
	literalMax  = 32
	matchMin    = 3
	matchMax    = 2 + 7 + 255
	matchShort  = 2 + 6 // the longest that three bits tell
	distanceMax = 1 << 13
)

// decompressedSize is how many bytes some compressed ones stand for; ok is
// false if they do not end where they should.
func decompressedSize(in []byte) (size int, ok bool) {
	for i := 0; i < len(in); {
		first := int(in[i])
		switch length := first >> 5; length {
		case 0:
			size += first + 1
			i += 1 + first + 1
		case 7:
			if i+1 >= len(in) {
				return 0, false
			}
			size += 2 + length + int(in[i+1])
			i += 3
		default:
			size += 2 + length
			i += 2
		}
		if i > len(in) {
			return 0, false
		}
	}
	return size, true
}

// decompress gives the size bytes that some compressed ones stand for; ok is
// false if they stand for something else. Nothing is allocated before that is
// known.
func decompress(in []byte, size int) (out []byte, ok bool) {
	if n, ends := decompressedSize(in); !ends || n != size {
		return nil, false
	}
	out = make([]byte, 0, size)
	for len(in) > 0 {
		first := int(in[0])
		length := first >> 5
		if length == 0 {
			out = append(out, in[1:first+2]...)
			in = in[first+2:]
			continue
		}
		in = in[1:]
		if length == 7 {
			length += int(in[0])
			in = in[1:]
		}
		from := len(out) - (first&0x1f)<<8 - int(in[0]) - 1
		in = in[1:]
		if from < 0 {
			return nil, false
		}
		out = repeat(out, from, length+2)
	}
	return out, true
}

// repeat appends n bytes of out from a place on, which may be those that it
// appends.
func repeat(out []byte, from, n int) []byte {
	for n > 0 {
		part := out[from:min(from+n, len(out))]
		out = append(out, part...)
		from, n = from+len(part), n-len(part)
	}
	return out
}

// compressor compresses texts, one after the other. Its table says where three
// bytes with a hash were last seen: the place, and a base which rises from text
// to text, so that the table need not be emptied.
type compressor struct {
	table []uint32
	base  uint32 // of the present text
	next  uint32 // of the next one
}

const (
	hashBitsMin = 8
	hashBitsMax = 14
	// missesShift is after how many bytes in a row without a match, as a power
	// of two, another one is skipped at each step: what can't be compressed is
	// soon done with.
	missesShift = 6
)

// begin readies the table for a text, and returns the bits of a hash.
func (c *compressor) begin(size int) (hashBits int) {
	hashBits = min(max(bits.Len(uint(size)), hashBitsMin), hashBitsMax)
	switch {
	case len(c.table) < 1<<hashBits:
		c.table, c.next = make([]uint32, 1<<hashBits), 0
	case uint64(c.next)+uint64(size) >= 1<<32-1:
		clear(c.table)
		c.next = 0
	}
	c.base = c.next
	c.next += uint32(size) + 1
	return hashBits
}

// compress appends a text, compressed into at most limit bytes; ok is false if
// it does not fit.
func (c *compressor) compress(dst, text []byte, limit int) (out []byte, ok bool) {
	hashBits := c.begin(len(text))
	out, limit = dst, len(dst)+limit
	literal := 0 // where the bytes begin that are yet to be written as they are
	for i := 0; i+matchMin <= len(text); {
		from, found := c.find(text, i, hashBits)
		if !found {
			i += 1 + (i-literal)>>missesShift
			continue
		}
		length := matchLength(text, from, i)
		out = appendMatch(appendLiteral(out, text[literal:i]), i-from-1, length)
		if len(out) > limit {
			return dst, false
		}
		i += length
		literal = i
	}
	if len(out)+len(text)-literal > limit { // even without what tells how many
		return dst, false
	}
	out = appendLiteral(out, text[literal:])
	return out, len(out) <= limit
}

// find looks for the three bytes at i before it, near enough, and notes that
// they are at i.
func (c *compressor) find(text []byte, i, hashBits int) (from int, found bool) {
	three := uint32(text[i]) | uint32(text[i+1])<<8 | uint32(text[i+2])<<16
	slot := &c.table[three*2654435761>>(32-hashBits)] // Knuth's multiplier
	seen := *slot
	*slot = c.base + uint32(i) + 1
	if seen <= c.base {
		return 0, false
	}
	from = int(seen - c.base - 1)
	return from, i-from <= distanceMax && text[from] == text[i] && text[from+1] == text[i+1] && text[from+2] == text[i+2]
}

// matchLength is how far the texts at from and at i, behind it, are the same,
// at least three bytes.
func matchLength(text []byte, from, i int) (n int) {
	most := min(matchMax, len(text)-i)
	for n = matchMin; n < most && text[from+n] == text[i+n]; n++ {
	}
	return n
}

func appendLiteral(out, text []byte) []byte {
	for len(text) > 0 {
		n := min(literalMax, len(text))
		out = append(append(out, byte(n-1)), text[:n]...)
		text = text[n:]
	}
	return out
}

// appendMatch writes that length bytes were there before, distance and one
// bytes back.
func appendMatch(out []byte, distance, length int) []byte {
	if length <= matchShort {
		return append(out, byte((length-2)<<5|distance>>8), byte(distance))
	}
	return append(out, byte(7<<5|distance>>8), byte(length-2-7), byte(distance))
}
