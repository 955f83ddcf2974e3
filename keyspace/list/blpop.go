package list

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// blockingPopKeys are the keys of BLPOP and BRPOP.
var blockingPopKeys = []command.Keys{{First: 1, Last: -2, Step: 1, Flags: command.RW | command.Access | command.Delete}}

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BLPOP", Syntax: "key [key ...] timeout", Arity: -3, Complexity: "O(n) for n keys",
		Summary: "Takes the first element of the first list there is of several away, or waits for one, and returns its key and it.",
		Group:   "list", Since: "0.1.0", Flags: command.Write | command.NoScript | command.Blocking, Keys: blockingPopKeys,
		Examples: "> RPUSH l a b\n:2\n" +
			"> BLPOP nokey l 0\n[\"l\", \"a\"]\n" +
			"> BLPOP l soon\n-ERR timeout is not a float or out of range\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return blockingPop(tx, a, left) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BRPOP", Syntax: "key [key ...] timeout", Arity: -3, Complexity: "O(n) for n keys",
		Summary: "Takes the last element of the first list there is of several away, or waits for one, and returns its key and it.",
		Group:   "list", Since: "0.1.0", Flags: command.Write | command.NoScript | command.Blocking, Keys: blockingPopKeys,
		Examples: "> RPUSH l a b\n:2\n" +
			"> BRPOP nokey l 0\n[\"l\", \"b\"]\n" +
			"> BRPOP l -1\n-ERR timeout is negative\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return blockingPop(tx, a, right) },
})

func blockingPop(tx *keyspace.Tx, a *command.Args, at side) resp.Reply {
	keys := readWords(a, a.Len()-1)
	millis := keyspace.ReadSeconds(a)
	if a.Bad() {
		return a.Err()
	}
	var e edit
	key, mistake := firstList(tx, keys, &e)
	switch {
	case mistake.IsError():
		return mistake
	case key != nil:
		return e.popFirst(at)
	}
	wait := keyspace.Wait{Type: keyspace.List, Keys: places(1, len(keys)), Millis: millis, TimedOut: resp.NilArray}
	wait.Serve = serveLeft
	if at == right {
		wait.Serve = serveRight
	}
	return tx.Block(wait)
}

// places are those of n words from the first on.
func places(first, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = first + i
	}
	return list
}

func serveLeft(tx *keyspace.Tx, _ *command.Args, key []byte) resp.Reply { return serve(tx, key, left) }
func serveRight(tx *keyspace.Tx, _ *command.Args, key []byte) resp.Reply {
	return serve(tx, key, right)
}

func serve(tx *keyspace.Tx, key []byte, at side) resp.Reply {
	var e edit
	e.open(tx, key)
	return e.popFirst(at)
}

// popFirst takes an element away, and answers the key and it.
func (e *edit) popFirst(at side) resp.Reply {
	element := e.popOne(at)
	e.tx.Effect(at.pop(), e.key)
	return resp.Array(resp.Bulk(e.key), element)
}
