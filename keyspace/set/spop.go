package set

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SPOP", Syntax: "key [count]", Arity: -2, Complexity: "O(n) for n members that are removed, or for a set of n members if a large part of it is",
		Summary: "Removes members of a set chosen at random, and returns them.",
		Group:   "set", Since: "0.1.0", Flags: command.Write | command.Fast | command.Random,
		Keys: command.OneKey(command.RW | command.Access | command.Delete),
		Examples: "> SADD s 1 2\n:2\n" +
			"> SPOP s 5\n~[\"1\", \"2\"]\n" +
			"> SPOP s\n_\n" +
			"> SADD s 3\n:1\n" +
			"> SPOP s\n\"3\"\n" +
			"> SPOP s -1\n-ERR value is out of range, must be positive\n",
	},
	Run: spop,
})

func spop(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, one := a.Key(), a.Len() == 0
	count := int64(1)
	if a.Len() > 1 {
		a.Syntax()
	}
	if !one {
		count = a.IntIn(0, math.MaxInt64, resp.ErrNotPositive)
	}
	if a.Bad() {
		return a.Err()
	}
	e, ok := open(tx, key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case one && e.len() == 0:
		return resp.Nil
	case e.len() == 0 || count == 0:
		return resp.Set()
	}
	popped := e.pop(int(min(count, int64(e.len()))))
	if one {
		return popped[0]
	}
	return resp.Set(popped...)
}

// pop removes so many members, chosen at random, and saves.
func (e *edit) pop(count int) (popped []resp.Reply) {
	var d digits
	var texts []byte // copies: what is removed may not be told
	popped = make([]resp.Reply, 0, count)
	keep := func(text []byte) {
		start := len(texts)
		texts = append(texts, text...)
		popped = append(popped, resp.Bulk(texts[start:]))
	}
	if count == e.len() {
		e.each(&d, func(text []byte) bool {
			keep(text)
			return true
		})
		e.tx.Also(e.key, "spop")
		e.tx.Remove(e.v, "del")
		e.tx.Effect([]byte("DEL"), e.key)
		return popped
	}
	e.sample(e.tx, &d, count, keep)
	var room [8][]byte
	words := room[:0]
	for _, item := range popped {
		n := len(item.Str())
		e.remove(texts[:n])
		words, texts = append(words, texts[:n]), texts[n:]
	}
	e.save("spop")
	e.tx.EffectWith(words, []byte("SREM"), e.key)
	return popped
}
