package set

import (
	"iter"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Kind is the type of value as commands use it that treat every type alike.
var Kind = keyspace.Kind{
	Type: keyspace.Set,
	Each: func(_ *keyspace.Tx, v keyspace.Value, visit func(keyspace.Element) bool) {
		s := membersOf(v)
		var d digits
		s.each(&d, func(text []byte) bool { return visit(keyspace.Element{Text: text}) })
	},
	Len: func(v keyspace.Value) int {
		s := membersOf(v)
		return s.len()
	},
	Find: func(_ *keyspace.Tx, v keyspace.Value, text []byte) (e keyspace.Element, found bool) {
		s := membersOf(v)
		return keyspace.Element{Text: text}, s.has(text)
	},
	Put: func(tx *keyspace.Tx, key []byte, elements iter.Seq[keyspace.Element], deadline int64, event string) (mistake resp.Reply) {
		e := begin(tx, key)
		for element := range elements {
			if !e.add(element.Text) {
				e.drop()
				return errTwice
			}
		}
		e.replace(deadline, event)
		return resp.Nothing
	},
	Freeze: freeze,
}

var errTwice = resp.Error("ERR a member of the set comes twice")
