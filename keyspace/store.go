package keyspace

import (
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
	"github.com/troupedb/troupe/resp/command"
)

// What a write does to the key's time to live.
const (
	NoDeadline   = -1 // none, or taken away
	KeepDeadline = -2 // as it was
)

// EmbstrMax is the longest text, in bytes, that OBJECT ENCODING calls embstr.
const EmbstrMax = 44

// PutText makes key a String with the text, whatever it was before. A text
// that is an integer in canonical form is kept as a number. deadline is Unix
// milliseconds, NoDeadline or KeepDeadline. event is what keyspace
// notifications call the change.
func (tx *Tx) PutText(key, text []byte, deadline int64, event string) {
	if n, ok := command.ParseInt(text); ok {
		tx.PutInt(key, n, deadline, event)
		return
	}
	enc := Raw
	if len(text) <= EmbstrMax {
		enc = Embstr
	}
	tx.put(key, put{String, enc, false, text, deadline, event})
}

// PutInt is PutText for a number.
func (tx *Tx) PutInt(key []byte, n int64, deadline int64, event string) {
	b := tx.number[:]
	putUint32(b, uint32(n))
	putUint32(b[4:], uint32(n>>32))
	tx.put(key, put{String, Int, false, b, deadline, event})
}

// PutRaw is PutText for a text that was built in pieces, which Redis keeps
// (and OBJECT ENCODING shows) as raw.
func (tx *Tx) PutRaw(key, text []byte, deadline int64, event string) {
	tx.put(key, put{String, Raw, false, text, deadline, event})
}

// PutPacked makes key a value of the type in its family's packed form. The
// packed bytes may be those of the value that is replaced.
func (tx *Tx) PutPacked(key []byte, typ Type, enc Encoding, packed []byte, deadline int64, event string) {
	tx.put(key, put{typ, enc, false, packed, deadline, event})
}

// PutObject makes key the owner of an Object, whose elements are in the heap
// that MemOf(key) gives.
func (tx *Tx) PutObject(key []byte, obj Object, deadline int64, event string) {
	sh := tx.shardOf(key)
	var number [4]byte
	putUint32(number[:], sh.objects.add(obj))
	tx.put(key, put{obj.Type(), obj.Encoding(), true, number[:], deadline, event})
}

// MemOf is the heap of the shard that key belongs to.
func (tx *Tx) MemOf(key []byte) *slab.Heap { return tx.shardOf(key).mem }

// put is one write: what a key is to hold from now on.
type put struct {
	typ      Type
	enc      Encoding
	object   bool
	payload  []byte
	deadline int64
	event    string
}

func (tx *Tx) put(key []byte, p put) {
	sh := tx.shardOf(key)
	d := &sh.dbs[tx.DB]
	hash := tx.hash(sh, key)
	slot, old := sh.find(d, key, hash)
	if slot != nil && old.has(flagDeadline) && sh.deadlineOf(d, slot, &old) <= tx.now {
		tx.expire(sh, d, slot, &old)
		slot = nil
	}
	if slot == nil {
		tx.create(sh, d, key, hash, p)
		return
	}
	tx.replace(sh, d, slot, &old, p)
	tx.mark(slot)
	tx.changed(sh, d, key, old.has(flagWatched), p.event)
}

// create adds an entry for a key that has none.
func (tx *Tx) create(sh *Shard, d *db, key []byte, hash uint64, p put) {
	sh.open(d)
	head := header{typ: p.typ, enc: p.enc, keyLen: len(key), valLen: len(p.payload)}
	if p.object {
		head.flags |= flagObject
	}
	_, watched := d.watched[string(key)]
	if watched {
		head.flags |= flagWatched
	}
	if p.deadline >= 0 {
		head.flags |= flagDeadline
	}
	head.layout()
	ref := sh.writeEntry(&head, key, p.payload)
	d.keys.Insert(hash, ref, tx.stamp)
	if p.deadline >= 0 {
		d.due.of(&head).Add(p.deadline, ref)
	}
	tx.changed(sh, d, key, watched, p.event)
}

// replace gives an existing entry a new value, in place where that fits.
func (tx *Tx) replace(sh *Shard, d *db, slot *table.Slot, old *header, p put) {
	if old.object() {
		sh.freeObject(slot.Ref(), old)
	}
	head := header{typ: p.typ, enc: p.enc, keyLen: old.keyLen, valLen: len(p.payload)}
	head.flags = old.flags & (flagWatched | flagDeadline)
	if p.object {
		head.flags |= flagObject
	}
	switch {
	case p.deadline >= 0:
		head.flags |= flagDeadline
	case p.deadline == NoDeadline:
		head.flags &^= flagDeadline
	}
	head.layout()
	ref := slot.Ref()
	if head.keyAt == old.keyAt && sh.mem.Size(head.size()) == sh.mem.Size(old.size()) && head.has(flagDeadline) == old.has(flagDeadline) {
		sh.mem.Resize(ref, old.size(), head.size())
		b := sh.mem.Bytes(ref, head.size())
		copy(b[head.valueAt():], p.payload) // before the head: the payload may be this entry's own
		head.write(b)
	} else {
		ref = sh.moveEntry(d, slot, old, &head, p.payload)
	}
	if p.deadline >= 0 {
		sh.setDeadline(d, ref, &head, old.has(flagDeadline), p.deadline)
	}
}

