package stream

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XDEL", Syntax: "key id [id ...]", Arity: -3, Complexity: "O(log n) for each ID and n entries",
		Summary: "Deletes entries by their IDs and returns how many were there. The stream stays, be it empty.",
		Group:   "stream", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Delete),
		Examples: "> XADD s 1-1 f v\n\"1-1\"\n" +
			"> XDEL s 1-1 2-1\n:1\n" +
			"> XLEN s\n:0\n" +
			"> XDEL nokey 1-1\n:0\n" +
			"> XDEL s x\n-ERR Invalid stream ID specified as stream command argument\n",
	},
	Run: xdel,
})

func xdel(tx *keyspace.Tx, a *command.Args) resp.Reply {
	var e edit
	switch ok := e.open(tx, a.Key()); {
	case !ok:
		return resp.ErrWrongType
	case e.stream == nil:
		return resp.Zero
	}
	ids := readIDs(a)
	if a.Bad() {
		return a.Err()
	}
	removed, bounds := 0, false
	for _, id := range ids {
		if !e.remove(id) {
			continue
		}
		removed++
		bounds = bounds || id == e.first || id == e.end
		if e.tomb.less(id) {
			e.tomb = id
		}
	}
	if removed > 0 {
		if bounds {
			e.bound()
		}
		e.changed("xdel")
	}
	return resp.Int(int64(removed))
}

// readIDs reads IDs up to the end.
func readIDs(a *command.Args) []ID {
	ids := make([]ID, 0, a.Len())
	for a.More() {
		ids = append(ids, readID(a))
	}
	return ids
}
