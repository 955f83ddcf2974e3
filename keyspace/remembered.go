package keyspace

import "github.com/troupedb/troupe/keyspace/slab"

// What is asked for seldom comes back before it is asked for again, and begins
// as new each time: what it would take to stay, it never gets. So under an LFU
// policy a database remembers how much the keys were used that have gone to make
// room, and one that is made again goes on from there. TinyLFU (Einziger,
// Friedman and Manes, 2017) counts what is not there as well, to choose what to
// let in. Here all that is written comes in, and that decides how long it stays.

// remembered is the access clocks of the last keys of a database that went to
// make room, of about as many as it has keys. The zero remembered is empty and
// ready.
//
//	line, 64 bytes  | 16 marks of 4 |
//	mark            | clock, high 24 bits | print, of the key's hash, 8 bits |
//
// A hash has one place, so that a key is forgotten when another takes it. Lines
// are found, and grow and shrink in number, as the buckets of package table do.
type remembered struct {
	lines slab.Array[markLine]
	mask  uint64 // of the larger of the two depths: lines.Len() - 1 <= mask
}

const (
	lineMarks = 16
	placeAt   = 52 // in the hash, above what chooses the line
	printAt   = 44
	printBits = 8
)

type markLine [lineMarks]uint32

// at is the place of a hash. There must be lines.
func (r *remembered) at(hash uint64) *uint32 {
	i := hash & r.mask
	if i >= uint64(r.lines.Len()) {
		i &= r.mask >> 1
	}
	return &r.lines.At(int(i))[hash>>placeAt%lineMarks]
}

func newMark(hash uint64, stamp uint32) uint32 {
	return stamp<<printBits | uint32(uint8(hash>>printAt))
}

// put remembers the access clock of a key that goes.
func (r *remembered) put(hash uint64, stamp uint32) { *r.at(hash) = newMark(hash, stamp) }

// take forgets the access clock of a key that is made again, and returns it.
func (r *remembered) take(hash uint64) (stamp uint32, found bool) {
	mark := r.at(hash)
	stamp = *mark >> printBits
	if found = stamp != 0 && *mark == newMark(hash, stamp); found {
		*mark = 0
	}
	return stamp, found
}

// fit takes a step towards room for so many keys; a fourth more may stay. It
// promises a line at least.
func (r *remembered) fit(keys int) {
	switch have, want := r.lines.Len(), keys/lineMarks+1; {
	case have < want:
		r.mask |= uint64(have)
		from := uint64(have) & (r.mask >> 1) // whose other half it is: both have what either had
		line := r.lines.Grow()
		*line = markLine{}
		if have > 0 {
			*line = *r.lines.At(int(from))
		}
	case have > want+want/4:
		r.lines.Shrink()
		for r.mask>>1 >= uint64(have-2) && r.mask > 0 {
			r.mask >>= 1
		}
	}
}

// goes remembers how much the key of a value was used that goes to make room.
func (tx *Tx) goes(v *Value) {
	if !tx.Settings.LFU {
		return
	}
	v.d.gone.fit(v.d.keys.Len())
	v.d.gone.put(v.sh.hash(v.Key()), v.slot.Stamp())
	v.sh.remembers = true
}

// firstStamp is the access clock of a key that is made: that of a new one, or
// what is remembered with one use more.
func (tx *Tx) firstStamp(d *db, hash uint64) uint32 {
	if d.gone.lines.Len() == 0 || !tx.Settings.LFU {
		return tx.stamp
	}
	stamp, found := d.gone.take(hash)
	if !found {
		return tx.stamp
	}
	return max(tx.stamp, tx.used(stamp))
}

// forgetUses makes what a database remembers garbage.
func (sh *Shard) forgetUses(d *db) {
	if d.gone.lines.Len() > 0 {
		sh.garbage.marks = append(sh.garbage.marks, d.gone.lines)
		d.gone = remembered{}
	}
}

// forgetAllUses is forgetUses for all databases.
func (sh *Shard) forgetAllUses() {
	for i := range sh.dbs[:sh.opened] {
		sh.forgetUses(&sh.dbs[i])
	}
	sh.remembers = false
}

// sweepMarks frees as much of what was remembered.
func (sh *Shard) sweepMarks() (done bool) {
	g := &sh.garbage
	last := len(g.marks) - 1
	if !g.marks[last].CloseSome(closeSlice) {
		return false
	}
	g.marks = g.marks[:last]
	return true
}
