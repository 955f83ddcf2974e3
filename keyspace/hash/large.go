package hash

import (
	"bytes"
	"encoding/binary"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/deadline"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/keyspace/slab"
)

// large is a hash in its large form, a keyspace.Object: the fields are texts
// of a Dict, the values their payloads.
type large struct {
	*dict.Dict
	due *deadline.Queue // when fields end; nil before the first that does
}

// ends marks the elements that have a deadline, and its place behind the value.
const (
	ends       = 1
	placeBytes = 4
)

// newLarge makes an empty hash with its elements in mem. No two hashes should
// have the same seed: see keyspace.Tx.NewSeed.
func newLarge(mem *slab.Heap, seed uint64) *large {
	return &large{Dict: dict.New(mem, seed, dict.Text)}
}

// Type implements keyspace.Object.
func (l *large) Type() keyspace.Type { return keyspace.Hash }

// Encoding implements keyspace.Object.
func (l *large) Encoding() keyspace.Encoding { return keyspace.HashTable }

// Bytes implements keyspace.Object.
func (l *large) Bytes() int64 {
	n := l.Dict.Bytes()
	if l.due != nil {
		n += l.due.Bytes()
	}
	return n
}

// Free implements keyspace.Object.
func (l *large) Free(_ *slab.Heap, effort int) (done bool) {
	return l.Dict.Free(effort) && (l.due == nil || l.due.CloseSome(1+effort/keyspace.ChunkEffort))
}

// Copy implements keyspace.Object.
func (l *large) Copy(_, mem *slab.Heap) keyspace.Object {
	c := &large{Dict: l.CopyTo(mem, l.NewSeed())}
	if l.due == nil {
		return c
	}
	c.due = deadline.New(c.placed)
	c.Each(func(e dict.Element) bool {
		if e.Mark() == ends { // its place is the one in l.due until it has another
			when, _ := l.due.At(place(e))
			c.due.Add(when, e.Ref)
		}
		return true
	})
	return c
}

// place is that of an element with a deadline.
func place(e dict.Element) uint32 {
	return binary.LittleEndian.Uint32(e.Payload[len(e.Payload)-placeBytes:])
}

// placed writes the new place of the element at r into it.
func (l *large) placed(r slab.Ref, pos uint32) {
	payload := l.At(r).Payload
	binary.LittleEndian.PutUint32(payload[len(payload)-placeBytes:], pos)
}

// value is that of an element.
func value(e dict.Element) []byte {
	if e.Mark() == ends {
		end := len(e.Payload) - placeBytes
		return e.Payload[:end:end]
	}
	return e.Payload
}

// deadline is when an element ends, 0 for never.
func (l *large) deadline(e dict.Element) (when int64) {
	if e.Mark() == ends {
		when, _ = l.due.At(place(e))
	}
	return when
}

// gone reports whether an element counts as gone: see keyspace.Value.Past.
func (l *large) gone(e dict.Element, past int64) bool {
	return past > 0 && e.Mark() == ends && l.deadline(e) <= past
}

// set gives a field its value and reports whether it is new. If it is not, its
// deadline goes, or stays if keep is set.
func (l *large) set(field, value []byte, keep bool) (added bool) {
	e, added := l.Add(field, value)
	switch {
	case added:
	case e.Mark() != ends:
		l.Replace(e, value)
	case keep:
		l.replaceEnding(e, append(append(make([]byte, 0, len(value)+placeBytes), value...), e.Payload[len(e.Payload)-placeBytes:]...))
	default:
		l.replaceEnded(e, value)
	}
	return added
}

// replaceEnded gives an element that has a deadline a value without one. The
// deadline goes last: until then it is what may have to be kept of the element.
func (l *large) replaceEnded(e dict.Element, value []byte) {
	pos := place(e)
	l.Replace(e, value)
	l.due.Remove(pos)
	e.SetMark(0)
}

// replaceEnding gives an element that has a deadline another payload.
func (l *large) replaceEnding(e dict.Element, payload []byte) {
	pos := place(e)
	if r := l.Replace(e, payload); r != e.Ref {
		l.due.SetRef(pos, r)
	}
}

// setDeadline lets an element end at a time.
func (l *large) setDeadline(e dict.Element, when int64) {
	if e.Mark() == ends {
		l.Keep(e)
		l.due.Change(place(e), when)
		return
	}
	if l.due == nil {
		l.due = deadline.New(l.placed)
	}
	payload := make([]byte, len(e.Payload)+placeBytes)
	copy(payload, e.Payload)
	r := l.Replace(e, payload)
	e.SetMark(ends)
	l.due.Add(when, r)
}

// dropDeadline takes an element's deadline away, if it has one.
func (l *large) dropDeadline(e dict.Element) {
	if e.Mark() == ends {
		l.replaceEnded(e, append([]byte(nil), value(e)...))
	}
}

// remove takes an element out.
func (l *large) remove(e dict.Element) {
	if e.Mark() != ends {
		l.Remove(e)
		return
	}
	pos := place(e)
	l.Remove(e)
	l.due.Remove(pos)
}

// nearest is when the first field ends, 0 if none does.
func (l *large) nearest() (when int64) {
	if l.due != nil {
		when, _, _ = l.due.Min()
	}
	return when
}

// allPast reports whether the deadline of no field is later than now, and each
// has one.
func (l *large) allPast(now int64) bool { return l.due.Len() == l.Len() && l.due.AllUntil(now) }

// removePast removes fields whose deadline is not later than now, with about
// so much effort, and appends copies of them.
func (l *large) removePast(dst [][]byte, mem *slab.Heap, now int64, effort int) [][]byte {
	for effort > 0 {
		when, r, ok := l.due.Min()
		if !ok || when > now {
			break
		}
		e, before := l.At(r), mem.Effort()
		dst = append(dst, bytes.Clone(e.Text))
		l.Remove(e)
		l.due.Remove(0)
		effort -= max(1, int(mem.Effort()-before)) // what is kept for a save is not freed
	}
	return dst
}
