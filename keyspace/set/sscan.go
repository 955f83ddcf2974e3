package set

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "SSCAN", Syntax: "key cursor [MATCH pattern] [COUNT count]", Arity: -3,
		Complexity: "O(1) a call, O(n) for a whole walk through n members",
		Summary:    "Walks through the members of a set in steps, beginning and ending with cursor 0.",
		Group:      "set", Since: "0.1.0", Flags: command.ReadOnly | command.Random,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> SADD s 1 12 3\n:3\n" +
			"> SSCAN s 0\n[\"0\", [\"1\", \"3\", \"12\"]]\n" +
			"> SSCAN s 0 MATCH 1*\n[\"0\", [\"1\", \"12\"]]\n" +
			"> SSCAN s x\n-ERR invalid cursor\n" +
			"> SSCAN s 0 COUNT 0\n-ERR syntax error\n",
	},
	Run: sscan,
})

// scan is one step of a walk.
type scan struct {
	match   bool // only members that match the pattern
	pattern []byte
	count   int64 // how many members to look at, at least
	seen    int64
	items   []resp.Reply
}

func sscan(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key := a.Key()
	cursor, ok := keyspace.ParseCursor(a.Bytes())
	if !ok {
		return resp.ErrCursor
	}
	s, ok := lookup(tx, key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case s.len() == 0: // the options may be wrong then
		return resp.Array(resp.BulkString("0"), resp.EmptyList)
	}
	step := readScan(a)
	if a.Bad() {
		return a.Err()
	}
	cursor = step.run(&s, cursor)
	return resp.Array(resp.BulkString(strconv.FormatUint(cursor, 10)), resp.Array(step.items...))
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

// run goes on until count members have been looked at, or to the end. A set
// that is not large is looked at as a whole, as by Redis.
func (s *scan) run(set *members, cursor uint64) (next uint64) {
	if set.large == nil {
		var d digits
		set.each(&d, func(text []byte) bool { s.visit(text); return true })
		return 0
	}
	for s.seen < s.count {
		if cursor = set.large.Scan(cursor, func(e dict.Element) { s.visit(e.Text) }); cursor == 0 {
			break
		}
	}
	return cursor
}

func (s *scan) visit(text []byte) {
	s.seen++
	if !s.match || command.Match(s.pattern, text) {
		s.items = append(s.items, resp.Bulk(text))
	}
}
