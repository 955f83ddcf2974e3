// Package list holds the lists and the commands on them.
//
// A list has one of two forms. While it is short (see limits) it is packed: in
// the bytes of its key's entry. A longer one is large: its elements lie in
// blocks in the shard's slab heap, each as long as a packed list may be, and a
// directory of two levels finds them. OBJECT ENCODING calls the forms listpack
// and quicklist. A large list becomes packed again when it has shrunk to half
// of what a packed one may have, as in Redis 7.2; 7.0 knows no packed lists.
//
//	packed   | number of elements, 2 | element | element | …
//	block    | unused | element | element | … | unused |
//	element  | length | text | length backwards |
//	length   a varint as encoding/binary has it, seven bits a byte, the lowest
//	         first; backwards its bytes come in the opposite order
//
// So an element of less than 128 bytes takes two bytes beside its text, and a
// walk goes either way. A longer text than a block may have is in a block of
// its own.
//
// Blocks are described in chunks, which lie in the slab heap too: the garbage
// collector sees one small object a list, and none of its blocks. Both ends of
// a block may have room, so that nothing moves when elements come and go at
// the ends of the list; in its middle a block at most moves.
//
//	block descriptor  | place 5 | elements 2 | size 4 | begin 4 | end 4 | mark 4 |
//	chunk             up to 256 descriptors
//	directory         place, length and number of elements of each chunk
//
// An element's block is found from the nearer end of the directory and then of
// the chunk: with blocks of 8 KB, 115,000 elements of 16 bytes are one chunk,
// and 10 million are 87.
package list

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]

// side is an end of a list.
type side bool

const (
	left  side = false
	right side = true
)

// limits bound a packed list, and a block of a large one: the bytes of its
// elements and their number. A block of a single element may have more bytes.
type limits struct{ bytes, items int }

// bytesByItems bounds a block whose number of elements is set, as in Redis.
const bytesByItems = 8 << 10

// limitsOf are those that list-max-listpack-size asks for.
func limitsOf(set *keyspace.Settings) limits {
	n := set.ListPackedSize
	if n >= 0 {
		return limits{bytesByItems, max(n, 1)}
	}
	return limits{4 << 10 << min(-n-1, 4), math.MaxInt}
}

// allow reports whether so many elements of so many bytes are within limits.
func (lim limits) allow(items, bytes int) bool { return items <= lim.items && bytes <= lim.bytes }

// half is half of the limits.
func (lim limits) half() limits { return limits{lim.bytes / 2, lim.items / 2} }
