package list

import (
	"bytes"
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "LPOS", Syntax: "key element [RANK rank] [COUNT num-matches] [MAXLEN len]", Arity: -3,
		Complexity: "O(n) for n elements looked at",
		Summary:    "Tells where in a list an element is: the first place, or with COUNT so many, 0 for all.",
		Group:      "list", Since: "0.1.0", Flags: command.ReadOnly,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> RPUSH l a b c b a\n:5\n" +
			"> LPOS l b\n:1\n" +
			"> LPOS l b RANK -1\n:3\n" +
			"> LPOS l a COUNT 0\n[:0, :4]\n" +
			"> LPOS l x\n_\n" +
			"> LPOS l a COUNT -1\n-ERR COUNT can't be negative\n",
	},
	Run: lpos,
})

// The answers to numbers that LPOS can't use.
var (
	errRank = resp.Error("ERR RANK can't be zero: use 1 to start from the first match, " +
		"2 from the second ... or use negative to start from the end of the list")
	errCount  = resp.Error("ERR COUNT can't be negative")
	errMaxLen = resp.Error("ERR MAXLEN can't be negative")
)

// search is what LPOS looks for, from one end: matches from the one of that
// rank on, among so many elements.
type search struct {
	text     []byte
	from     side
	rank     int64
	matches  int64
	elements int64
	listed   bool // COUNT was given
}

func parseSearch(a *command.Args) search {
	s := search{text: a.Bytes(), rank: 1, matches: 1, elements: math.MaxInt64}
	for a.More() {
		switch {
		case a.OptionWith("RANK", 1):
			if s.rank = a.Int(); s.rank == 0 {
				a.Fail(errRank)
			}
		case a.OptionWith("COUNT", 1):
			s.matches, s.listed = orAll(a.IntIn(0, math.MaxInt64, errCount)), true
		case a.OptionWith("MAXLEN", 1):
			s.elements = orAll(a.IntIn(0, math.MaxInt64, errMaxLen))
		default:
			a.Syntax()
		}
	}
	if s.rank < 0 {
		s.from = right
		s.rank = max(-s.rank, 1) // the least number has no opposite, and is the last match in Redis
	}
	return s
}

// orAll is a bound for which 0 stands for none.
func orAll(n int64) int64 {
	if n == 0 {
		return math.MaxInt64
	}
	return n
}

func lpos(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key, s := a.Key(), parseSearch(a)
	if a.Bad() {
		return a.Err()
	}
	l, ok := lookup(tx, key)
	if !ok {
		return resp.ErrWrongType
	}
	found := s.in(&l)
	switch {
	case s.listed:
		return resp.Array(found...)
	case len(found) == 0:
		return resp.Nil
	}
	return found[0]
}

// in is the places of the matches in a list.
func (s search) in(l *view) (places []resp.Reply) {
	length := int64(l.len())
	if length == 0 {
		return nil
	}
	w := l.walkFrom(s.from)
	for i := range min(length, s.elements) {
		if !bytes.Equal(w.from(s.from), s.text) {
			continue
		}
		if s.rank--; s.rank > 0 {
			continue
		}
		if s.from == right {
			i = length - 1 - i
		}
		places = append(places, resp.Int(i))
		if int64(len(places)) == s.matches {
			break
		}
	}
	return places
}
