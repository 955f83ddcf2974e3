package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HGETEX", Arity: -5, Complexity: "O(n) for n fields",
		Syntax: "key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | PERSIST] " +
			"FIELDS numfields field [field ...]",
		Summary: "Returns the values of fields of a hash and says when they end.",
		Group:   "hash", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> HSET h a 1 b 2\n:2\n" +
			"> HGETEX h EX 100 FIELDS 2 a x\n[\"1\", _]\n" +
			"> HTTL h FIELDS 2 a b\n[:100, :-1]\n" +
			"> HGETEX h PERSIST FIELDS 1 a\n[\"1\"]\n" +
			"> HTTL h FIELDS 1 a\n[:-1]\n" +
			"> HGETEX h FIELDS 2 a b\n[\"1\", \"2\"]\n" +
			"> HGETEX h FIELDS 0 a\n-ERR Number of fields must be a positive integer\n",
	},
	Run: hgetex,
})

func hgetex(tx *keyspace.Tx, a *command.Args) resp.Reply {
	e, ok := open(tx, a.Key())
	if !ok {
		return resp.ErrWrongType
	}
	deadline, expires := timeOption(tx, a)
	persists := !expires && a.Option("PERSIST")
	names := readFields(a, errFieldCount)
	if a.Bad() {
		return a.Err()
	}
	var copied values
	var room [few][]byte
	treated, all := room[:0], notAllowed
	items := tx.Items(len(names))
	for i, field := range names {
		result := notAllowed
		items[i] = copied.of(&e, field)
		switch {
		case expires:
			result = e.expire(field, deadline, always)
		case persists:
			result = e.persist(field)
		}
		if result > 0 {
			treated, all = append(treated, field), result
		}
	}
	e.saveEnds(treated, all, deadline)
	return resp.Array(items...)
}

// values keeps copies of values, which outlive changes of the hash.
type values struct{ buf []byte }

// of is the value of a field as a reply.
func (c *values) of(e *edit, field []byte) resp.Reply {
	value, found := e.get(field)
	if !found {
		return resp.Nil
	}
	start := len(c.buf)
	c.buf = append(c.buf, value...)
	return resp.Bulk(c.buf[start:])
}
