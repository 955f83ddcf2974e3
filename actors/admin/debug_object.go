package admin

import (
	"fmt"
	"unsafe"

	"github.com/troupedb/troupe/keyspace"
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
// fields behind. The serialized length is that of the packed form.
func debugObject(v View, a *command.Args) resp.Reply {
	key := a.Key()
	found := v.Tx.Peek(key)
	if found.Missing() {
		return resp.ErrNoSuchKey
	}
	length, at := found.Bytes(), unsafe.Pointer(nil)
	if !found.IsObject() {
		packed := found.Packed()
		length, at = int64(len(packed)), unsafe.Pointer(unsafe.SliceData(packed))
	}
	return resp.Simple(fmt.Sprintf("Value at:%p refcount:1 encoding:%s serializedlength:%d lru:%d lru_seconds_idle:%d type:%s bytes:%d shard:%d slot:%d",
		at, found.Encoding(), length, found.Stamp(), v.Tx.Idle(found), found.Type(), found.Bytes(),
		v.system.Node.ShardOf(key), keyspace.Slot(key)))
}
