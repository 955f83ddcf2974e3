// Package hll holds the HyperLogLogs: sketches of sets, of a few kilobytes at
// most, that know how many different elements they have seen, with a standard
// error of 0.81 percent.
//
// A sketch is a string, in Redis's format byte by byte, so that values go from
// one server to the other. It has 16,384 registers of 6 bits. An element's hash
// chooses a register, which holds the largest rank seen: one more than the
// zeros that the rest of the hash begins with, from below.
//
//	| "HYLL" | form 1 | unused 3 | cardinality 8 | registers |
//
// The cardinality, little-endian, is the one last counted; its highest bit
// says that registers have changed since. In the dense form (0) the registers
// follow each other, from the lowest bit of the first byte on, in 12,288 bytes.
// In the sparse form (1) they are runs of equal registers:
//
//	00nnnnnn            n+1 registers are 0
//	01nnnnnn nnnnnnnn   n+1 registers are 0
//	1vvvvvnn            n+1 registers are v+1
//
// A sketch begins sparse. It becomes dense when a rank is past 32 or when it
// would take more than hll-sparse-max-bytes, and stays so.
//
// PFCOUNT, which only reads, keeps what it has counted in the value, as in
// Redis: whoever watches the key hears of that.
package hll

import (
	"encoding/binary"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]

const (
	indexBits = 14
	registers = 1 << indexBits
	rankMax   = 64 - indexBits + 1

	magic      = "HYLL"
	headerSize = 16
	denseSize  = headerSize + registers*6/8

	staleBit = 1 << 63 // of the cardinality
)

// form is how the registers are kept.
type form byte

const (
	dense form = iota
	sparse
)

var (
	errNoSketch = resp.Error("WRONGTYPE Key is not a valid HyperLogLog string value.")
	errCorrupt  = resp.Error("INVALIDOBJ Corrupted HLL object detected")
)

// sketch is the bytes of a value whose header is in order.
type sketch []byte

// sketchOf is the sketch that a value is; if it is none, why.
func sketchOf(v keyspace.Value) (s sketch, mistake resp.Reply) {
	switch {
	case !v.Is(keyspace.String):
		return nil, resp.ErrWrongType
	case v.Encoding() == keyspace.Int:
		return nil, errNoSketch
	}
	s = v.Packed()
	if len(s) < headerSize || string(s[:len(magic)]) != magic || s.form() > sparse ||
		s.form() == dense && len(s) != denseSize {
		return nil, errNoSketch
	}
	return s, resp.Nothing
}

func (s sketch) form() form { return form(s[len(magic)]) }

// registers are what follows the header.
func (s sketch) registers() []byte { return s[headerSize:] }

func (s sketch) cardinality() []byte { return s[8:headerSize] }

// counted is the cardinality, if it is known.
func (s sketch) counted() (n uint64, known bool) {
	n = binary.LittleEndian.Uint64(s.cardinality())
	return n, n < staleBit
}

func (s sketch) setCounted(n uint64) { binary.LittleEndian.PutUint64(s.cardinality(), n) }

// spoil notes that registers have changed.
func (s sketch) spoil() { s[headerSize-1] |= staleBit >> 56 }

// count is the number of different elements. A sketch whose registers can't be
// read is not ok.
func (s sketch) count() (n uint64, ok bool) {
	var h histogram
	if s.form() == dense {
		h.addDense(s.registers())
	} else if !h.addSparse(s.registers()) {
		return 0, false
	}
	return h.estimate(), true
}

// newSketch appends an empty sketch to dst.
func newSketch(dst []byte) sketch {
	dst = append(dst, magic...)
	dst = append(dst, byte(sparse), 0, 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, staleBit)
	return appendZeros(dst, registers)
}
