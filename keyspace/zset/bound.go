package zset

import (
	"bytes"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rank"
	"github.com/troupedb/troupe/resp"
)

// edge is one end of a range: a bound, or the begin or end of the order.
type edge struct {
	at    place
	bound rank.Bound
}

type place uint8

const (
	atBound place = iota
	atBegin
	atEnd
)

// rank is the number of members before the edge.
func (m *Members) rank(e edge) int {
	switch e.at {
	case atBegin:
		return 0
	case atEnd:
		return m.Len()
	}
	return m.Rank(e.bound)
}

// edges are both ends of a range of scores or of texts.
type edges struct{ low, high edge }

// within is the range of ranks that lies between the edges.
func (m *Members) within(e edges) (first, end int) {
	if m.Len() == 0 {
		return 0, 0
	}
	first = m.rank(e.low)
	return first, max(first, m.rank(e.high))
}

var (
	errScoreRange = resp.Error("ERR min or max is not a float")
	errTextRange  = resp.Error("ERR min or max not valid string range item")
)

// edgeReader reads the two ends of a range, or answers what is wrong.
type edgeReader func(low, high []byte) (e edges, mistake resp.Reply)

// readScores reads the ends of a range of scores: 1.5, (1.5, -inf.
func readScores(low, high []byte) (e edges, mistake resp.Reply) {
	min, above, ok1 := readScoreEnd(low)
	max, below, ok2 := readScoreEnd(high)
	if !ok1 || !ok2 {
		return edges{}, errScoreRange
	}
	e.low.bound, e.high.bound = rank.BeforeScore(min), rank.AfterScore(max)
	if above {
		e.low.bound = rank.AfterScore(min)
	}
	if below {
		e.high.bound = rank.BeforeScore(max)
	}
	return e, resp.Nothing
}

// readScoreEnd reads one end as C's strtod does, which is more lenient than a
// score: nothing is 0, blanks may stand before, text ends at a NUL, and what
// is too large is infinite.
func readScoreEnd(word []byte) (score float64, exclusive, ok bool) {
	if len(word) > 0 && word[0] == '(' {
		word, exclusive = word[1:], true
	}
	if word, _, _ = bytes.Cut(word, []byte{0}); len(word) == 0 {
		return 0, exclusive, true
	}
	word = bytes.TrimLeft(word, " \t\n\v\f\r")
	score, ok = keyspace.ParseEdge(word)
	return score, exclusive, ok
}

// readTexts reads the ends of a range of texts: [a, (a, - or +.
func readTexts(low, high []byte) (e edges, mistake resp.Reply) {
	var ok1, ok2 bool
	e.low, ok1 = readTextEnd(low, rank.BeforeText, rank.AfterText)
	e.high, ok2 = readTextEnd(high, rank.AfterText, rank.BeforeText)
	if !ok1 || !ok2 {
		return edges{}, errTextRange
	}
	return e, resp.Nothing
}

// readTextEnd reads one end; inclusive and exclusive make its bound.
func readTextEnd(word []byte, inclusive, exclusive func([]byte) rank.Bound) (e edge, ok bool) {
	if len(word) == 0 {
		return edge{}, false
	}
	alone := len(word) == 1 || word[1] == 0
	switch {
	case word[0] == '-' && alone:
		return edge{at: atBegin}, true
	case word[0] == '+' && alone:
		return edge{at: atEnd}, true
	case word[0] == '[':
		return edge{bound: inclusive(word[1:])}, true
	case word[0] == '(':
		return edge{bound: exclusive(word[1:])}, true
	}
	return edge{}, false
}
