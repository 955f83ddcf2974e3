package set

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SRANDMEMBER", Syntax: "key [count]", Arity: -2,
		Complexity: "O(n) for n members, or for a set of n members if a large part of it is asked for",
		Summary:    "Returns members of a set chosen at random, different ones unless the count is negative.",
		Group:      "set", Since: "0.1.0", Flags: command.ReadOnly | command.Random,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SADD s m\n:1\n" +
			"> SRANDMEMBER s\n\"m\"\n" +
			"> SRANDMEMBER s 5\n[\"m\"]\n" +
			"> SRANDMEMBER s -2\n[\"m\", \"m\"]\n" +
			"> SRANDMEMBER nokey\n_\n" +
			"> SRANDMEMBER s ten\n-ERR value is not an integer or out of range\n",
	},
	Run: srandmember,
})

var errCount = resp.Error("ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807")

func srandmember(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, one := a.Key(), a.Len() == 0
	count := int64(1)
	if a.Len() > 1 {
		a.Syntax()
	}
	if !one {
		count = a.Int()
	}
	if count == math.MinInt64 {
		a.Fail(errCount)
	}
	if a.Bad() {
		return a.Err()
	}
	s, ok := lookup(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	if !one {
		return s.randomSome(tx, count)
	}
	if s.len() == 0 {
		return resp.Nil
	}
	var d digits
	return resp.Bulk(s.random(tx, &d))
}

// randomSome answers with so many members, or if that is negative with as many
// that may repeat.
func (s *members) randomSome(tx *keyspace.Tx, count int64) resp.Reply {
	switch n := s.len(); {
	case n == 0 || count == 0:
		return resp.EmptyList
	case count >= int64(n):
		return resp.Array(s.list(tx)...)
	case count > 0:
		var d digits
		items := tx.Items(int(count))[:0]
		s.sample(tx, &d, int(count), func(text []byte) { items = append(items, resp.Bulk(text)) })
		return resp.Array(items...)
	}
	items, ok := s.draw(tx, -count)
	if !ok {
		return resp.ErrOutOfRange
	}
	return resp.Array(items...)
}
