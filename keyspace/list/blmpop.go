package list

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BLMPOP", Syntax: "timeout numkeys key [key ...] <LEFT | RIGHT> [COUNT count]", Arity: -5,
		Complexity: "O(n+m) for n keys and m elements",
		Summary:    "Takes an element away, or so many, at an end of the first list there is of several, or waits for one, and returns its key and them.",
		Group:      "list", Since: "0.1.0", Flags: command.Write | command.Blocking,
		Keys: []command.Keys{{First: 2, Counted: true, Flags: command.RW | command.Access | command.Delete}},
		Examples: "> RPUSH l a b c\n:3\n" +
			"> BLMPOP 0 2 nokey l LEFT COUNT 2\n[\"l\", [\"a\", \"b\"]]\n" +
			"> BLMPOP 0 1 l UP\n-ERR syntax error\n",
	},
	Run: blmpop,
})

// blmpop looks at the time to wait last, as Redis does.
func blmpop(tx *keyspace.Tx, a *command.Args) resp.Reply {
	timeout := *a
	a.Bytes()
	p := readManyPop(a)
	if a.Bad() {
		return a.Err()
	}
	millis := keyspace.ReadSeconds(&timeout)
	if timeout.Bad() {
		return timeout.Err()
	}
	var e edit
	key, mistake := firstList(tx, p.keys, &e)
	switch {
	case mistake.IsError():
		return mistake
	case key != nil:
		return p.take(key, &e)
	}
	return tx.Block(keyspace.Wait{
		Type: keyspace.List, Keys: places(3, len(p.keys)), Millis: millis, TimedOut: resp.NilArray, Serve: serveMany,
	})
}

func serveMany(tx *keyspace.Tx, a *command.Args, key []byte) resp.Reply {
	a.Bytes()
	p := readManyPop(a)
	var e edit
	e.open(tx, key)
	return p.take(key, &e)
}
