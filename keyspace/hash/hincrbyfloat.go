package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HINCRBYFLOAT", Syntax: "key field increment", Arity: 4, Complexity: "O(1)",
		Summary: "Adds to the number in a field of a hash, 0 if it is not there, and returns the sum.",
		Group:   "hash", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> HINCRBYFLOAT h f 10.5\n\"10.5\"\n" +
			"> HINCRBYFLOAT h f 1.0e2\n\"110.5\"\n" +
			"> HINCRBYFLOAT h f ten\n-ERR value is not a valid float\n" +
			"> HSET h f ten\n:0\n" +
			"> HINCRBYFLOAT h f 1\n-ERR hash value is not a float\n",
	},
	Run: hincrbyfloat,
})

var (
	errHashFloat = resp.Error("ERR hash value is not a float")
	errInfinite  = resp.Error("ERR value is NaN or Infinity")
)

func hincrbyfloat(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, field, word := a.Key(), a.Bytes(), a.Bytes()
	by, ok := keyspace.ParseLongDouble(word)
	switch {
	case !ok:
		return resp.ErrNotFloat
	case !by.Finite():
		return errInfinite
	}
	e, ok := open(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	sum := by
	if value, found := e.get(field); found {
		was, ok := keyspace.ParseLongDouble(value)
		if !ok {
			return errHashFloat
		}
		sum = was.Add(by)
	}
	if !sum.Finite() {
		return resp.ErrNaN
	}
	value := sum.Append(nil)
	if tooLong(field, value) {
		return resp.ErrStringSize
	}
	e.put(field, value, true)
	e.keptEffect(field, value)
	e.save("hincrbyfloat")
	return resp.Bulk(value)
}
