package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GETRANGE", Syntax: "key start end", Arity: 4, Complexity: "O(n) for n bytes returned",
		Summary: "Returns part of a string, both ends included; negative places count from its end.",
		Group:   "string", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SET k \"This is a string\"\n+OK\n" +
			"> GETRANGE k 0 3\n\"This\"\n" +
			"> GETRANGE k -3 -1\n\"ing\"\n" +
			"> GETRANGE k 5 100\n\"is a string\"\n" +
			"> GETRANGE nokey 0 -1\n\"\"\n" +
			"> GETRANGE k 0 end\n-ERR value is not an integer or out of range\n",
	},
	Run: getrange,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SUBSTR", Syntax: "key start end", Arity: 4, Complexity: "O(n) for n bytes returned",
		Summary: "Returns part of a string: an old name of GETRANGE.",
		Group:   "string", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SET k \"This is a string\"\n+OK\n" +
			"> SUBSTR k 0 3\n\"This\"\n" +
			"> SUBSTR k 0 end\n-ERR value is not an integer or out of range\n",
	},
	Run: getrange,
})

func getrange(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, start, end := a.Key(), a.Int(), a.Int()
	if a.Bad() {
		return a.Err()
	}
	v := tx.Lookup(key)
	if otherType(v) {
		return resp.ErrWrongType
	}
	return resp.Bulk(slice(text(tx, v), start, end))
}

// slice is the part of b from start to end, which is included.
func slice(b []byte, start, end int64) []byte {
	n := int64(len(b))
	if start < 0 && end < 0 && start > end {
		return nil
	}
	if start < 0 {
		start += n
	}
	if end < 0 {
		end += n
	}
	start, end = max(start, 0), min(max(end, 0), n-1)
	if start > end {
		return nil
	}
	return b[start : end+1]
}
