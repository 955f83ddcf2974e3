package keyspace

import (
	"errors"

	"github.com/troupedb/troupe/keyspace/table"
)

// A save writes down all keys as they are at one moment, the cut, while the
// shards go on serving. Each table is walked in slices, in the order of its
// cursor, which no growth of the table upsets. So of every key it is known
// whether the walk has come to it: by the position of its hash. A key that it
// has not come to is saved early, before the first change that would be made to
// it, and marked (flagKept), as are keys that come into being in that part of
// the table: the walk passes over those. No key is saved twice, and none twice
// in memory.
//
// Large values are frozen instead, when the walk comes to them or before they
// are changed, and written after all others, one at a time: see Frozen.

// Image is how what is saved becomes bytes: a format of files. Each shard has
// its own.
type Image interface {
	// Database says which database the entries belong to that follow.
	Database(dst []byte, db int) []byte
	// Entry appends a key with its value.
	Entry(dst []byte, tx *Tx, v Value) []byte
	// Begin begins the entry of a large value; its elements follow.
	Begin(dst []byte, l Large) []byte
	// Element appends the next element of the value begun last.
	Element(dst []byte, l Large, e Element) []byte
	// End ends the entry.
	End(dst []byte, l Large) []byte
}

// saving is a shard's part of a save.
type saving struct {
	image   Image // nil for one that was given up, which only ends its walk
	sources []*source
	early   []byte // what had to be saved before the walk came to it
	earlyDB int    // the database that early's last entry belongs to
	bytesDB int    // likewise of the walk's
	large   []*large
	objects map[Object]*large // the same, by their Objects
	kept    int64             // what they keep beside their values, in bytes
	scratch []byte
	slots   []*table.Slot // that the walk has come to
	cold    []ColdEntry
	keys    int
	weight  int // bytes of what was saved whole, in this slice
	err     error
}

// source is a table that is being walked.
type source struct {
	at     *db // where the table is now
	db     int // the database that it was at the cut
	cursor uint64
	// left is set for one that was flushed meanwhile: it belongs to nobody else.
	left bool
}

// errRebuilt: a shard has failed meanwhile, and begun anew.
var errRebuilt = errors.New("a shard was rebuilt")

// errLateSave is a fault of the program: a key was changed before it was saved.
var errLateSave = errors.New("a key was changed before it was saved")

// StartSave begins a save of the shards at hand as they are now. image makes
// the form that each of them saves in.
func (tx *Tx) StartSave(image func() Image) {
	tx.EachShard(func(sh *Shard) {
		s := &saving{image: image(), earlyDB: -1, bytesDB: -1, objects: map[Object]*large{}}
		for i := range sh.dbs[:sh.opened] {
			d := &sh.dbs[i]
			if d.keys != nil && d.keys.Len() > 0 {
				d.saving = &source{at: d, db: i}
				s.sources = append(s.sources, d.saving)
			}
		}
		sh.save = s
	})
}

// Saving reports whether one of the shards at hand is being saved.
func (tx *Tx) Saving() (is bool) {
	tx.EachShard(func(sh *Shard) { is = is || sh.save != nil })
	return is
}

// SaveSome appends some of what is to be saved of the one shard at hand, about
// so many bytes, and reports whether all is said but for large values. That may
// be more if much had to be saved early.
func (tx *Tx) SaveSome(dst []byte, most int) (out []byte, done bool) {
	sh := tx.only
	s := sh.save
	if s == nil { // the shard was rebuilt
		return dst, true
	}
	end := len(dst) + len(s.early) + most
	dst, s.bytesDB = s.takeEarly(dst)
	s.weight = 0
	part := 1
	for steps := 0; len(s.sources) > 0 && len(dst) < end && steps < saveSteps && s.weight < weightMax; steps++ {
		src := s.sources[0]
		db := home{sh, src.at}
		next := src.cursor
		slots := s.slots[:0]
		for more := true; more; more = next != 0 && len(slots) < part {
			next = src.at.keys.Walk(next, func(slot *table.Slot) { slots = append(slots, slot) })
		}
		tx.warmSlots(sh, slots)
		for _, slot := range slots {
			dst = tx.saveSlot(dst, db, src.db, slot)
		}
		s.slots = slots
		part = warmPart
		if s.weight > (steps+1)*weightMax/4 { // long values
			part = 1
		}
		if src.cursor = next; next == 0 {
			sh.endSource(src)
		}
	}
	s.bytesDB = -1
	return dst, len(s.sources) == 0
}

// takeEarly appends what was saved early, and says which database its last entry
// belongs to.
func (s *saving) takeEarly(dst []byte) (out []byte, last int) {
	dst, last = append(dst, s.early...), s.earlyDB
	if cap(s.early) > earlyKept {
		s.early = nil
	}
	s.early, s.earlyDB = s.early[:0], -1
	return dst, last
}

// earlyKept bounds, in bytes, the buffer for what is saved early that a shard
// keeps while it is saved.
const earlyKept = 1 << 20

