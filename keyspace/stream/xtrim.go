package stream

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XTRIM", Syntax: "key <MAXLEN | MINID> [= | ~] threshold [LIMIT count]", Arity: -4,
		Complexity: "O(n) for n entries that go, whole blocks of them at once",
		Summary:    "Takes entries away from the beginning of a stream, until it is so long or begins with such an ID.",
		Group:      "stream", Since: "0.1.0", Flags: command.Write,
		Keys: command.OneKey(command.RW | command.Delete),
		Examples: "> XADD s 1-1 f a\n\"1-1\"\n" +
			"> XADD s 2-1 f b\n\"2-1\"\n" +
			"> XTRIM s MAXLEN ~ 1\n:0\n" +
			"> XTRIM s MAXLEN 1\n:1\n" +
			"> XTRIM s MINID 3\n:1\n" +
			"> XTRIM s MAXLEN = 1 LIMIT 1\n-ERR syntax error, LIMIT cannot be used without the special ~ option\n",
	},
	Run: xtrim,
})

func xtrim(tx *keyspace.Tx, a *command.Args) resp.Reply {
	var args trimArgs
	key := a.Key()
	for a.More() && args.read(a) {
	}
	a.End()
	if args.by == noTrim && args.limit == 0 {
		a.Fail(errTrimNothing)
	}
	args.check(a, tx.Settings)
	if a.Bad() {
		return a.Err()
	}
	var e edit
	switch ok := e.open(tx, key); {
	case !ok:
		return resp.ErrWrongType
	case e.stream == nil:
		return resp.Zero
	}
	removed := e.trim(&args.trim)
	if removed > 0 {
		e.changed("xtrim")
		var digits [numberDigits]byte
		tx.Effect([]byte("XTRIM"), key, []byte("MAXLEN"), []byte("="), strconv.AppendInt(digits[:0], int64(e.length), 10))
	}
	return resp.Int(removed)
}
