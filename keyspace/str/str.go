// Package str holds the commands on strings.
//
// A string is packed in its key's entry: as a number if its text is one, else
// as the text. OBJECT ENCODING tells int, embstr and raw where Redis does.
package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]

// otherType reports whether a value is there and is no string.
func otherType(v keyspace.Value) bool { return !v.Missing() && !v.Is(keyspace.String) }

// text is the text of a string, empty if it is missing: see Tx.Text.
func text(tx *keyspace.Tx, v keyspace.Value) []byte {
	if v.Missing() {
		return nil
	}
	return tx.Text(v)
}

// kept is the reply with the text of a string that the command is about to
// change, whose memory may be used again then.
func kept(tx *keyspace.Tx, v keyspace.Value) resp.Reply {
	if v.Encoding() == keyspace.Int {
		return resp.Bulk(tx.Text(v)) // which is in the scratch buffer already
	}
	buf := append(tx.Scratch(), tx.Text(v)...)
	tx.KeepScratch(buf)
	return resp.Bulk(buf)
}

// tooLong reports whether a string that is to have so many bytes and more
// after them would be longer than allowed.
func tooLong(tx *keyspace.Tx, size, more int) bool { return size > tx.Settings.TextMax()-more }
