// Package str holds the commands on strings.
package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]

// text is the text of the key's String, nil if it is missing. A value of
// another type is the error.
func text(tx *keyspace.Tx, v keyspace.Value) (text []byte, err resp.Reply) {
	switch {
	case v.Missing():
		return nil, resp.Nothing
	case !v.Is(keyspace.String):
		return nil, resp.ErrWrongType
	}
	return tx.Text(v), resp.Nothing
}
