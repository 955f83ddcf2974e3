package str

import (
	"iter"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Kind is strings, for commands that treat every type alike: each has one
// element, which is its text.
var Kind = keyspace.Kind{Type: keyspace.String, Each: eachText, Len: count, Find: find, Put: putText}

func eachText(tx *keyspace.Tx, v keyspace.Value, visit func(keyspace.Element) bool) {
	visit(keyspace.Element{Text: tx.Text(v)})
}

func count(keyspace.Value) int { return 1 }

func find(tx *keyspace.Tx, v keyspace.Value, text []byte) (e keyspace.Element, found bool) {
	e.Text = tx.Text(v)
	return e, string(e.Text) == string(text)
}

var errTexts = resp.Error("ERR a string has one text")

func putText(tx *keyspace.Tx, key []byte, elements iter.Seq[keyspace.Element], deadline int64, event string) resp.Reply {
	var text []byte
	texts := 0
	for e := range elements {
		if len(e.Text) > keyspace.TextMax {
			return resp.ErrStringSize
		}
		text = e.Text
		texts++
	}
	switch texts {
	case 0:
		tx.Delete(key, "del")
	case 1:
		tx.PutText(key, text, deadline, event)
	default:
		return errTexts
	}
	return resp.Nothing
}
