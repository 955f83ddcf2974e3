package hash

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HINCRBY", Syntax: "key field increment", Arity: 4, Complexity: "O(1)",
		Summary: "Adds to the whole number in a field of a hash, 0 if it is not there, and returns the sum.",
		Group:   "hash", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> HINCRBY h f 5\n:5\n" +
			"> HINCRBY h f -7\n:-2\n" +
			"> HSET h f ten\n:0\n" +
			"> HINCRBY h f 1\n-ERR hash value is not an integer\n",
	},
	Run: hincrby,
})

// errHashInteger is the answer to a value that cannot be counted up.
var errHashInteger = resp.Error("ERR hash value is not an integer")

func hincrby(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, field, by := a.Key(), a.Bytes(), a.Int()
	if a.Bad() {
		return a.Err()
	}
	e, ok := open(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	was := int64(0)
	if value, found := e.get(field); found {
		if was, ok = command.ParseInt(value); !ok {
			return errHashInteger
		}
	}
	sum := was + by
	if (sum > was) != (by > 0) && by != 0 {
		return resp.ErrOverflow
	}
	var digits [intMax]byte
	value := strconv.AppendInt(digits[:0], sum, 10)
	if tooLong(field, value) {
		return resp.ErrStringSize
	}
	e.put(field, value, true)
	e.save("hincrby")
	return resp.Int(sum)
}

// intMax is the longest 64-bit number in decimal, in bytes.
const intMax = 20
