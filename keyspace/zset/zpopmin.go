package zset

import (
	"math"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZPOPMIN", Syntax: "key [count]", Arity: -2,
		Complexity: "O(m log n) for m members of a sorted set of n",
		Summary:    "Removes the members with the lowest scores from a sorted set and returns them.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Delete),
		Examples: "> ZADD z 10 a 20 b 30 c\n:3\n" +
			"> ZPOPMIN z\n[\"a\", ,10]\n" +
			"> ZPOPMIN z 5\n[[\"b\", ,20], [\"c\", ,30]]\n" +
			"> ZPOPMIN z\n[]\n" +
			"> ZPOPMIN z -1\n-ERR value is out of range, must be positive\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return zpop(tx, a, lowest) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZPOPMAX", Syntax: "key [count]", Arity: -2,
		Complexity: "O(m log n) for m members of a sorted set of n",
		Summary:    "Removes the members with the highest scores from a sorted set and returns them.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Delete),
		Examples: "> ZADD z 10 a 20 b 30 c\n:3\n" +
			"> ZPOPMAX z\n[\"c\", ,30]\n" +
			"> ZPOPMAX z 5\n[[\"b\", ,20], [\"a\", ,10]]\n" +
			"> ZPOPMAX z -1\n-ERR value is out of range, must be positive\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return zpop(tx, a, highest) },
})

// side is the end of a sorted set that members are taken from.
type side struct {
	event string
	high  bool
	word  string // the command that takes them
}

var (
	lowest  = side{"zpopmin", false, "ZPOPMIN"}
	highest = side{"zpopmax", true, "ZPOPMAX"}
)

func zpop(tx *keyspace.Tx, a *command.Args, from side) resp.Reply {
	key := a.Key()
	if a.Len() > 1 {
		return resp.ErrSyntax
	}
	count, several := int64(1), a.More()
	if several {
		count = a.IntIn(0, math.MaxInt64, resp.ErrNotPositive)
	}
	if a.Bad() {
		return a.Err()
	}
	e, ok := Open(tx, key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case e.Len() == 0 || count == 0:
		return resp.EmptyList
	}
	items := e.pop(from, count, 0)
	if several {
		return resp.Twos(items...)
	}
	return resp.Array(items...)
}

// pop takes out up to count members, of which there are some, and lists them
// with their scores, after room for so many other items.
func (e *Edit) pop(from side, count int64, before int) (items []resp.Reply) {
	n := int(min(count, int64(e.Len())))
	items = e.tx.Items(before + 2*n)[:before]
	texts := e.tx.Scratch() // a copy: what lies in the slab goes
	add := func(member []byte, score float64) bool {
		begin := len(texts)
		texts = append(texts, member...)
		items = append(items, resp.Bulk(texts[begin:]), resp.Double(score))
		return true
	}
	if first := e.Len() - n; from.high {
		e.EachBack(first, first+n, add)
		e.Cut(first, first+n)
	} else {
		e.Each(0, n, add)
		e.Cut(0, n)
	}
	e.tx.KeepScratch(texts)
	e.Save(from.event)
	var digits [20]byte
	e.tx.Effect([]byte(from.word), e.key, strconv.AppendInt(digits[:0], int64(n), 10))
	return items
}
