package keyspace

import (
	"github.com/troupedb/troupe/keyspace/slab"
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

// Packed is a value in its family's packed form.
type Packed struct {
	Type     Type
	Encoding Encoding
	Bytes    []byte
}

// PutPacked makes key the packed value. Its bytes may be those of the value
// that is replaced.
func (tx *Tx) PutPacked(key []byte, p Packed, deadline int64, event string) {
	tx.put(key, put{p.Type, p.Encoding, false, p.Bytes, deadline, event})
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
	v := Value{home: tx.homeOf(key)}
	hash := tx.hash(v.sh, key)
	v.slot, v.head = v.find(key, hash)
	if v.slot != nil && v.overdue(keyEnds, tx.now) {
		tx.expire(&v)
		v.slot = nil
	}
	if v.slot == nil {
		tx.create(v.home, key, hash, &p)
		return
	}
	if v.d.saving != nil {
		tx.keep(&v)
	}
	v.disown()
	if len(v.d.waiting) > 0 && (v.head.typ != p.typ || p.typ == Stream) {
		tx.feed(v.home, key)
	}
	v.replace(&p)
	tx.mark(v.slot)
	tx.changed(v.home, key, v.head.has(flagWatched), p.event)
}

// create adds an entry for a key that has none.
func (tx *Tx) create(at home, key []byte, hash uint64, p *put) {
	at.sh.open(at.d)
	head := header{typ: p.typ, enc: p.enc, keyLen: len(key), valLen: len(p.payload)}
	if p.object {
		head.flags |= flagObject
	}
	_, watched := at.d.watched[string(key)]
	if watched {
		head.flags |= flagWatched
	}
	if p.deadline >= 0 {
		head.flags |= flagDeadline
	}
	if at.d.ahead(hash) {
		head.flags |= flagKept
	}
	head.layout()
	ref := at.sh.writeEntry(&head, key, p.payload)
	at.d.keys.Insert(hash, ref, tx.firstStamp(at.d, hash))
	if p.deadline >= 0 {
		at.d.due[keyEnds].of(&head).Add(p.deadline, ref)
	}
	if len(at.d.waiting) > 0 {
		tx.feed(at, key)
	}
	if tx.Settings.NewKeys {
		tx.Also(key, "new")
	}
	tx.changed(at, key, watched, p.event)
}

// replace gives a key another value, in place where that fits.
func (v *Value) replace(p *put) {
	if v.head.object() && !v.head.cold {
		v.sh.freeObject(v.slot.Ref(), &v.head)
	}
	head := header{typ: p.typ, enc: p.enc, keyLen: v.head.keyLen, valLen: len(p.payload)}
	head.flags = v.head.flags & (flagWatched | flagDeadline | flagKept)
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
	if v.fits(&head) && (head.flags^v.head.flags)&(flagDeadline|flagFields) == 0 {
		v.sh.mem.Resize(v.slot.Ref(), v.head.size(), head.size())
		b := v.sh.mem.Bytes(v.slot.Ref(), head.size())
		copy(b[head.valueAt():], p.payload) // before the head: the payload may be this entry's own
		head.write(b)
	} else {
		v.move(&head, p.payload)
	}
	if p.deadline >= 0 {
		v.setDeadline(keyEnds, &head, p.deadline)
	}
}

// fits reports whether an entry with that head goes where the value's is.
func (v *Value) fits(head *header) bool {
	mem := v.sh.mem
	return head.keyAt == v.head.keyAt && mem.Size(head.size()) == mem.Size(v.head.size())
}

// move writes the value's entry anew elsewhere, with that head and payload,
// and frees the old place.
func (v *Value) move(head *header, payload []byte) {
	from := v.slot.Ref()
	entry := v.sh.mem.Bytes(from, v.head.size())
	ref := v.sh.writeEntry(head, entry[v.head.keyAt:v.head.valueAt()], payload)
	if head.has(flagTwin) {
		putNumber(v.sh.mem.Bytes(ref, head.keyAt)[head.numberAt():], v.twin())
	}
	v.sh.countCold(&v.head, head)
	for e := range endings {
		if !v.head.has(e.flag()) {
			continue
		}
		pos, order := v.place(e), v.d.due[e].of(&v.head)
		if head.has(e.flag()) {
			putUint32(v.sh.mem.Bytes(ref, head.keyAt)[head.placeAt(e):], pos)
			order.SetRef(pos, ref)
		} else {
			order.Remove(pos)
		}
	}
	v.slot.SetRef(ref)
	v.sh.mem.Free(from, v.head.size())
}

func (sh *Shard) writeEntry(head *header, key, payload []byte) slab.Ref {
	ref := sh.mem.Alloc(head.size())
	b := sh.mem.Bytes(ref, head.size())
	head.write(b)
	copy(b[head.keyAt:], key)
	if !head.cold {
		copy(b[head.valueAt():], payload)
	}
	return ref
}

// setDeadline enters or changes the place in an order of a value whose entry
// has that head by now.
func (v *Value) setDeadline(e ending, head *header, when int64) {
	order, ref := v.d.due[e].of(head), v.slot.Ref()
	if !v.head.has(e.flag()) {
		order.Add(when, ref)
		return
	}
	order.Change(getUint32(v.sh.mem.Bytes(ref, head.keyAt)[head.placeAt(e):]), when)
}

// Resize makes the packed value of v n bytes long and returns it for writing;
// bytes beyond the old length are undefined. Growth in place is used where
// the slab has room. v is not good afterwards. A String becomes Raw.
func (tx *Tx) Resize(v Value, n int, event string) []byte {
	tx.keep(&v)
	v.disown()
	b := v.resize(n)
	tx.changed(v.home, v.keyNow(), v.head.has(flagWatched), event)
	return b
}

// resize is Resize without telling.
func (v *Value) resize(n int) []byte {
	head := v.head
	head.valLen = n
	if head.typ == String {
		head.enc = Raw
	}
	head.layout()
	if v.fits(&head) {
		v.sh.mem.Resize(v.slot.Ref(), v.head.size(), head.size())
		head.write(v.sh.mem.Bytes(v.slot.Ref(), head.size()))
	} else {
		packed := v.Packed()
		v.move(&head, packed[:min(n, len(packed))])
	}
	return v.sh.mem.Bytes(v.slot.Ref(), head.size())[head.valueAt() : head.valueAt()+n]
}

// keyNow is the key of a value that may have moved since it was found.
func (v Value) keyNow() []byte {
	head := readHeader(v.sh.mem, v.slot.Ref())
	return v.sh.mem.Bytes(v.slot.Ref(), head.size())[head.keyAt:head.valueAt()]
}

// Touch tells that a value was changed in place: an Object, or packed bytes.
func (tx *Tx) Touch(v Value, event string) {
	v.disown()
	tx.told(&v, event)
}

// Delete removes a key and reports whether it was there.
func (tx *Tx) Delete(key []byte, event string) bool {
	v := tx.Outline(key)
	if v.Missing() {
		return false
	}
	tx.Remove(v, event)
	return true
}

// Remove is Delete for a value that was found.
func (tx *Tx) Remove(v Value, event string) {
	tx.keep(&v)
	tx.told(&v, event)
	tx.lost(&v)
	v.drop(true)
}

// drop takes the value's entry out of its database and frees it; its Object
// too, unless that has found another owner.
func (v *Value) drop(withObject bool) {
	ref := v.slot.Ref()
	b := v.sh.mem.Bytes(ref, v.head.size())
	for e := range endings {
		if v.head.has(e.flag()) {
			v.d.due[e].of(&v.head).Remove(v.place(e))
		}
	}
	v.disown()
	if v.head.object() && withObject && !v.head.cold {
		v.sh.freeObject(ref, &v.head)
	}
	v.sh.countCold(&v.head, nil)
	v.d.keys.Remove(v.sh.hash(b[v.head.keyAt:v.head.valueAt()]), ref)
	v.sh.mem.Free(ref, v.head.size())
}

// Expire sets when the value ends: Unix milliseconds, or NoDeadline for never.
// v is not good afterwards.
func (tx *Tx) Expire(v Value, deadline int64, event string) {
	tx.keep(&v)
	head := v.head
	head.flags &^= flagDeadline
	if deadline >= 0 {
		head.flags |= flagDeadline
	}
	head.layout()
	if head.flags != v.head.flags {
		v.move(&head, v.payload())
	}
	if deadline >= 0 {
		v.setDeadline(keyEnds, &head, deadline)
	}
	tx.changed(v.home, v.keyNow(), head.has(flagWatched), event)
}
