package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

// packedMax bounds a set that is not large whatever the settings allow, in
// bytes, since every change of its length may move all of it.
const packedMax = 16 << 20

// edit is a set while a command changes or makes it. The changes are the key's
// after save or replace, which tell of them as one. What takes no more room
// than before is written where it is; else a set that is not large is copied
// to the turn's buffer.
type edit struct {
	members
	tx      *keyspace.Tx
	key     []byte
	v       keyspace.Value
	drafted bool // ints or packed are in the turn's buffer
}

// open begins to change the set of a key, which may be missing. If ok is
// false, the key holds something else.
func open(tx *keyspace.Tx, key []byte) (e edit, ok bool) {
	v := tx.Find(key)
	if !v.Missing() && !v.Is(keyspace.Set) {
		return edit{}, false
	}
	return edit{members: membersOf(v), tx: tx, key: key, v: v}, true
}

// begin begins a new set for a key, whatever that holds until replace.
func begin(tx *keyspace.Tx, key []byte) edit { return edit{tx: tx, key: key} }

// put implements collection.
func (e *edit) put(text []byte) { e.add(text) }

// add adds a member and reports whether it is new.
func (e *edit) add(text []byte) (added bool) {
	if e.large != nil {
		_, added = e.large.Add(text, nil)
		return added
	}
	n, isInt := command.ParseInt(text)
	if isInt && len(e.packed) == 0 {
		return e.addInt(n, text)
	}
	if e.has(text) {
		return false
	}
	if !e.fitsPacked(text) {
		e.enlarge()
		e.large.Insert(text, nil)
		return true
	}
	if len(e.ints) > 0 {
		e.pack()
	} else {
		e.draft()
	}
	e.packed = e.packed.add(text)
	return true
}

// addInt is add for an integer, to a set of nothing else. One that has become
// too large for integers is large, not packed; but one that may have none to
// begin with is packed.
func (e *edit) addInt(n int64, text []byte) (added bool) {
	i, found := e.ints.find(n)
	if found {
		return false
	}
	entries := e.tx.Settings.SetIntsetEntries
	switch {
	case e.ints.len() < entries && len(e.ints) < packedMax:
		e.draft()
		e.ints = e.ints.insert(i, n)
	case len(e.ints) == 0 && e.fitsPacked(text):
		e.draft()
		e.packed = e.packed.add(text)
	default:
		e.enlarge()
		e.large.Insert(text, nil)
	}
	return true
}

// fitsPacked reports whether the set with one more member, this one, may be
// packed.
func (e *edit) fitsPacked(text []byte) bool {
	entries, longest := e.tx.Settings.SetPackedEntries, e.tx.Settings.SetPackedValue
	return e.len() < entries && len(text) <= longest && len(e.packed)+len(text) <= packedMax && e.ints.longest() <= longest
}

// draft moves a set that is not large to the turn's buffer, where it may grow.
func (e *edit) draft() {
	if e.drafted {
		return
	}
	e.drafted = true
	if len(e.ints) > 0 {
		e.ints = append(e.tx.Scratch(), e.ints...)
		return
	}
	e.packed = append(e.tx.Scratch(), e.packed...)
}

// pack makes packed texts of integers.
func (e *edit) pack() {
	var d digits
	var all packed
	e.each(&d, func(text []byte) bool {
		all = all.add(text)
		return true
	})
	e.packed, e.ints, e.drafted = all, nil, true
}

// enlarge makes the set large.
func (e *edit) enlarge() {
	var d digits
	l := newLarge(e.tx.MemOf(e.key), e.tx.NewSeed(e.key))
	e.each(&d, func(text []byte) bool {
		l.Insert(text, nil)
		return true
	})
	e.members = members{large: l}
}

// remove takes a member out and reports whether it was there.
func (e *edit) remove(text []byte) bool {
	switch {
	case e.large != nil:
		member, found := e.large.Find(text)
		if found {
			e.large.Remove(member)
		}
		return found
	case len(e.ints) > 0:
		n, isInt := command.ParseInt(text)
		i, found := e.ints.find(n)
		if isInt && found {
			e.ints = e.ints.remove(i)
		}
		return isInt && found
	}
	begin, end, found := e.packed.find(text)
	if found {
		e.packed = e.packed.remove(begin, end)
	}
	return found
}

// bytes are those of a set that is not large, and what they are.
func (e *edit) bytes() keyspace.Packed {
	if len(e.ints) > 0 {
		return keyspace.Packed{Type: keyspace.Set, Encoding: keyspace.Intset, Bytes: e.ints}
	}
	return keyspace.Packed{Type: keyspace.Set, Encoding: keyspace.Listpack, Bytes: e.packed}
}

// save makes the changes those of the key, whose time to live stays. event is
// what keyspace notifications call them. A set without members goes.
func (e *edit) save(event string) {
	tx, p := e.tx, e.bytes()
	switch {
	case e.len() == 0:
		tx.Also(e.key, event)
		tx.Remove(e.v, "del")
	case e.large != nil && e.v.IsObject():
		tx.Touch(e.v, event)
	case e.large != nil:
		tx.PutObject(e.key, e.large, keyspace.KeepDeadline, event)
	case e.v.Missing() || e.v.Encoding() != p.Encoding:
		tx.PutPacked(e.key, p, keyspace.KeepDeadline, event)
	case e.drafted:
		copy(tx.Resize(e.v, len(p.Bytes), event), p.Bytes)
	default:
		tx.Resize(e.v, len(p.Bytes), event)
	}
	e.keepScratch()
}

// replace makes the set that was begun the key's, whatever it held before, with
// that deadline. A set without members becomes no key.
func (e *edit) replace(deadline int64, event string) {
	switch {
	case e.len() == 0:
		e.drop()
		e.tx.Delete(e.key, "del")
	case e.large != nil:
		e.tx.PutObject(e.key, e.large, deadline, event)
	default:
		e.tx.PutPacked(e.key, e.bytes(), deadline, event)
	}
	e.keepScratch()
}

// drop gives back the memory of a set that was begun and becomes no key's.
func (e *edit) drop() {
	for e.large != nil && !e.large.Free(nil, packedMax) {
	}
}

func (e *edit) keepScratch() {
	if e.drafted && e.large == nil {
		e.tx.KeepScratch(e.bytes().Bytes)
	}
}