// moveEntry writes an entry anew elsewhere and frees the old place.
func (sh *Shard) moveEntry(d *db, slot *table.Slot, old, head *header, payload []byte) slab.Ref {
	from := slot.Ref()
	entry := sh.mem.Bytes(from, old.size())
	ref := sh.writeEntry(head, entry[old.keyAt:old.valueAt()], payload)
	if old.has(flagDeadline) {
		pos := getUint32(entry[old.deadlineAt():])
		if head.has(flagDeadline) {
			putUint32(sh.mem.Bytes(ref, entryMin)[head.deadlineAt():], pos)
			d.due.of(head).SetRef(pos, ref)
		} else {
			d.due.of(old).Remove(pos)
		}
	}
	slot.SetRef(ref)
	sh.mem.Free(from, old.size())
	return ref
}

func (sh *Shard) writeEntry(head *header, key, payload []byte) slab.Ref {
	ref := sh.mem.Alloc(head.size())
	b := sh.mem.Bytes(ref, head.size())
	head.write(b)
	copy(b[head.keyAt:], key)
	copy(b[head.valueAt():], payload)
	return ref
}

// setDeadline enters or changes an entry's place in the deadline order; its
// head has the flag already.
func (sh *Shard) setDeadline(d *db, ref slab.Ref, head *header, had bool, when int64) {
	if !had {
		d.due.of(head).Add(when, ref)
		return
	}
	d.due.of(head).Change(getUint32(sh.mem.Bytes(ref, entryMin)[head.deadlineAt():]), when)
}

// Resize makes the packed value of v n bytes long and returns it for writing;
// bytes beyond the old length are undefined. Growth in place is used where
// the slab has room. v is not good afterwards. A String becomes Raw.
func (tx *Tx) Resize(v Value, n int, event string) []byte {
	watched := v.head.has(flagWatched)
	b := tx.resize(v, n)
	tx.changed(v.sh, &v.sh.dbs[tx.DB], v.keyNow(), watched, event)
	return b
}

// resize is Resize without telling.
func (tx *Tx) resize(v Value, n int) []byte {
	sh := v.sh
	head := v.head
	head.valLen = n
	if head.typ == String {
		head.enc = Raw
	}
	head.layout()
	ref := v.slot.Ref()
	if head.keyAt == v.head.keyAt && sh.mem.Size(head.size()) == sh.mem.Size(v.head.size()) {
		sh.mem.Resize(ref, v.head.size(), head.size())
		head.write(sh.mem.Bytes(ref, head.size()))
	} else {
		packed := v.Packed()
		ref = sh.moveEntry(&sh.dbs[tx.DB], v.slot, &v.head, &head, packed[:min(n, len(packed))])
	}
	return sh.mem.Bytes(ref, head.size())[head.valueAt() : head.valueAt()+n]
}

// keyNow is the key of a value that may have moved since it was found.
func (v Value) keyNow() []byte {
	head := readHeader(v.sh.mem, v.slot.Ref())
	return v.sh.mem.Bytes(v.slot.Ref(), head.size())[head.keyAt:head.valueAt()]
}

// Touch tells that a value was changed in place: an Object, or packed bytes.
func (tx *Tx) Touch(v Value, event string) {
	tx.changed(v.sh, &v.sh.dbs[tx.DB], v.Key(), v.head.has(flagWatched), event)
}

// Delete removes a key and reports whether it was there.
func (tx *Tx) Delete(key []byte, event string) bool {
	v := tx.Peek(key)
	if v.Missing() {
		return false
	}
	tx.Remove(v, event)
	return true
}

// Remove is Delete for a value that was found.
func (tx *Tx) Remove(v Value, event string) {
	d := &v.sh.dbs[tx.DB]
	tx.changed(v.sh, d, v.Key(), v.head.has(flagWatched), event)
	v.sh.drop(d, v.slot, &v.head, true)
}

// drop takes an entry out of a database and frees it; its Object too, unless
// that has found another owner.
func (sh *Shard) drop(d *db, slot *table.Slot, head *header, withObject bool) {
	ref := slot.Ref()
	b := sh.mem.Bytes(ref, head.size())
	if head.has(flagDeadline) {
		d.due.of(head).Remove(getUint32(b[head.deadlineAt():]))
	}
	if head.object() && withObject {
		sh.freeObject(ref, head)
	}
	d.keys.Remove(sh.hash(b[head.keyAt:head.valueAt()]), ref)
	sh.mem.Free(ref, head.size())
}

// Expire sets when the value ends: Unix milliseconds, or NoDeadline for never.
// v is not good afterwards.
func (tx *Tx) Expire(v Value, deadline int64, event string) {
	sh, d := v.sh, &v.sh.dbs[tx.DB]
	head := v.head
	head.flags &^= flagDeadline
	if deadline >= 0 {
		head.flags |= flagDeadline
	}
	head.layout()
	ref := v.slot.Ref()
	if head.flags != v.head.flags {
		ref = sh.moveEntry(d, v.slot, &v.head, &head, v.Packed())
	}
	if deadline >= 0 {
		sh.setDeadline(d, ref, &head, v.head.has(flagDeadline), deadline)
	}
	b := sh.mem.Bytes(ref, head.size())
	tx.changed(sh, d, b[head.keyAt:head.valueAt()], head.has(flagWatched), event)
}
