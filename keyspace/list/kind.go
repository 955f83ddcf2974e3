package list

import (
	"iter"
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Kind is the type of value as commands use it that treat every type alike.
var Kind = keyspace.Kind{
	Type: keyspace.List,
	Each: func(_ *keyspace.Tx, v keyspace.Value, visit func(keyspace.Element) bool) {
		l := viewOf(v)
		l.each(func(text []byte) bool { return visit(keyspace.Element{Text: text}) })
	},
	Len: func(v keyspace.Value) int {
		l := viewOf(v)
		return l.len()
	},
	Put: func(tx *keyspace.Tx, key []byte, elements iter.Seq[keyspace.Element], deadline int64, event string) (mistake resp.Reply) {
		l, lim := newLarge(tx.MemOf(key)), limitsOf(tx.Settings)
		for e := range elements {
			if len(e.Text) > keyspace.TextMax {
				l.Free(l.mem, math.MaxInt)
				return resp.ErrStringSize
			}
			l.push(e.Text, right, lim)
		}
		l.give(tx, key, deadline, event)
		return resp.Nothing
	},
	Freeze: freeze,
}

// give makes a list that was built apart the key's, whatever that held before:
// a packed one if it is short, no key if it has no elements.
func (l *large) give(tx *keyspace.Tx, key []byte, deadline int64, event string) {
	switch {
	case l.items == 0:
		tx.Delete(key, "del")
	case limitsOf(tx.Settings).allow(l.items, l.used):
		tx.PutPacked(key, keyspace.Packed{Type: keyspace.List, Encoding: keyspace.Listpack, Bytes: l.pack()}, deadline, event)
		l.Free(l.mem, math.MaxInt)
	default:
		tx.PutObject(key, l, deadline, event)
	}
}
