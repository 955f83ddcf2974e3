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
const pairMax = 1<<30 - 2*pack.LengthMax - placeBytes

// tooLong reports whether a field with its value is more than can be kept.
func tooLong(field, value []byte) bool { return len(field)+len(value) > pairMax }

// edit is a hash while a command changes or makes it. The changes are the key's
// after save or replace, which tell of them as one. What takes no more room
// than before is written where it is; else a packed hash is copied to the
// turn's buffer.
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

// begin begins a new hash for a key, whatever that holds until replace.
func begin(tx *keyspace.Tx, key []byte) edit { return edit{tx: tx, key: key} }

// set gives a field its value, without a deadline, and reports whether it is
// new. A hash that outgrows the packed form becomes large.
func (e *edit) set(field, value []byte) (added bool) { return e.put(field, value, false) }

// put is set for a field that keeps its deadline, if keep says so.
func (e *edit) put(field, value []byte, keep bool) (added bool) {
	longest := e.tx.Settings.HashPackedValue
	if e.large == nil && (len(field) > longest || len(value) > longest) {
		e.enlarge()
	}
	if e.large != nil {
		e.removeGone(field)
		return e.large.set(field, value, keep)
	}
	added = e.putPacked(field, value, keep)
	if e.packed.len() > e.tx.Settings.HashPackedEntries || len(e.packed) > packedMax {
		e.enlarge()
	}
	return added
}

func (e *edit) putPacked(field, value []byte, keep bool) (added bool) {
	p, found := e.packed.find(field)
	if !found {
		e.draft()
		e.packed = e.packed.add(field, value)
		return true
	}
	if len(value) > p.after-p.value {
		e.draft()
	}
	if p.ends() && !keep {
		e.packed = e.packed.dropDeadline(p)
		p, _ = e.packed.find(field)
	}
	e.packed = e.packed.replace(p, value)
	return false
}

// removeGone removes a field of a large hash that counts as gone and is still
// there: its end is recorded before what the command does with the field.
func (e *edit) removeGone(field []byte) {
	if e.past == 0 {
		return
	}
	if element, found := e.large.Find(field); found && e.large.gone(element, e.past) {
		e.tx.Ended([]byte("HDEL"), e.key, field)
		e.large.remove(element)
	}
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
	b, l := e.packed, newLarge(e.tx.MemOf(e.key), e.tx.NewSeed(e.key))
	b.pairs(func(p pair) bool {
		element, _ := l.Add(p.fieldOf(b), p.valueOf(b))
		if p.ends() {
			l.setDeadline(element, b.deadline(p))
		}
		return true
	})
	e.packed, e.large = nil, l
}

// setDeadline lets a field that is there end at a time, or never if that is 0.
func (e *edit) setDeadline(field []byte, when int64) {
	if e.large != nil {
		element, _ := e.large.Find(field)
		if when == 0 {
			e.large.dropDeadline(element)
		} else {
			e.large.setDeadline(element, when)
		}
		return
	}
	p, _ := e.packed.find(field)
	switch {
	case when == 0:
		e.packed = e.packed.dropDeadline(p)
		return
	case !e.packed.timed():
		e.packed, e.drafted = e.packed.makeTimed(), true
		p, _ = e.packed.find(field)
	case !p.ends():
		e.draft()
	}
	e.packed = e.packed.setDeadline(p, when)
}

// remove takes a field out and reports whether it was there.
func (e *edit) remove(field []byte) bool {
	if e.large != nil {
		element, found := e.large.Find(field)
		if found = found && !e.large.gone(element, e.past); found {
			e.large.remove(element)
		}
		return found
	}
	p, found := e.packed.find(field)
	if found {
		e.packed = e.packed.remove(p)
	}
	return found
}

// timed reports whether fields have, or had, deadlines.
func (e *edit) timed() bool {
	if e.large != nil {
		return e.large.due != nil
	}
	return e.packed.timed()
}

// bytes are those of a packed hash, and what they are.
func (e *edit) bytes() keyspace.Packed {
	p := keyspace.Packed{Type: keyspace.Hash, Encoding: keyspace.Listpack, Bytes: e.packed}
	if e.packed.timed() {
		p.Encoding = keyspace.ListpackEx
	}
	return p
}

// save makes the changes those of the key, whose time to live stays. event is
// what keyspace notifications call them. A hash without fields goes.
func (e *edit) save(event string) {
	tx, p := e.tx, e.bytes()
	switch {
	case e.empty():
		tx.Also(e.key, event)
		tx.Remove(e.v, "del")
		if e.past != 0 {
			tx.Effect([]byte("DEL"), e.key) // fields that count as gone are still there
		}
		return
	case e.large != nil && e.v.IsObject():
		tx.Touch(e.v, event)
	case e.large != nil:
		tx.PutObject(e.key, e.large, keyspace.KeepDeadline, event)
	case e.v.Missing() || e.v.Encoding() != p.Encoding:
		tx.PutPacked(e.key, p, keyspace.KeepDeadline, event)
	case e.drafted:
		copy(tx.Resize(e.v, len(p.Bytes), event), p.Bytes)
	case len(p.Bytes) != len(e.v.Packed()):
		tx.Resize(e.v, len(p.Bytes), event)
	default:
		tx.Touch(e.v, event)
	}
	e.saved()
}

// replace makes the hash that was begun the key's, whatever it held before,
// with that deadline. A hash without fields becomes no key.
func (e *edit) replace(deadline int64, event string) {
	switch {
	case e.empty():
		e.drop()
		e.tx.Delete(e.key, "del")
		return
	case e.large != nil:
		e.tx.PutObject(e.key, e.large, deadline, event)
	default:
		e.tx.PutPacked(e.key, e.bytes(), deadline, event)
	}
	e.saved()
}

// saved tells the keyspace when the first field ends.
func (e *edit) saved() {
	if e.drafted && e.large == nil {
		e.tx.KeepScratch(e.packed)
	}
	if e.timed() {
		e.tx.ExpireFields(e.key, e.nearest())
	}
}

// nearest is when the first field ends, as keyspace.Tx.ExpireFields takes it.
func (h *fields) nearest() (when int64) {
	if h.large != nil {
		when = h.large.nearest()
	} else {
		when = h.packed.nearest()
	}
	if when == 0 {
		return keyspace.NoDeadline
	}
	return when
}

// drop gives back the memory of a hash that was begun and becomes no key's.
func (e *edit) drop() {
	for e.large != nil && !e.large.Free(nil, packedMax) {
	}
}
