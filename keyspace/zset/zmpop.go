package zset

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZMPOP", Syntax: "numkeys key [key ...] <MIN | MAX> [COUNT count]", Arity: -4,
		Complexity: "O(k + m log n) for k keys and m members of a sorted set of n",
		Summary:    "Removes the members with the lowest or highest scores from the first of several sorted sets that is not empty.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write,
		Keys: []command.Keys{{First: 1, Counted: true, Flags: command.RW | command.Access | command.Delete}},
		Examples: "> ZADD {z}2 10 a 20 b 30 c\n:3\n" +
			"> ZMPOP 2 {z}1 {z}2 MIN COUNT 2\n[\"{z}2\", [[\"a\", ,10], [\"b\", ,20]]]\n" +
			"> ZMPOP 1 {z}1 MAX\n_\n" +
			"> ZMPOP 0 {z}1 MIN\n-ERR numkeys should be greater than 0\n" +
			"> ZMPOP 1 {z}1 MID\n-ERR syntax error\n",
	},
	Run: zmpop,
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "BZMPOP", Syntax: "timeout numkeys key [key ...] <MIN | MAX> [COUNT count]", Arity: -5,
		Complexity: "O(k + m log n) for k keys and m members of a sorted set of n",
		Summary:    "Is ZMPOP, and waits for a member if all the sorted sets are empty.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write | command.Blocking,
		Keys: []command.Keys{{First: 2, Counted: true, Flags: command.RW | command.Access | command.Delete}},
		Examples: "> ZADD {z}2 10 a 20 b 30 c\n:3\n" +
			"> BZMPOP 1 2 {z}1 {z}2 MAX\n[\"{z}2\", [[\"c\", ,30]]]\n" +
			"> BZMPOP 0.01 1 {z}1 MIN\n_\n" +
			"> BZMPOP -1 1 {z}1 MIN\n-ERR timeout is negative\n",
	},
	Run: bzmpop,
})

var (
	errNumKeys = resp.Error("ERR numkeys should be greater than 0")
	errCount   = resp.Error("ERR count should be greater than 0")
)

// multiPop is what ZMPOP is asked to do.
type multiPop struct {
	keys  [][]byte
	from  side
	count int64
}

func (p *multiPop) read(a *command.Args) {
	n := a.IntIn(1, math.MaxInt64, errNumKeys)
	if n >= int64(a.Len()) {
		a.Syntax()
	}
	if a.Bad() {
		return
	}
	for range n {
		p.keys = append(p.keys, a.Key())
	}
	switch {
	case a.Option("MIN"):
		p.from = lowest
	case a.Option("MAX"):
		p.from = highest
	default:
		a.Syntax()
	}
	p.count = 1
	if a.OptionWith("COUNT", 1) {
		p.count = a.IntIn(1, math.MaxInt64, errCount)
	}
	a.End()
}

func zmpop(tx *keyspace.Tx, a *command.Args) resp.Reply {
	var p multiPop
	if p.read(a); a.Bad() {
		return a.Err()
	}
	reply, found := p.run(tx)
	if !found {
		return resp.NilArray
	}
	return reply
}

// run pops from the first key that has members, if there is one.
func (p *multiPop) run(tx *keyspace.Tx) (reply resp.Reply, found bool) {
	for _, key := range p.keys {
		e, ok := Open(tx, key)
		switch {
		case !ok:
			return resp.ErrWrongType, true
		case e.Len() > 0:
			return p.reply(key, e.pop(p.from, p.count, 0)), true
		}
	}
	return resp.Nothing, false
}

// reply is an array of arrays of two in both protocols.
func (p *multiPop) reply(key []byte, items []resp.Reply) resp.Reply {
	twos := make([]resp.Reply, 0, len(items)/2)
	for ; len(items) > 0; items = items[2:] {
		twos = append(twos, resp.Array(items[:2:2]...))
	}
	return resp.Array(resp.Bulk(key), resp.Array(twos...))
}

func bzmpop(tx *keyspace.Tx, a *command.Args) resp.Reply {
	timeout := *a
	a.Bytes()
	var p multiPop
	if p.read(a); a.Bad() { // what is wrong there comes first
		return a.Err()
	}
	millis := keyspace.ReadSeconds(&timeout)
	if timeout.Bad() {
		return timeout.Err()
	}
	reply, found := p.run(tx)
	if found {
		return reply
	}
	const firstKey = 3
	return tx.Block(keyspace.Wait{
		Type: keyspace.SortedSet, Keys: places(firstKey, len(p.keys)), Millis: millis, TimedOut: resp.NilArray,
		Serve: serveMultiPop,
	})
}

func serveMultiPop(tx *keyspace.Tx, a *command.Args, key []byte) resp.Reply {
	a.Bytes()
	var p multiPop
	p.read(a)
	p.keys = [][]byte{key}
	reply, _ := p.run(tx)
	return reply
}

// places are so many words, from the first on.
func places(first, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = first + i
	}
	return list
}
