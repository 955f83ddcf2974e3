package bits

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
)

// operation is one of those of BITOP.
type operation uint8

const (
	and operation = iota
	or
	xor
	not
	diff  // the first without any of the others
	diff1 // any of the others without the first
	andor // the first with any of the others
	one   // exactly one
)

var operations = [...]string{"AND", "OR", "XOR", "NOT", "DIFF", "DIFF1", "ANDOR", "ONE"}

// oneAgainstOthers reports whether the first source stands against the union
// of the others.
func (op operation) oneAgainstOthers() bool { return op == diff || op == diff1 || op == andor }

// blockSize is how many bytes of each source are combined before the next:
// few enough that they and the result stay in the processor's first cache,
// however many sources there are.
const blockSize = 4096

// combine writes the combination of the sources, with zeros behind the
// shorter ones, to out, which is as long as the longest and none of them.
func (op operation) combine(out []byte, sources [][]byte) {
	var spare [blockSize]byte
	for at := 0; at < len(out); at += blockSize {
		block := out[at:min(at+blockSize, len(out))]
		op.combineBlock(block, spare[:len(block)], sources, at)
	}
}

// combineBlock is combine for the bytes from at on. spare is as long as out.
func (op operation) combineBlock(out, spare []byte, sources [][]byte, at int) {
	first, others := rest(sources[0], at), sources[1:]
	switch op {
	case diff:
		begin(out, first)
		unite(spare, others, at)
		subtract(out, spare)
	case diff1:
		unite(out, others, at)
		subtract(out, first)
	case andor:
		unite(out, others, at)
		intersect(out, first)
	case one:
		exactlyOne(out, spare, sources, at)
	case or:
		unite(out, sources, at)
	default:
		begin(out, first)
		op.fold(out, others, at)
	}
}

// fold changes out bit by bit by one source after the other.
func (op operation) fold(out []byte, others [][]byte, at int) {
	if op == not {
		invert(out)
	}
	for _, source := range others {
		if source = rest(source, at); op == and {
			intersect(out, source)
		} else {
			subtle.XORBytes(out, out, source)
		}
	}
}

// rest is a source from at on.
func rest(source []byte, at int) []byte { return source[min(at, len(source)):] }

// begin makes out what source is, with zeros behind it.
func begin(out, source []byte) { clear(out[copy(out, source):]) }

// The loops below take 32 bytes at a time, four numbers that do not wait for
// each other; the order of bytes in a number does not matter to them.

const stride = 32

func load(b []byte) uint64     { return binary.LittleEndian.Uint64(b) }
func store(b []byte, w uint64) { binary.LittleEndian.PutUint64(b, w) }

// unite makes out what any of the sources has from at on.
func unite(out []byte, sources [][]byte, at int) {
	begin(out, rest(sources[0], at))
	for _, source := range sources[1:] {
		o, s := out, rest(source, at)
		for ; len(o) >= stride && len(s) >= stride; o, s = o[stride:], s[stride:] {
			store(o, load(o)|load(s))
			store(o[8:], load(o[8:])|load(s[8:]))
			store(o[16:], load(o[16:])|load(s[16:]))
			store(o[24:], load(o[24:])|load(s[24:]))
		}
		for i := range min(len(o), len(s)) {
			o[i] |= s[i]
		}
	}
}

// intersect leaves in out what source has too.
func intersect(out, source []byte) {
	for ; len(out) >= stride && len(source) >= stride; out, source = out[stride:], source[stride:] {
		store(out, load(out)&load(source))
		store(out[8:], load(out[8:])&load(source[8:]))
		store(out[16:], load(out[16:])&load(source[16:]))
		store(out[24:], load(out[24:])&load(source[24:]))
	}
	both := min(len(out), len(source))
	for i := range both {
		out[i] &= source[i]
	}
	clear(out[both:])
}

// subtract leaves in out what source has not.
func subtract(out, source []byte) {
	for ; len(out) >= stride && len(source) >= stride; out, source = out[stride:], source[stride:] {
		store(out, load(out)&^load(source))
		store(out[8:], load(out[8:])&^load(source[8:]))
		store(out[16:], load(out[16:])&^load(source[16:]))
		store(out[24:], load(out[24:])&^load(source[24:]))
	}
	for i := range min(len(out), len(source)) {
		out[i] &^= source[i]
	}
}

// allOnes is as long as a block.
var allOnes = bytes.Repeat([]byte{0xff}, blockSize)

func invert(out []byte) { subtle.XORBytes(out, out, allOnes) }

// exactlyOne makes out what one and no other of the sources has. It keeps in
// again what it has met more than once.
func exactlyOne(out, again []byte, sources [][]byte, at int) {
	clear(again)
	begin(out, rest(sources[0], at))
	for _, source := range sources[1:] {
		o, g, s := out, again, rest(source, at)
		for ; len(o) >= 8 && len(g) >= 8 && len(s) >= 8; o, g, s = o[8:], g[8:], s[8:] {
			seen, more := load(o), load(s)
			store(g, load(g)|seen&more)
			store(o, seen|more)
		}
		for i := range min(len(o), len(s)) {
			g[i] |= o[i] & s[i]
			o[i] |= s[i]
		}
	}
	subtract(out, again)
}
