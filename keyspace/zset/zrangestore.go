package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZRANGESTORE", Arity: -5,
		Syntax:     "dst src min max [BYSCORE | BYLEX] [REV] [LIMIT offset count]",
		Complexity: "O(log n + m) for m members of a sorted set of n",
		Summary:    "Makes a key the sorted set that is a range of another one, and returns the number of its members.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write | command.DenyOOM,
		Keys: []command.Keys{{First: 1, Flags: command.OW | command.Update}, {First: 2, Flags: command.RO | command.Access}},
		Examples: "> ZADD {z}1 10 a 20 b 30 c\n:3\n" +
			"> ZRANGESTORE {z}2 {z}1 1 -1\n:2\n" +
			"> ZRANGE {z}2 0 -1 WITHSCORES\n[[\"b\", ,20], [\"c\", ,30]]\n" +
			"> ZRANGESTORE {z}2 {z}1 0 -1 WITHSCORES\n-ERR syntax error\n",
	},
	Run: zrangestore,
})

func zrangestore(tx *keyspace.Tx, a *command.Args) resp.Reply {
	dst, src := a.Key(), a.Key()
	q := query{store: true}
	if q.read(a); a.Bad() {
		return a.Err()
	}
	m, ok := Lookup(tx, src)
	if !ok {
		return resp.ErrWrongType
	}
	first, end := q.ranks(&m)
	if first == end {
		tx.Delete(dst, "del")
		return resp.Zero
	}
	members := make([]Member, 0, end-first)
	m.Each(first, end, func(member []byte, score float64) bool {
		members = append(members, Member{member, score})
		return true
	})
	q.dropSigns(tx, members)
	store(tx, dst, members, put{keyspace.NoDeadline, "zrangestore"})
	return resp.Int(int64(len(members)))
}

// dropSigns makes 0 of -0 where Redis does: it puts the members in one by one, and
// while the set is small enough to be packed, which keeps whole numbers as
// integers. Only of ranges of ranks does it know before how many there will be.
func (q *query) dropSigns(tx *keyspace.Tx, members []Member) {
	entries, value := tx.Settings.SortedSetPackedEntries, tx.Settings.SortedSetPackedValue
	if q.by == byRank && len(members) > entries {
		return
	}
	for i := range members {
		m := &members[i]
		if q.back {
			m = &members[len(members)-1-i]
		}
		if i >= entries || len(m.Text) > value {
			return
		}
		if m.Score == 0 {
			m.Score = 0
		}
	}
}
