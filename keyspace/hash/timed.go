package hash

import (
	"encoding/binary"

	"github.com/troupedb/troupe/keyspace/pack"
)

// deadlineBytes is the size of a deadline in a timed packed hash.
const deadlineBytes = 6

func getDeadline(b []byte) int64 {
	return int64(binary.LittleEndian.Uint32(b)) | int64(binary.LittleEndian.Uint16(b[4:]))<<32
}

func putDeadline(b []byte, when int64) {
	binary.LittleEndian.PutUint32(b, uint32(when))
	binary.LittleEndian.PutUint16(b[4:], uint16(when>>32))
}

// deadline is when the pair at p ends, 0 for never.
func (b packed) deadline(p pair) int64 {
	if !p.ends() {
		return 0
	}
	return getDeadline(b[p.after:])
}

// setDeadline lets the pair at p, of a timed hash, end at a time, which is not
// 0.
func (b packed) setDeadline(p pair, when int64) packed {
	if !p.ends() {
		b = pack.Splice(b, p.after, p.after, deadlineBytes)
		b[p.begin] |= 1
	}
	putDeadline(b[p.after:], when)
	return b
}

// dropDeadline takes the deadline of the pair at p away, if it has one.
func (b packed) dropDeadline(p pair) packed {
	if !p.ends() {
		return b
	}
	b[p.begin] &^= 1
	return pack.Splice(b, p.after, p.end, 0)
}

// makeTimed returns a copy of a hash that is not timed as a timed one.
func (b packed) makeTimed() packed {
	fields, _, _ := b.head()
	timed := make(packed, 0, len(b)+deadlineBytes+pack.LengthMax).setHead(0, true)
	b.pairs(func(p pair) bool {
		timed = timed.add(p.fieldOf(b), p.valueOf(b))
		return true
	})
	return timed.setHead(fields, true)
}

// nearest is when the first field ends, 0 if none does.
func (b packed) nearest() (when int64) {
	if !b.timed() {
		return 0
	}
	b.pairs(func(p pair) bool {
		if p.ends() && (when == 0 || b.deadline(p) < when) {
			when = b.deadline(p)
		}
		return true
	})
	return when
}

// appendPast appends the fields whose deadline is not later than now.
func (b packed) appendPast(dst [][]byte, now int64) [][]byte {
	b.pairs(func(p pair) bool {
		if p.ends() && b.deadline(p) <= now {
			dst = append(dst, p.fieldOf(b))
		}
		return true
	})
	return dst
}

// removePast takes the fields out whose deadline is not later than now, in
// place, and says how many they were.
func (b packed) removePast(now int64) (left packed, removed int) {
	fields, timed, at := b.head()
	for i := at; i < len(b); {
		p := b.pairAt(i, timed)
		i = p.end
		if p.ends() && b.deadline(p) <= now {
			removed++
		} else {
			at += copy(b[at:], b[p.begin:p.end])
		}
	}
	return b[:at].setHead(fields-removed, timed), removed
}
