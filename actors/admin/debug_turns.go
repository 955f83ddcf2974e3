package admin

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session/transport"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "DEBUG|TURNS", Syntax: "[ON | OFF | RESET]", Arity: debugArity, Complexity: "O(1)",
		Summary: "Tells how much processor time the shards' turns took, as pairs of a bound in microseconds and the turns within it; " +
			"ON begins to measure, OFF ends it.",
		Group: "server", Since: "0.1.0", Flags: debugFlags,
		Examples: "> DEBUG TURNS\n%{}\n> DEBUG TURNS maybe\n-ERR syntax error\n",
	},
	Run: takes(0, 1, debugTurns),
})

// turnClasses is the number of classes of turns: the first is of those under
// 1.024 µs, each other reaches to the double of the one before.
const turnClasses = 32

// turnTimes counts turns by their processor time.
type turnTimes struct {
	classes [turnClasses]atomic.Int64
	longest atomic.Int64 // nanoseconds
}

func (t *turnTimes) add(nanos int64) {
	t.classes[min(bits.Len64(uint64(max(nanos, 0))>>10), turnClasses-1)].Add(1)
	for longest := t.longest.Load(); nanos > longest; longest = t.longest.Load() {
		if t.longest.CompareAndSwap(longest, nanos) {
			return
		}
	}
}

func (t *turnTimes) reset() {
	for i := range t.classes {
		t.classes[i].Store(0)
	}
	t.longest.Store(0)
}

var errNoThreadClock = resp.Error("ERR this system does not tell the processor time of a thread")

func debugTurns(c Call, a *command.Args) resp.Reply {
	node := c.system.Node
	switch {
	case a.Len() == 0:
		return c.turns.tell()
	case a.Option("ON"):
		if _, ok := transport.ThreadTime(); !ok {
			return errNoThreadClock
		}
		node.Measure(&keyspace.TurnMeter{Clock: threadTime, Took: c.turns.add})
	case a.Option("OFF"):
		node.Measure(nil)
	case a.Option("RESET"):
		c.turns.reset()
	default:
		return resp.ErrSyntax
	}
	return resp.OK
}

func threadTime() int64 {
	nanos, _ := transport.ThreadTime()
	return nanos
}

func (t *turnTimes) tell() resp.Reply {
	var pairs []resp.Reply
	for class := range t.classes {
		if n := t.classes[class].Load(); n > 0 {
			pairs = append(pairs, resp.BulkString(fmt.Sprint(int64(1024)<<class/1000)), resp.Int(n))
		}
	}
	if longest := t.longest.Load(); longest > 0 {
		pairs = append(pairs, resp.BulkString("longest"), resp.Int(longest/1000))
	}
	return resp.Map(pairs...)
}
