package str

import (
	"bytes"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "GETDEL", Syntax: "key", Arity: 2, Complexity: "O(1)",
		Summary: "Returns the string value of a key and deletes the key.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Delete),
		Examples: "> SET k v\n+OK\n" +
			"> GETDEL k\n\"v\"\n" +
			"> GETDEL k\n_\n" +
			"> HSET h f v\n:1\n" +
			"> GETDEL h\n-WRONGTYPE Operation against a key holding the wrong kind of value\n",
	},
	Run: getdel,
})

func getdel(tx *keyspace.Tx, a *command.Args) resp.Reply {
	v := tx.Lookup(a.Key())
	switch {
	case v.Missing():
		return resp.Nil
	case otherType(v):
		return resp.ErrWrongType
	}
	reply := kept(tx, v)
	tx.Remove(v, "del")
	return reply
}

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "DELIFEQ", Syntax: "key value", Arity: 3, Complexity: "O(1)",
		Summary: "Deletes a key if its string value is the one given, as who holds a lock does.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RM | command.Access | command.Delete),
		Examples: "> SET k mine\n+OK\n" +
			"> DELIFEQ k yours\n:0\n" +
			"> DELIFEQ k mine\n:1\n" +
			"> DELIFEQ k mine\n:0\n" +
			"> DELIFEQ k\n-ERR wrong number of arguments for 'delifeq' command\n",
	},
	Run: delifeq,
})

func delifeq(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, value := a.Key(), a.Bytes()
	v := tx.Find(key)
	switch {
	case v.Missing():
		return resp.Zero
	case otherType(v):
		return resp.ErrWrongType
	case !bytes.Equal(tx.Text(v), value):
		return resp.Zero
	}
	tx.Remove(v, "del")
	tx.Effect([]byte("DEL"), key)
	return resp.One
}
