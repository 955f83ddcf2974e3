package list

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LPOP", Syntax: "key [count]", Arity: -2, Complexity: "O(n) for n elements",
		Summary: "Takes the first element of a list away, or so many, and returns them.",
		Group:   "list", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Delete),
		Examples: "> RPUSH l a b c\n:3\n" +
			"> LPOP l\n\"a\"\n" +
			"> LPOP l 5\n[\"b\", \"c\"]\n" +
			"> LPOP l\n_\n" +
			"> LPOP l -1\n-ERR value is out of range, must be positive\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return pop(tx, a, left) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "RPOP", Syntax: "key [count]", Arity: -2, Complexity: "O(n) for n elements",
		Summary: "Takes the last element of a list away, or so many from the last on, and returns them.",
		Group:   "list", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Delete),
		Examples: "> RPUSH l a b c\n:3\n" +
			"> RPOP l\n\"c\"\n" +
			"> RPOP l 5\n[\"b\", \"a\"]\n" +
			"> RPOP l 1 2\n-ERR wrong number of arguments for 'rpop' command\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return pop(tx, a, right) },
})

// popped is what keyspace notifications call a pop at that end.
func (at side) popped() string {
	if at == left {
		return "lpop"
	}
	return "rpop"
}

// pop is the name of the command that pops at that end.
func (at side) pop() []byte {
	if at == left {
		return []byte("LPOP")
	}
	return []byte("RPOP")
}

func pop(tx *keyspace.Tx, a *command.Args, at side) resp.Reply {
	key, count, several := a.Key(), int64(1), a.Len() > 0
	if a.Len() > 1 {
		return resp.ErrArity(a.Meta().Name)
	}
	if several {
		count = a.IntIn(0, math.MaxInt64, resp.ErrNotPositive)
	}
	if a.Bad() {
		return a.Err()
	}
	var e edit
	switch {
	case !e.open(tx, key):
		return resp.ErrWrongType
	case e.v.Missing() && several:
		return resp.NilArray
	case e.v.Missing():
		return resp.Nil
	case several:
		return e.pop(count, at)
	}
	return e.popOne(at)
}

// popOne takes an element away at an end of a list that has one, and returns
// it.
func (e *edit) popOne(at side) resp.Reply {
	w := e.walkFrom(at)
	text := append(e.tx.Scratch(), w.from(at)...)
	e.tx.KeepScratch(text)
	e.drop(1, at, at.popped())
	return resp.Bulk(text)
}

// pop takes at most so many elements away at an end of a list that has one,
// and returns them.
func (e *edit) pop(count int64, at side) resp.Reply {
	n := int(min(count, int64(e.len())))
	items := e.taken(e.tx, n, at)
	if n > 0 {
		e.drop(n, at, at.popped())
	}
	return resp.Array(items...)
}
