package session

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rank"
	"github.com/troupedb/troupe/keyspace/zset"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/resp/dice"
)

// Sorted sets in DiceDB's protocols: members are answered with their ranks,
// which begin at 1, and with scores that are whole numbers. Scores are numbers
// as everywhere here: those beyond 2^53 are rounded. What cannot be answered is
// not taken out, and not made.

// diceElements collects members of a sorted set for a reply.
type diceElements struct {
	tx      *keyspace.Tx
	copies  bool   // for the members may go before they are read
	texts   []byte // the copies
	items   []resp.Reply
	rank    int64 // of the next
	step    int64
	refusal resp.Reply // instead of the reply
}

// collect collects the members of the ranks, counted from 0, from first up to,
// and without, end; back: from the last one.
func (d *diceElements) collect(m *zset.Members, first, end int, back bool) {
	if end-first > dice.ElementsMax {
		d.refusal = dice.ErrTooLarge
		return
	}
	d.items = d.tx.Items(dice.ElementItems * (end - first))[:0]
	d.rank, d.step = int64(first)+1, 1
	if back {
		d.rank, d.step = int64(end), -1
		m.EachBack(first, end, d.visit)
		return
	}
	m.Each(first, end, d.visit)
}

func (d *diceElements) visit(member []byte, score float64) bool {
	whole, ok := dice.Score(score)
	if !ok {
		d.refusal = dice.ErrScore
		return false
	}
	if d.copies {
		begin := len(d.texts)
		d.texts = append(d.texts, member...)
		member = d.texts[begin:]
	}
	d.items = dice.AppendElement(d.items, dice.Element{Rank: d.rank, Score: whole, Member: member})
	d.rank += d.step
	return true
}

// reply is the members collected, or why they cannot be answered.
func (d *diceElements) reply() resp.Reply {
	if d.refusal.IsError() {
		return d.refusal
	}
	reply := resp.Array(d.items...)
	if refusal := dice.Unspeakable(&reply); refusal.IsError() {
		return refusal
	}
	return reply
}

// diceZrange answers a range of ranks or, with BYSCORE, of scores. Any other
// word there stands for ranks. If the range ends before it starts, it is gone
// through backwards.
func diceZrange(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key := a.Key()
	start, mistake := dice.ParseNumber(a.Bytes())
	stop, mistake2 := dice.ParseNumber(a.Bytes())
	switch {
	case a.Len() > 1:
		return resp.ErrArity(a.Meta().Name)
	case mistake.IsError():
		return mistake
	case mistake2.IsError():
		return mistake2
	}
	m, ok := zset.Lookup(tx, key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case m.Len() == 0:
		return resp.EmptyList
	}
	byScore := a.Option("BYSCORE")
	if !byScore {
		start, stop = diceRank(start, m.Len()), diceRank(stop, m.Len())
	}
	back := start > stop
	if back {
		start, stop = stop, start
	}
	n := int64(m.Len())
	first, end := int(min(start-1, n)), int(min(stop, n))
	if byScore {
		first, end = m.Rank(rank.BeforeScore(float64(start))), m.Rank(rank.AfterScore(float64(stop)))
	}
	d := diceElements{tx: tx}
	d.collect(&m, first, end, back)
	return d.reply()
}

// diceRank makes a rank of one that may be counted from the end of n members,
// if it is negative. Before the first there is none.
func diceRank(rank int64, n int) int64 {
	if rank < 0 {
		rank += int64(n) + 1
	}
	return max(rank, 1)
}

// diceZrank answers a member with its rank and score: both are 0 if it is not
// there.
func diceZrank(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, member := a.Key(), a.Bytes()
	m, ok := zset.Lookup(tx, key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case m.Len() == 0:
		return resp.Nil
	}
	items := tx.Items(dice.ElementItems)[:0]
	at, score, found := m.RankOf(member)
	if !found {
		return resp.Array(dice.AppendElement(items, dice.Element{Member: member})...)
	}
	whole, ok := dice.Score(score)
	if !ok {
		return dice.ErrScore
	}
	return resp.Array(dice.AppendElement(items, dice.Element{Rank: int64(at) + 1, Score: whole, Member: member})...)
}

func diceZpopmin(tx *keyspace.Tx, a *command.Args) resp.Reply { return diceZpop(tx, a, false) }
func diceZpopmax(tx *keyspace.Tx, a *command.Args) resp.Reply { return diceZpop(tx, a, true) }

// diceZpop takes out the members with the lowest scores, or the highest, and
// answers them with the ranks that they had.
func diceZpop(tx *keyspace.Tx, a *command.Args, highest bool) resp.Reply {
	key, count := a.Key(), int64(1)
	if a.Len() > 1 {
		return resp.ErrArity(a.Meta().Name)
	}
	if a.More() {
		var mistake resp.Reply
		if count, mistake = dice.ParseNumber(a.Bytes()); mistake.IsError() || count < 1 {
			return resp.ErrNotInteger
		}
	}
	e, ok := zset.Open(tx, key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case e.Len() == 0:
		return resp.EmptyList
	}
	n := int(min(count, int64(e.Len())))
	first, event := 0, "zpopmin"
	if highest {
		first, event = e.Len()-n, "zpopmax"
	}
	d := diceElements{tx: tx, copies: true, texts: tx.Scratch()}
	d.collect(&e.Members, first, first+n, highest)
	tx.KeepScratch(d.texts)
	reply := d.reply()
	if !reply.IsError() {
		e.Cut(first, first+n)
		e.Save(event)
	}
	return reply
}

// diceZadd adds scores as ours does. With INCR, which answers the sum, it must
// be one that can be answered.
func diceZadd(ours dataRun) dataRun {
	return func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		words := a.Argv()
		if string(words[2]) != dice.Increments {
			return ours(tx, a)
		}
		e, ok := zset.Open(tx, words[1])
		if !ok {
			return resp.ErrWrongType
		}
		member, by := words[len(words)-1], words[len(words)-2]
		n, _ := dice.ParseNumber(by)
		score, _ := e.Score(member)
		if _, ok := dice.Score(score + float64(n)); !ok {
			return dice.ErrScore
		}
		reply := ours(tx, a)
		if reply.Kind() != resp.Decimal {
			return reply
		}
		whole, _ := dice.Score(reply.Float())
		return resp.Int(whole)
	}
}