// saveSteps bounds the steps that one slice of a save takes, and weightMax about how
// many bytes it looks at, which may be many more than it appends: compressing them
// takes time.
const (
	saveSteps = 128
	weightMax = 64 << 10
)

// saveSlot saves the key of a slot that the walk has come to.
func (tx *Tx) saveSlot(dst []byte, at home, db int, slot *table.Slot) []byte {
	v := Value{home: at, slot: slot, head: readHeader(at.sh.mem, slot.Ref())}
	if v.head.has(flagKept) {
		v.setKept(false)
		return dst
	}
	return tx.saveValue(dst, &v, db, &at.sh.save.bytesDB)
}

// saveValue saves a value, or freezes it. last is the database that the bytes
// belong to so far.
func (tx *Tx) saveValue(dst []byte, v *Value, db int, last *int) []byte {
	s := v.sh.save
	if s.image == nil {
		return dst
	}
	s.keys++
	if v.head.cold {
		tx.noteCold(v, db)
		return dst
	}
	if tx.freeze(v, db) {
		return dst
	}
	s.weight += v.head.size()
	if v.head.object() {
		s.weight += int(v.Object().Bytes())
	}
	if *last != db {
		dst, *last = s.image.Database(dst, db), db
	}
	scratch := tx.scratch // a command may have built something there
	tx.scratch = s.scratch
	dst = s.image.Entry(dst, tx, *v)
	s.scratch, tx.scratch = tx.scratch, scratch
	return dst
}

// setKept marks an entry as saved, or takes the mark away.
func (v *Value) setKept(kept bool) {
	v.head.flags &^= flagKept
	if kept {
		v.head.flags |= flagKept
	}
	*v.flags() = v.head.flags
}

// flags are those of the value's entry, as they are now.
func (v *Value) flags() *byte { return &v.sh.mem.Bytes(v.slot.Ref(), entryMin)[1] }

// ahead reports whether the walk of a save has yet to come to a hash.
func (d *db) ahead(hash uint64) bool {
	return d.saving != nil && table.Position(hash) >= d.saving.cursor
}

// keep saves a value that may be about to change, unless that was done.
func (tx *Tx) keep(v *Value) {
	if v.d.saving == nil {
		return
	}
	if v.head.flags |= *v.flags() & flagKept; v.head.has(flagKept) || !v.d.ahead(v.sh.hash(v.Key())) {
		return
	}
	s := v.sh.save
	s.early = tx.saveValue(s.early, v, v.d.saving.db, &s.earlyDB)
	v.setKept(true)
}

// checkKept notes a key that has changed and was not kept.
func (sh *Shard) checkKept(at home, key []byte) {
	hash := sh.hash(key)
	if !at.d.ahead(hash) {
		return
	}
	if slot, head := at.find(key, hash); slot != nil && !head.has(flagKept) {
		sh.save.err = errLateSave
	}
}

// endSource ends the walk of a table.
func (sh *Shard) endSource(src *source) {
	s := sh.save
	s.sources = s.sources[1:]
	if src.left {
		sh.garbage.tables = append(sh.garbage.tables, discarded{keys: src.at.keys, due: src.at.due})
		return
	}
	src.at.saving = nil
}

// discardTable makes the table of a database garbage; at once, or when it has
// been saved.
func (sh *Shard) discardTable(d *db) {
	if src := d.saving; src != nil {
		src.left = true
		src.at = &db{keys: d.keys, due: d.due}
		d.saving = nil
	} else {
		sh.garbage.tables = append(sh.garbage.tables, discarded{keys: d.keys, due: d.due})
	}
	d.keys, d.due = nil, deadlines{}
}

// swapSaving exchanges the walks of two databases, with their tables.
func swapSaving(x, y *db) {
	x.saving, y.saving = y.saving, x.saving
	for _, d := range []*db{x, y} {
		if d.saving != nil {
			d.saving.at = d
		}
	}
}

// GiveUpSave says that what is saved from here on interests nobody. The walk
// has to be ended nevertheless.
func (tx *Tx) GiveUpSave() {
	tx.EachShard(func(sh *Shard) {
		if s := sh.save; s != nil {
			s.image, s.early = nil, nil
		}
	})
}

// EndSave ends the save of the shards at hand, of which nothing is left, and
// says how many keys there were, and what went wrong.
func (tx *Tx) EndSave() (keys int, err error) {
	tx.EachShard(func(sh *Shard) {
		if sh.save == nil {
			err = errRebuilt
			return
		}
		keys += sh.save.keys
		if sh.save.err != nil {
			err = sh.save.err
		}
		sh.save = nil
	})
	return keys, err
}

// SavedKeys is how many keys of the shards at hand have been saved so far.
func (tx *Tx) SavedKeys() (n int) {
	tx.EachShard(func(sh *Shard) {
		if sh.save != nil {
			n += sh.save.keys
		}
	})
	return n
}

// EarlyBytes is how much memory the shard takes, in bytes, for what has changed
// before its save came to it: what was saved early and not yet taken, and what
// frozen values keep.
func (sh *Shard) EarlyBytes() int {
	if sh.save == nil {
		return 0
	}
	return len(sh.save.early) + int(sh.save.kept)
}
