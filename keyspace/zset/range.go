package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// order is by what a range is asked for.
type order uint8

const (
	byRank order = iota
	byScore
	byText
)

// query is a range as ZRANGE and its older relatives are asked for it.
type query struct {
	by         order
	fixed      bool // by and back are the command's, no options
	back       bool // from the highest to the lowest
	scores     bool // WITHSCORES
	store      bool // the range is kept, not shown: no WITHSCORES
	from, to   []byte
	start, end int64 // of byRank, both included; negative: from the other end
	edges      edges // of the others
	offset     int64
	limit      int64 // -1: none
}

var (
	errLimit      = resp.Error("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX")
	errTextScores = resp.Error("ERR syntax error, WITHSCORES not supported in combination with BYLEX")
)

// read reads the two ends and the options.
func (q *query) read(a *command.Args) {
	q.limit = -1
	q.from, q.to = a.Bytes(), a.Bytes()
	for a.More() {
		q.readOption(a)
	}
	switch {
	case a.Bad():
	case q.limit != -1 && q.by == byRank:
		a.Fail(errLimit)
	case q.scores && q.by == byText:
		a.Fail(errTextScores)
	}
	q.readEnds(a)
}

func (q *query) readOption(a *command.Args) {
	switch {
	case !q.store && a.Option("WITHSCORES"):
		q.scores = true
	case a.OptionWith("LIMIT", 2):
		q.offset, q.limit = a.Int(), a.Int()
	case !q.fixed && !q.back && a.Option("REV"):
		q.back = true
	case !q.fixed && q.by == byRank && a.Option("BYSCORE"):
		q.by = byScore
	case !q.fixed && q.by == byRank && a.Option("BYLEX"):
		q.by = byText
	default:
		a.Syntax()
	}
}

func (q *query) readEnds(a *command.Args) {
	if a.Bad() {
		return
	}
	low, high := q.from, q.to
	if q.back {
		low, high = high, low
	}
	var mistake resp.Reply
	switch q.by {
	case byScore:
		q.edges, mistake = readScores(low, high)
	case byText:
		q.edges, mistake = readTexts(low, high)
	default:
		q.start, q.end, mistake = readRanks(q.from, q.to)
	}
	if mistake.IsError() {
		a.Fail(mistake)
	}
}

func readRanks(from, to []byte) (start, end int64, mistake resp.Reply) {
	start, ok1 := command.ParseInt(from)
	end, ok2 := command.ParseInt(to)
	if !ok1 || !ok2 {
		return 0, 0, resp.ErrNotInteger
	}
	return start, end, resp.Nothing
}

// ranks is the range of ranks that is meant, in rising order.
func (q *query) ranks(m *Members) (first, end int) {
	if q.by == byRank {
		first, end = span(q.start, q.end, m.Len())
		if q.back {
			first, end = m.Len()-end, m.Len()-first
		}
		return first, end
	}
	first, end = m.within(q.edges)
	if q.offset < 0 || q.offset >= int64(end-first) {
		return first, first
	}
	if q.back {
		end -= int(q.offset)
	} else {
		first += int(q.offset)
	}
	switch more := int64(end - first); {
	case q.limit < 0 || q.limit >= more:
	case q.back:
		first = end - int(q.limit)
	default:
		end = first + int(q.limit)
	}
	return first, end
}

// span makes of two places in n, both included and from the end if negative,
// the places from the first up to, and without, end.
func span(start, stop int64, n int) (first, end int) {
	if start < 0 {
		start = max(0, start+int64(n))
	}
	if stop < 0 {
		stop += int64(n)
	}
	if start > stop || start >= int64(n) {
		return 0, 0
	}
	return int(start), int(min(stop, int64(n)-1)) + 1
}

// answer finds the range and shows it.
func (q *query) answer(tx *keyspace.Tx, key []byte) resp.Reply {
	m, ok := Lookup(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	first, end := q.ranks(&m)
	l := newListing(tx, end-first, q.scores)
	switch {
	case q.back:
		m.EachBack(first, end, l.add)
	case m.large != nil && !q.scores:
		l.texts, l.members = m.large.appendBulks(l.texts, first, end), end-first
	default:
		m.Each(first, end, l.add)
	}
	return l.reply()
}

// listing is a reply that lists members, with or without their scores.
type listing struct {
	tx      *keyspace.Tx
	members int
	texts   []byte       // without
	items   []resp.Reply // with
	scores  bool
}

func newListing(tx *keyspace.Tx, members int, scores bool) listing {
	if scores {
		return listing{tx: tx, scores: true, items: tx.Items(2 * members)[:0]}
	}
	return listing{tx: tx, texts: tx.Scratch()}
}

func (l *listing) add(member []byte, score float64) bool {
	if l.scores {
		l.items = append(l.items, resp.Bulk(member), resp.Double(score))
		return true
	}
	l.members++
	l.texts = resp.AppendBulk(l.texts, member)
	return true
}

func (l *listing) reply() resp.Reply {
	if l.scores {
		return resp.Twos(l.items...)
	}
	l.tx.KeepScratch(l.texts)
	return resp.Bulks(l.members, l.texts)
}

// runRange is a command that shows a range of the key in its first word.
func runRange(q query) func(*keyspace.Tx, *command.Args) resp.Reply {
	return func(tx *keyspace.Tx, a *command.Args) resp.Reply {
		key, q := a.Key(), q
		if q.read(a); a.Bad() {
			return a.Err()
		}
		return q.answer(tx, key)
	}
}
