package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/resp"
)

// fields is a hash as a command reads it, in whichever form. The zero fields
// is that of a missing key, and empty.
type fields struct {
	packed packed
	large  *large
	past   int64 // fields that end up to it count as gone: see keyspace.Value.Past
}

// fieldsOf are those of a Value that is a hash or missing.
func fieldsOf(v keyspace.Value) fields {
	switch {
	case v.Missing():
		return fields{}
	case v.IsObject():
		return fields{large: v.Object().(*large), past: v.Past()}
	}
	return fields{packed: v.Packed(), past: v.Past()}
}

// lookup finds the hash of a reading command. If ok is false, the key holds
// something else.
func lookup(tx *keyspace.Tx, key []byte) (h fields, ok bool) {
	v := tx.Lookup(key)
	if !v.Missing() && !v.Is(keyspace.Hash) {
		return fields{}, false
	}
	return fieldsOf(v), true
}

// len is the number of fields. It takes long only for very many fields that
// count as gone.
func (h *fields) len() (n int) {
	switch {
	case h.large == nil && h.past == 0:
		return h.packed.len()
	case h.large == nil:
		h.each(func(_, _ []byte) bool { n++; return true })
		return n
	case h.past == 0:
		return h.large.Len()
	}
	return h.large.Len() - h.large.due.CountUntil(h.past)
}

// empty reports whether there is no field, and never takes long.
func (h *fields) empty() bool {
	if h.large == nil || h.past == 0 {
		return h.len() == 0
	}
	return h.large.Len() == 0 || h.large.allPast(h.past)
}

// get is the value of a field.
func (h *fields) get(field []byte) (value []byte, found bool) {
	value, _, found = h.find(field, false)
	return value, found
}

// find is the value of a field and, if asked for, when that ends, 0 for never.
func (h *fields) find(field []byte, ask bool) (text []byte, deadline int64, found bool) {
	if h.large == nil {
		p, found := h.packed.find(field)
		if !found || p.ends() && h.packed.deadline(p) <= h.past {
			return nil, 0, false
		}
		return p.valueOf(h.packed), h.packed.deadline(p), true
	}
	e, found := h.large.Find(field)
	if !found || h.large.gone(e, h.past) {
		return nil, 0, false
	}
	if ask {
		deadline = h.large.deadline(e)
	}
	return value(e), deadline, true
}

// each calls visit for every field until it returns false. Those of a packed
// hash come in the order in which they were first set.
func (h *fields) each(visit func(field, value []byte) bool) {
	if h.large != nil {
		h.large.Each(func(e dict.Element) bool {
			return h.large.gone(e, h.past) || visit(e.Text, value(e))
		})
		return
	}
	b := h.packed
	b.pairs(func(p pair) bool {
		return p.ends() && b.deadline(p) <= h.past || visit(p.fieldOf(b), p.valueOf(b))
	})
}

// shown says what of each pair a reply lists.
type shown uint8

const (
	onlyFields shown = iota
	onlyValues
	pairs
)

// items is the number of items that n pairs make.
func (s shown) items(n int) int {
	if s == pairs {
		return 2 * n
	}
	return n
}

// add appends what is shown of a pair.
func (s shown) add(items []resp.Reply, field, value []byte) []resp.Reply {
	if s != onlyValues {
		items = append(items, resp.Bulk(field))
	}
	if s != onlyFields {
		items = append(items, resp.Bulk(value))
	}
	return items
}

// list makes the items of a reply that shows the whole hash.
func (h *fields) list(tx *keyspace.Tx, s shown) []resp.Reply {
	return h.show(tx.Items(s.items(h.len()))[:0], s)
}

// show appends what is shown of all fields.
func (h *fields) show(items []resp.Reply, s shown) []resp.Reply {
	h.each(func(field, value []byte) bool {
		items = s.add(items, field, value)
		return true
	})
	return items
}
