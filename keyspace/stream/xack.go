package stream

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "XACK", Syntax: "key group id [id ...]", Arity: -4, Complexity: "O(log n) for each ID and n entries that are not acknowledged",
		Summary: "Tells a group that entries are done with, and returns how many of them it had waited for.",
		Group:   "stream", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> XADD s 1-1 f v\n\"1-1\"\n" +
			"> XGROUP CREATE s g 0\n+OK\n" +
			"> XREADGROUP GROUP g ada STREAMS s >\n%{\"s\": [[\"1-1\", [\"f\", \"v\"]]]}\n" +
			"> XACK s g 1-1 2-1\n:1\n" +
			"> XACK s g 1-1\n:0\n" +
			"> XACK s g x\n-ERR Invalid stream ID specified as stream command argument\n",
	},
	Run: xack,
})

func xack(tx *keyspace.Tx, a *command.Args) resp.Reply {
	var e edit
	if !e.open(tx, a.Key()) {
		return resp.ErrWrongType
	}
	name := a.Bytes()
	if e.stream == nil {
		return resp.Zero
	}
	g := e.group(name)
	if g == nil {
		return resp.Zero
	}
	start := *a
	for a.More() {
		readID(a)
	}
	if a.Bad() {
		return a.Err()
	}
	n := 0
	for start.More() {
		if g.acknowledge(readID(&start)) {
			n++
		}
	}
	if n > 0 {
		e.changed("")
	}
	return resp.Int(int64(n))
}
