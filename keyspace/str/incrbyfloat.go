package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "INCRBYFLOAT", Syntax: "key increment", Arity: 3, Complexity: "O(1)",
		Summary: "Adds to the decimal number that a key holds, 0 if it is missing.",
		Group:   "string", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> SET k 3\n+OK\n" +
			"> INCRBYFLOAT k 1.1\n\"4.1\"\n" +
			"> SET k 5.0e3\n+OK\n" +
			"> INCRBYFLOAT k 2.0e2\n\"5200\"\n" +
			"> INCRBYFLOAT k inf\n-ERR increment would produce NaN or Infinity\n" +
			"> INCRBYFLOAT k ten\n-ERR value is not a valid float\n",
	},
	Run: incrbyfloat,
})

func incrbyfloat(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, word := a.Key(), a.Bytes()
	v := tx.Find(key)
	if otherType(v) {
		return resp.ErrWrongType
	}
	was, ok1 := decimal(tx, v)
	by, ok2 := keyspace.ParseLongDouble(word)
	if !ok1 || !ok2 {
		return resp.ErrNotFloat
	}
	sum := was.Add(by)
	if !sum.Finite() {
		return resp.ErrNaN
	}
	digits := sum.Append(tx.Scratch())
	tx.KeepScratch(digits)
	enc := keyspace.Embstr // even if it is an integer, as in Redis
	if len(digits) > keyspace.EmbstrMax {
		enc = keyspace.Raw
	}
	tx.PutPacked(key, keyspace.Packed{Type: keyspace.String, Encoding: enc, Bytes: digits}, keyspace.KeepDeadline, "incrbyfloat")
	setEffect(tx, key, digits, keyspace.KeepDeadline)
	return resp.Bulk(digits)
}

// decimal is the number that a string is, 0 if it is missing.
func decimal(tx *keyspace.Tx, v keyspace.Value) (x keyspace.LongDouble, ok bool) {
	switch {
	case v.Missing():
		return x, true
	case v.Encoding() == keyspace.Int:
		return keyspace.LongDoubleOf(v.Int()), true
	}
	return keyspace.ParseLongDouble(tx.Text(v))
}
