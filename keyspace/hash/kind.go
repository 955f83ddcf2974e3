package hash

import (
	"bytes"
	"iter"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/resp"
)

// Kind is the type of value as commands use it that treat every type alike.
var Kind = keyspace.Kind{
	Type: keyspace.Hash,
	Each: eachElement,
	Len: func(v keyspace.Value) int {
		h := fieldsOf(v)
		return h.len()
	},
	Find: func(_ *keyspace.Tx, v keyspace.Value, text []byte) (e keyspace.Element, found bool) {
		h := fieldsOf(v)
		e.Text = text
		e.Value, e.Deadline, found = h.find(text, true)
		return e, found
	},
	Put: func(tx *keyspace.Tx, key []byte, elements iter.Seq[keyspace.Element], deadline int64, event string) (mistake resp.Reply) {
		e := begin(tx, key)
		for element := range elements {
			if mistake = e.addElement(element); mistake.IsError() {
				e.drop()
				return mistake
			}
		}
		e.replace(deadline, event)
		return resp.Nothing
	},
	Freeze: freeze,
	Expire: expireFields,
}

func eachElement(_ *keyspace.Tx, v keyspace.Value, visit func(keyspace.Element) bool) {
	h := fieldsOf(v)
	if h.large != nil {
		h.large.Each(func(e dict.Element) bool {
			when := h.large.deadline(e)
			return when != 0 && when <= h.past || visit(keyspace.Element{Text: e.Text, Value: value(e), Deadline: when})
		})
		return
	}
	b := h.packed
	b.pairs(func(p pair) bool {
		when := b.deadline(p)
		return when != 0 && when <= h.past || visit(keyspace.Element{Text: p.fieldOf(b), Value: p.valueOf(b), Deadline: when})
	})
}

var errTwice = resp.Error("ERR a field of the hash comes twice")

// addElement adds a field that must be new. One that has ended is left out.
func (e *edit) addElement(element keyspace.Element) (mistake resp.Reply) {
	switch {
	case tooLong(element.Text, element.Value):
		return resp.ErrStringSize
	case element.Deadline != 0 && element.Deadline <= e.tx.Now():
		return resp.Nothing
	case !e.set(element.Text, element.Value):
		return errTwice
	case element.Deadline != 0:
		e.setDeadline(element.Text, element.Deadline)
	}
	return resp.Nothing
}

// expireFields implements keyspace.Kind. All of a packed hash go at once; so
// does a large one all of whose fields have ended, since that is freed in steps
// of its own.
func expireFields(tx *keyspace.Tx, v keyspace.Value, now int64, effort int) (took int) {
	key, h, before := bytes.Clone(v.Key()), fieldsOf(v), v.Mem().Effort()
	past := [][]byte{[]byte("HDEL"), key}
	if h.large == nil {
		past = h.packed.appendPast(past, now)
	}
	switch {
	case h.large == nil && len(past)-2 == h.packed.len(), h.large != nil && h.large.allPast(now):
		tx.Ended([]byte("DEL"), key)
		tx.Also(key, "hexpired")
		tx.Remove(v, "del")
		return len(past) - 2 + int(v.Mem().Effort()-before)
	case h.large == nil:
		tx.Ended(past...) // before they go: what they are called lies in them
		h.packed, took = h.packed.removePast(now)
		tx.Resize(v, len(h.packed), "hexpired")
	default:
		tx.Ended(h.large.removePast(past, v.Mem(), now, effort)...)
		tx.Touch(v, "hexpired")
	}
	took = max(took+int(v.Mem().Effort()-before), len(past)-2)
	tx.ExpireFields(key, h.nearest())
	return took
}
