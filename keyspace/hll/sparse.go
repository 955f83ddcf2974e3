package hll

import (
	"encoding/binary"
	"slices"
)

// word is how several registers or runs are read as one number.
var word = binary.LittleEndian

// What a run may say.
const (
	zerosMax    = 64   // registers of a short run of zeros
	valuesMax   = 4    // registers of a run of others
	valueMax    = 32   // the largest rank
	longZeros   = 0x40 // marks a long run of zeros
	values      = 0x80 // marks a run of others
	zerosMask   = 0x3f // of a byte, the registers of a run of zeros
	valueShift  = 2    // where the rank is
	valuesMask  = 0x03 // the registers of a run of others
	seqMax      = 5    // bytes that a long run takes, split around a register
	mergeWithin = 5    // looks at runs, for merging neighbours
)

// run is so many equal registers, kept in so many bytes.
type run struct {
	length, size int
	value        byte
}

// runAt is the run that begins at ops[at]. A long one that is cut off reads as
// if zeros followed.
func runAt(ops []byte, at int) run {
	switch b := ops[at]; {
	case b&values != 0:
		return run{int(b&valuesMask) + 1, 1, b&^values>>valueShift + 1}
	case b&longZeros == 0:
		return run{int(b) + 1, 1, 0}
	case at+1 < len(ops):
		return run{int(b&zerosMask)<<8 + int(ops[at+1]) + 1, 2, 0}
	default:
		return run{int(b&zerosMask)<<8 + 1, 1, 0}
	}
}

// appendZeros appends a run of zeros.
func appendZeros(dst []byte, length int) []byte {
	if length == 0 {
		return dst
	}
	if length--; length < zerosMax {
		return append(dst, byte(length))
	}
	return append(dst, longZeros|byte(length>>8), byte(length))
}

func valuesRun(value byte, length int) byte {
	return values | (value-1)<<valueShift | byte(length-1)
}

// appendRun appends a run as short as it can be. Those of other than zero have
// at most valuesMax registers.
func appendRun(dst []byte, value byte, length int) []byte {
	if value == 0 || length == 0 {
		return appendZeros(dst, length)
	}
	return append(dst, valuesRun(value, length))
}

// spot is where the run with a register stands.
type spot struct {
	at, before int // the run's first byte, and that of the one before it or -1
	first      int // register of the run
}

// find finds the run with a register. It is not ok if there is none.
func find(ops []byte, index int) (s spot, r run, ok bool) {
	s = skip(ops, index)
	for s.at < len(ops) {
		if r = runAt(ops, s.at); index < s.first+r.length {
			return s, r, true
		}
		s = spot{at: s.at + r.size, before: s.at, first: s.first + r.length}
	}
	return s, r, false
}

// skip goes over runs, eight at a time, as long as the register is behind
// them and none is a long one of zeros, which stand in two bytes.
func skip(ops []byte, index int) spot {
	const each = 0x0101010101010101
	s := spot{before: -1}
	for s.at+8 <= len(ops) {
		w := word.Uint64(ops[s.at:])
		if w<<1&^w&(each*values) != 0 {
			next := runAt(ops, s.at)
			if index < s.first+next.length {
				return s
			}
			s = spot{at: s.at + next.size, before: s.at, first: s.first + next.length}
			continue
		}
		isValues := w >> 7 & each
		lengths := w&(each*zerosMask&^(isValues*(zerosMask&^valuesMask))) + each
		lengths = lengths&0x00ff00ff00ff00ff + lengths>>8&0x00ff00ff00ff00ff
		total := int(lengths * 0x0001000100010001 >> 48)
		if index < s.first+total {
			return s
		}
		s = spot{at: s.at + 8, before: s.at + 7, first: s.first + total}
	}
	return s
}

// raiseSparse makes a register of a sparse sketch at least rank, and reports
// whether it was less. The sketch may become dense: it does if it would be
// longer than most bytes. It changes its own memory, and may move to other.
// One whose registers can't be read is not ok.
//
// The steps are those of Redis's, so that the same elements in the same order
// give the same bytes.
func (s sketch) raiseSparse(index int, rank byte, most int) (after sketch, raised, ok bool) {
	here, r, ok := find(s.registers(), index)
	if !ok || r.value >= rank {
		return s, false, ok
	}
	after, ok = s.raiseAt(target{here, r, index, rank}, most)
	return after, ok, ok
}

// target is a register that holds less than a rank, and where it was found.
type target struct {
	here  spot
	run   run
	index int
	rank  byte
}

// raiseAt is raiseSparse for a register that was found.
func (s sketch) raiseAt(t target, most int) (after sketch, ok bool) {
	here, r := t.here, t.run
	if t.rank > valueMax {
		return s.promote(t)
	}
	var room [seqMax]byte
	seq := appendRun(room[:0], r.value, t.index-here.first)
	seq = append(seq, valuesRun(t.rank, 1))
	seq = appendRun(seq, r.value, here.first+r.length-1-t.index)
	if len(seq) > r.size && len(s)+len(seq)-r.size > most {
		return s.promote(t)
	}
	at := headerSize + here.at
	s = slices.Replace(s, at, at+r.size, seq...)
	s = s.merge(headerSize + max(here.before, 0))
	s.spoil()
	return s, true
}

// promote makes a sketch dense and then raises a register.
func (s sketch) promote(t target) (after sketch, ok bool) {
	d, ok := s.toDense()
	if !ok {
		return s, false
	}
	raiseDense(d.registers(), t.index, t.rank)
	d.spoil()
	return d, true
}

// merge makes one of neighbouring runs of the same value from a place on, as
// far as a change around it may have made some.
func (s sketch) merge(at int) sketch {
	for looks := mergeWithin; at < len(s) && looks > 0; looks-- {
		r := runAt(s, at)
		if r.value > 0 && at+1 < len(s) {
			next := runAt(s, at+1)
			if next.value == r.value && r.length+next.length <= valuesMax {
				s[at] = valuesRun(r.value, r.length+next.length)
				s = slices.Delete(s, at+1, at+2)
				continue
			}
		}
		at += r.size
	}
	return s
}
