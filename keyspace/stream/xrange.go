package stream

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XRANGE", Syntax: "key start end [COUNT count]", Arity: -4, Complexity: "O(n) for n entries of the answer",
		Summary: "Lists the entries from one ID to another; - and + are the first and the last one, ( leaves an end out.",
		Group:   "stream", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> XADD s 1-1 f a\n\"1-1\"\n" +
			"> XADD s 2-1 f b\n\"2-1\"\n" +
			"> XRANGE s - +\n[[\"1-1\", [\"f\", \"a\"]], [\"2-1\", [\"f\", \"b\"]]]\n" +
			"> XRANGE s (1-1 + COUNT 1\n[[\"2-1\", [\"f\", \"b\"]]]\n" +
			"> XRANGE nokey - +\n[]\n" +
			"> XRANGE s first +\n-ERR Invalid stream ID specified as stream command argument\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return list(tx, a, false) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XREVRANGE", Syntax: "key end start [COUNT count]", Arity: -4, Complexity: "O(n) for n entries of the answer",
		Summary: "Lists the entries from one ID back to another.",
		Group:   "stream", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> XADD s 1-1 f a\n\"1-1\"\n" +
			"> XADD s 2-1 f b\n\"2-1\"\n" +
			"> XREVRANGE s + - COUNT 1\n[[\"2-1\", [\"f\", \"b\"]]]\n" +
			"> XREVRANGE s 1 -\n[[\"1-1\", [\"f\", \"a\"]]]\n" +
			"> XREVRANGE s + - COUNT\n-ERR syntax error\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return list(tx, a, true) },
})

func list(tx *keyspace.Tx, a *command.Args, reverse bool) resp.Reply {
	key, span := a.Key(), interval{}
	start := *a
	if reverse { // what comes first in words is checked last
		a.Bytes()
	}
	span.readFirst(a)
	if reverse {
		end := start
		span.readLast(&end)
		if end.Bad() {
			a.Fail(end.Err())
		}
	} else {
		span.readLast(a)
	}
	count := readCount(a, -1)
	if a.Bad() {
		return a.Err()
	}
	s, ok := lookup(tx, key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case s == nil:
		return resp.EmptyList
	case count == 0:
		return resp.NilArray
	}
	w := walk{reverse: reverse}
	w.begin(s, span)
	items, buf := w.entries(tx.Scratch(), max(count, 0), nil)
	tx.KeepScratch(buf)
	return items
}

// readCount reads COUNT up to the end of the words; without it the count is
// other. A negative one is 0.
func readCount(a *command.Args, other int64) (count int64) {
	count = other
	for a.More() {
		if !a.OptionWith("COUNT", 1) {
			a.Syntax()
			break
		}
		count = max(a.Int(), 0)
	}
	return count
}
