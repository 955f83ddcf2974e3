package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/pack"
)

// packedMax bounds a packed hash whatever the settings allow, in bytes, since
// every change of its length may move all of it.
const packedMax = 16 << 20

// pairMax bounds a field with its value, in bytes: a slab heap allocates 1 GB
// at once.
const pairMax = 1<<30 - 2*pack.LengthMax

// tooLong reports whether a field with its value is more than can be kept.
func tooLong(field, value []byte) bool { return len(field)+len(value) > pairMax }

// edit is a hash while a command changes it. The changes are the key's after
// save, which tells of them as one. What takes no more room than before is
// written where it is; else a packed hash is copied to the turn's buffer.
type edit struct {
	fields
	tx      *keyspace.Tx
	key     []byte
	v       keyspace.Value
	drafted bool // packed is in the turn's buffer
}

// open begins to change the hash of a key, which may be missing. If ok is
// false, the key holds something else.
func open(tx *keyspace.Tx, key []byte) (e edit, ok bool) {
	v := tx.Find(key)
	if !v.Missing() && !v.Is(keyspace.Hash) {
		return edit{}, false
	}
	return edit{fields: fieldsOf(v), tx: tx, key: key, v: v}, true
}

// set gives a field its value and reports whether it is new. A hash that
// outgrows the packed form becomes large.
func (e *edit) set(field, value []byte) (added bool) {
	longest := e.tx.Settings.HashPackedValue
	if e.large == nil && (len(field) > longest || len(value) > longest) {
		e.enlarge()
	}
	if e.large != nil {
		return e.large.set(field, value)
	}
	added = e.setPacked(field, value)
	if e.packed.len() > e.tx.Settings.HashPackedEntries || len(e.packed) > packedMax {
		e.enlarge()
	}
	return added
}

func (e *edit) setPacked(field, value []byte) (added bool) {
	p, found := e.packed.find(field)
	switch {
	case !found:
		e.draft()
		e.packed = e.packed.add(field, value)
		return true
	case len(value) > p.end-p.value:
		e.draft()
	}
	e.packed = e.packed.replace(p, value)
	return false
}

// draft moves a packed hash to the turn's buffer, where it may grow.
func (e *edit) draft() {
	if !e.drafted {
		e.packed = append(e.tx.Scratch(), e.packed...)
		e.drafted = true
	}
}

// enlarge makes a packed hash large.
func (e *edit) enlarge() {
	l := newLarge(e.tx.MemOf(e.key), e.tx.NewSeed(e.key))
	e.packed.each(func(field, value []byte) bool {
		l.Insert(field, value)
		return true
	})
	e.large = l
}

// remove takes a field out and reports whether it was there.
func (e *edit) remove(field []byte) bool {
	if e.large != nil {
		return e.large.remove(field)
	}
	p, found := e.packed.find(field)
	if found {
		e.packed = e.packed.remove(p)
	}
	return found
}

// save makes the changes those of the key, whose time to live stays. event is
// what keyspace notifications call them. A hash without fields goes.
func (e *edit) save(event string) {
	tx := e.tx
	switch {
	case e.len() == 0:
		tx.Also(e.key, event)
		tx.Remove(e.v, "del")
	case e.large != nil && e.v.IsObject():
		tx.Touch(e.v, event)
	case e.large != nil:
		tx.PutObject(e.key, e.large, keyspace.KeepDeadline, event)
	case e.v.Missing():
		tx.PutPacked(e.key, keyspace.Packed{Type: keyspace.Hash, Encoding: keyspace.Listpack, Bytes: e.packed}, keyspace.KeepDeadline, event)
	case e.drafted:
		copy(tx.Resize(e.v, len(e.packed), event), e.packed)
	case len(e.packed) != len(e.v.Packed()):
		tx.Resize(e.v, len(e.packed), event)
	default:
		tx.Touch(e.v, event)
	}
	if e.drafted {
		tx.KeepScratch(e.packed)
	}
}
