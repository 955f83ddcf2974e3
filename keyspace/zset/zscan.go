package zset

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZSCAN", Syntax: "key cursor [MATCH pattern] [COUNT count]", Arity: -3,
		Complexity: "O(1) a call, O(n) for a whole walk through n members",
		Summary:    "Walks through the members of a sorted set in steps, beginning and ending with cursor 0.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.ReadOnly | command.Random,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> ZADD z 1 a 2.5 ab 3 b\n:3\n" +
			"> ZSCAN z 0\n[\"0\", [\"a\", \"1\", \"ab\", \"2.5\", \"b\", \"3\"]]\n" +
			"> ZSCAN z 0 MATCH a*\n[\"0\", [\"a\", \"1\", \"ab\", \"2.5\"]]\n" +
			"> ZSCAN z x\n-ERR invalid cursor\n" +
			"> ZSCAN z 0 COUNT 0\n-ERR syntax error\n",
	},
	Run: zscan,
})

// scan is one step of a walk.
type scan struct {
	match   bool // only members that match the pattern
	pattern []byte
	count   int64 // how many members to look at, at least
	seen    int64
	items   []resp.Reply
	scores  []byte // their texts
	write   func(dst []byte, score float64) []byte
}

func zscan(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key := a.Key()
	cursor, ok := keyspace.ParseCursor(a.Bytes())
	if !ok {
		return resp.ErrCursor
	}
	m, ok := Lookup(tx, key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case m.Len() == 0: // the options may be wrong then
		return resp.Array(resp.BulkString("0"), resp.EmptyList)
	}
	s := readScan(a)
	if a.Bad() {
		return a.Err()
	}
	s.scores = tx.Scratch()
	cursor = s.run(&m, cursor)
	tx.KeepScratch(s.scores)
	return resp.Array(resp.BulkString(strconv.FormatUint(cursor, 10)), resp.Array(s.items...))
}

// defaultCount is the COUNT of a scan without one.
const defaultCount = 10

func readScan(a *command.Args) (s scan) {
	s.count = defaultCount
	for a.More() {
		switch {
		case a.OptionWith("COUNT", 1):
			if s.count = a.Int(); s.count < 1 {
				a.Syntax()
			}
		case a.OptionWith("MATCH", 1):
			s.pattern = a.Bytes()
			s.match = string(s.pattern) != "*"
		default:
			a.Syntax()
		}
	}
	return s
}

// run goes on until count members have been looked at, or to the end. A packed
// sorted set is looked at as a whole, as by Redis.
func (s *scan) run(m *Members, cursor uint64) (next uint64) {
	if m.large == nil {
		s.write = writePacked
		m.packed.each(0, m.packed.len(), s.visit)
		return 0
	}
	s.write = writeLarge
	for s.seen < s.count {
		cursor = m.large.members.Scan(cursor, func(e dict.Element) { s.visit(e.Text, scoreOf(&e)) })
		if cursor == 0 {
			break
		}
	}
	return cursor
}

// visit lists a member with its score, as a text in both protocols.
func (s *scan) visit(member []byte, score float64) bool {
	s.seen++
	if !s.match || command.Match(s.pattern, member) {
		begin := len(s.scores)
		s.scores = s.write(s.scores, score)
		s.items = append(s.items, resp.Bulk(member), resp.Bulk(s.scores[begin:]))
	}
	return true
}

// writeLarge and writePacked write scores as ZSCAN shows them: those of a packed
// sorted set without an exponent if they are whole numbers, up to 2^62.
func writeLarge(dst []byte, score float64) []byte { return resp.FormatDouble(dst, score) }

func writePacked(dst []byte, score float64) []byte {
	if n := int64(score); score >= -1<<62 && score <= 1<<62 && float64(n) == score {
		return strconv.AppendInt(dst, n, 10)
	}
	return resp.FormatDouble(dst, score)
}
