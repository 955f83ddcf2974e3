package admin

import (
	"fmt"
	"unsafe"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = KeyspaceCommands.Add(command.Spec[View]{
	Meta: command.Meta{
		Name: "DEBUG|OBJECT", Syntax: "key", Arity: debugArity, Complexity: "O(1)",
		Summary: "Tells how a key's value is kept.",
		Group:   "server", Since: "0.1.0", Flags: debugFlags, // below: as of several keys, since it may be missing
		Keys: []command.Keys{{First: 2, Last: -1, Step: 1, Flags: command.RO}},
		Examples: "> SET k v\n+OK\n> DEBUG OBJECT k\n*\n> DEBUG OBJECT nokey\n-ERR no such key\n" +
			"> DEBUG OBJECT\n-ERR unknown subcommand or wrong number of arguments for 'OBJECT'. Try DEBUG HELP.\n",
	},
	Run: takes(1, 1, debugObject),
})

// debugObject answers in Redis's line, which its tests read, with our own
// fields behind.
func debugObject(v View, a *command.Args) resp.Reply {
	key := a.Key()
	found := v.Tx.Peek(key)
	if found.Missing() {
		return resp.ErrNoSuchKey
	}
	at := unsafe.Pointer(nil)
	if !found.IsObject() {
		at = unsafe.Pointer(unsafe.SliceData(found.Packed()))
	}
	return resp.Simple(fmt.Sprintf("Value at:%p refcount:1 encoding:%s serializedlength:%d lru:%d lru_seconds_idle:%d type:%s bytes:%d shard:%d slot:%d",
		at, found.Encoding(), serializedLength(v.Tx, found), found.Stamp(), v.Tx.Idle(found), found.Type(), found.Bytes(),
		v.system.Node.ShardOf(key), keyspace.Slot(key)))
}

// serializedLength is how long the value is in Redis's format, without the byte
// that tells its form.
func serializedLength(tx *keyspace.Tx, found keyspace.Value) int {
	value, ok := rdb.ValueOf(tx, found)
	if !ok {
		return 0
	}
	e := rdb.NewEncoder(nil)
	e.Value(value)
	return max(0, len(e.Bytes())-1)
}
