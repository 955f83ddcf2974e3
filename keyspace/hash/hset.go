package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HSET", Syntax: "key field value [field value ...]", Arity: -4, Complexity: "O(n) for n fields",
		Summary: "Sets fields of a hash and answers how many are new.",
		Group:   "hash", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> HSET h a 1 b 2\n:2\n" +
			"> HSET h b 3 c 4\n:1\n" +
			"> HMGET h a b c\n[\"1\", \"3\", \"4\"]\n" +
			"> HSET h a\n-ERR wrong number of arguments for 'hset' command\n",
	},
	Run: hset,
})

func hset(tx *keyspace.Tx, a *command.Args) resp.Reply {
	added, err := setAll(tx, a)
	if err.IsError() {
		return err
	}
	return resp.Int(int64(added))
}

// setAll reads a key and pairs, sets them, and counts the fields that are new.
func setAll(tx *keyspace.Tx, a *command.Args) (added int, err resp.Reply) {
	key, words := a.Key(), a.Rest()
	if len(words)%2 != 0 {
		return 0, resp.ErrArity(a.Meta().Name)
	}
	for i := 0; i < len(words); i += 2 {
		if tooLong(words[i], words[i+1]) {
			return 0, resp.ErrStringSize
		}
	}
	e, ok := open(tx, key)
	if !ok {
		return 0, resp.ErrWrongType
	}
	for i := 0; i < len(words); i += 2 {
		if e.set(words[i], words[i+1]) {
			added++
		}
	}
	e.save("hset")
	return added, resp.Nothing
}
