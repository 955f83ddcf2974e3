package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "APPEND", Syntax: "key value", Arity: 3,
		Complexity: "O(1) for a short value, on average: now and then the string moves to a larger place",
		Summary:    "Adds to the end of a string, which is made if it is missing, and returns its length.",
		Group:      "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Insert),
		Examples: "> APPEND k Hello\n:5\n" +
			"> APPEND k \" World\"\n:11\n" +
			"> GET k\n\"Hello World\"\n" +
			"> HSET h f v\n:1\n" +
			"> APPEND h x\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: appendTo,
})

func appendTo(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, value := a.Key(), a.Bytes()
	v := tx.Find(key)
	switch {
	case v.Missing():
		tx.PutText(key, value, keyspace.NoDeadline, "append")
		return resp.Int(int64(len(value)))
	case otherType(v):
		return resp.ErrWrongType
	}
	had := len(tx.Text(v))
	if tooLong(tx, had, len(value)) {
		return resp.ErrStringSize
	}
	whole := tx.Edit(key, v, had+len(value), "append")
	copy(whole[had:], value)
	return resp.Int(int64(len(whole)))
}
