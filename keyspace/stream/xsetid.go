package stream

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XSETID", Syntax: "key last-id [ENTRIESADDED entries-added] [MAXDELETEDID max-deleted-id]", Arity: -3, Complexity: "O(1)",
		Summary: "Sets the last ID of a stream, and what it counts, for tools that rebuild one.",
		Group:   "stream", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> XADD s 1-1 f v\n\"1-1\"\n" +
			"> XSETID s 5-0\n+OK\n" +
			"> XADD s 4-0 f v\n-ERR The ID specified in XADD is equal or smaller than the target stream top item\n" +
			"> XSETID s 1-0\n-ERR The ID specified in XSETID is smaller than the target stream top item\n" +
			"> XSETID nokey 1-0\n-ERR no such key\n",
	},
	Run: xsetid,
})

var (
	errSetAdded  = resp.Error("ERR entries_added must be positive")
	errSetTomb   = resp.Error("ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id")
	errSetPast   = resp.Error("ERR The ID specified in XSETID is smaller than the target stream top item")
	errSetTooFew = resp.Error("ERR The entries_added specified in XSETID is smaller than the target stream length")
)

func xsetid(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, last, added, tomb := a.Key(), readID(a), int64(-1), ID{}
	for a.More() {
		switch {
		case a.OptionWith("ENTRIESADDED", 1):
			if added = a.Int(); added < 0 {
				a.Fail(errSetAdded)
			}
		case a.OptionWith("MAXDELETEDID", 1):
			if tomb = readID(a); last.less(tomb) {
				a.Fail(errSetTomb)
			}
		default:
			a.Syntax()
		}
	}
	if a.Bad() {
		return a.Err()
	}
	var e edit
	switch ok := e.open(tx, key); {
	case e.v.Missing():
		return resp.ErrNoSuchKey
	case !ok:
		return resp.ErrWrongType
	case e.length > 0 && last.less(e.end):
		return errSetPast
	case e.length > 0 && added >= 0 && added < int64(e.length):
		return errSetTooFew
	}
	e.last = last
	if added >= 0 {
		e.added = uint64(added)
	}
	if tomb != (ID{}) {
		e.tomb = tomb
	}
	e.changed("xsetid")
	return resp.OK
}
