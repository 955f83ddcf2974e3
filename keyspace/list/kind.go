package list

import (
	"iter"
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Kind is lists, for commands that treat every type alike.
var Kind = keyspace.Kind{Type: keyspace.List, Each: eachElement, Len: length, Put: putElements}

func eachElement(_ *keyspace.Tx, v keyspace.Value, visit func(keyspace.Element) bool) {
	l := viewOf(v)
	l.each(func(text []byte) bool { return visit(keyspace.Element{Text: text}) })
}

func length(v keyspace.Value) int {
	l := viewOf(v)
	return l.len()
}

// putElements builds a large list and packs it if it is short.
func putElements(tx *keyspace.Tx, key []byte, elements iter.Seq[keyspace.Element], deadline int64, event string) resp.Reply {
	l, lim := newLarge(tx.MemOf(key)), limitsOf(tx.Settings)
	for e := range elements {
		if len(e.Text) > keyspace.TextMax {
			l.Free(l.mem, math.MaxInt)
			return resp.ErrStringSize
		}
		l.push(e.Text, right, lim)
	}
	switch {
	case l.items == 0:
		tx.Delete(key, "del")
	case lim.allow(l.items, l.used):
		tx.PutPacked(key, keyspace.Packed{Type: keyspace.List, Encoding: keyspace.Listpack, Bytes: l.pack()}, deadline, event)
		l.Free(l.mem, math.MaxInt)
	default:
		tx.PutObject(key, l, deadline, event)
	}
	return resp.Nothing
}
