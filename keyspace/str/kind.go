package str

import (
	"iter"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Kind is strings, for commands that treat every type alike: each has one
// element, which is its text.
var Kind = keyspace.Kind{
	Type: keyspace.String, Each: eachText, Len: count, Find: find,
	Put: func(tx *keyspace.Tx, key []byte, elements iter.Seq[keyspace.Element], deadline int64, event string) (mistake resp.Reply) {
		text, texts, mistake := only(elements)
		switch {
		case mistake.IsError():
			return mistake
		case texts == 0:
			tx.Delete(key, "del")
		default:
			tx.PutText(key, text, deadline, event)
		}
		return resp.Nothing
	},
}

func eachText(tx *keyspace.Tx, v keyspace.Value, visit func(keyspace.Element) bool) {
	visit(keyspace.Element{Text: tx.Text(v)})
}

func count(keyspace.Value) int { return 1 }

func find(tx *keyspace.Tx, v keyspace.Value, text []byte) (e keyspace.Element, found bool) {
	e.Text = tx.Text(v)
	return e, string(e.Text) == string(text)
}

var errTexts = resp.Error("ERR a string has one text")

// only is the one text of the elements, of which there may be none.
func only(elements iter.Seq[keyspace.Element]) (text []byte, texts int, mistake resp.Reply) {
	for e := range elements {
		if len(e.Text) > keyspace.TextMax {
			return nil, 0, resp.ErrStringSize
		}
		text = e.Text
		texts++
	}
	if texts > 1 {
		return nil, 0, errTexts
	}
	return text, texts, resp.Nothing
}
