package zset

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZRANDMEMBER", Syntax: "key [count [WITHSCORES]]", Arity: -2,
		Complexity: "O(n) for n members, or for a sorted set of n members if a large part of it is asked for",
		Summary:    "Returns members of a sorted set chosen at random, different ones unless the count is negative.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Random,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 1.5 a\n:1\n" +
			"> ZRANDMEMBER z\n\"a\"\n" +
			"> ZRANDMEMBER z 5\n[\"a\"]\n" +
			"> ZRANDMEMBER z -2 WITHSCORES\n[[\"a\", ,1.5], [\"a\", ,1.5]]\n" +
			"> ZRANDMEMBER nokey\n_\n" +
			"> ZRANDMEMBER z 1 SCORES\n-ERR syntax error\n",
	},
	Run: zrandmember,
})

func zrandmember(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, single := a.Key(), a.Len() == 0
	count, scores := int64(1), false
	if !single {
		count, scores = readChoice(a)
	}
	if a.Bad() {
		return a.Err()
	}
	m, ok := Lookup(tx, key)
	n := m.Len()
	switch {
	case !ok:
		return resp.ErrWrongType
	case single && n == 0:
		return resp.Nil
	case single:
		member, _ := m.random(tx)
		return resp.Bulk(member)
	case n == 0 || count == 0:
		return resp.EmptyList
	case count >= int64(n): // all, from the last one on, as Redis lists them
		l := newListing(tx, n, scores)
		m.EachBack(0, n, l.add)
		return l.reply()
	case count > 0:
		l := newListing(tx, int(count), scores)
		m.sample(tx, int(count), l.add)
		return l.reply()
	case count < -drawnMax:
		return resp.ErrOutOfRange
	}
	return m.draw(tx, int(-count), scores)
}

var errChoice = resp.Error("ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807")

// readChoice reads the count and WITHSCORES.
func readChoice(a *command.Args) (count int64, scores bool) {
	count = a.Int()
	if count == math.MinInt64 {
		a.Fail(errChoice)
	}
	scores = a.Option("WITHSCORES")
	a.End()
	if scores && (count < -math.MaxInt64/2 || count > math.MaxInt64/2) {
		a.Fail(resp.ErrOutOfRange) // as a flat array it could not be counted
	}
	return count, scores
}

// random is a member, each as likely as any other. There must be one.
func (m *Members) random(tx *keyspace.Tx) (member []byte, score float64) {
	if m.large != nil {
		e := m.large.members.Random(tx.Rand())
		return e.Text, scoreOf(&e)
	}
	it := m.packed.itemAt(m.packed.at(int(tx.Rand() % uint64(m.packed.len()))))
	return it.text, it.score
}

// sample calls visit for so many different members, fewer than there are;
// every set of them is as likely as any other.
func (m *Members) sample(tx *keyspace.Tx, count int, visit visitor) {
	if m.large != nil {
		m.large.members.Sample(count, tx.Rand, func(e dict.Element) { visit(e.Text, scoreOf(&e)) })
		return
	}
	pick := dict.Picker{Left: m.packed.len(), Want: count}
	m.packed.each(0, pick.Left, func(member []byte, score float64) bool {
		if pick.Next(tx.Rand()) {
			visit(member, score)
		}
		return pick.Want > 0
	})
}

// drawnMax bounds how many members may be drawn, and Settings.TextMax how many
// bytes in sum, since a few members make a reply of any size. (Redis 7.0 goes
// on sending for as long as it takes.)
const drawnMax = 1 << 22

// draw lists so many members, each drawn from all.
func (m *Members) draw(tx *keyspace.Tx, count int, scores bool) resp.Reply {
	var all []Member // of a packed sorted set, which has no faster way to any of them
	if m.large == nil {
		m.packed.each(0, m.packed.len(), func(member []byte, score float64) bool {
			all = append(all, Member{member, score})
			return true
		})
	}
	l := newListing(tx, count, scores)
	for bytes := 0; count > 0; count-- {
		var drawn Member
		if m.large == nil {
			drawn = all[tx.Rand()%uint64(len(all))]
		} else {
			drawn.Text, drawn.Score = m.random(tx)
		}
		if bytes += len(drawn.Text); bytes > tx.Settings.TextMax() {
			return resp.ErrOutOfRange
		}
		l.add(drawn.Text, drawn.Score)
	}
	return l.reply()
}
