package hash

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HSCAN", Arity: -3,
		Syntax:     "key cursor [MATCH pattern] [COUNT count] [NOVALUES]",
		Complexity: "O(1) a call, O(n) for a whole walk through n fields",
		Summary:    "Walks through the fields of a hash in steps, beginning and ending with cursor 0.",
		Group:      "hash", Since: "0.1.0", Flags: command.ReadOnly | command.Random,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> HSET h a 1 ab 2 b 3\n:3\n" +
			"> HSCAN h 0\n[\"0\", [\"a\", \"1\", \"ab\", \"2\", \"b\", \"3\"]]\n" +
			"> HSCAN h 0 MATCH a* NOVALUES\n[\"0\", [\"a\", \"ab\"]]\n" +
			"> HSCAN h x\n-ERR invalid cursor\n" +
			"> HSCAN h 0 COUNT 0\n-ERR syntax error\n",
	},
	Run: hscan,
})

// scan is one step of a walk.
type scan struct {
	match   bool // only fields that match the pattern
	pattern []byte
	count   int64 // how many fields to look at, at least
	show    shown
	seen    int64
	items   []resp.Reply
}

func hscan(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key := a.Key()
	cursor, ok := keyspace.ParseCursor(a.Bytes())
	if !ok {
		return resp.ErrCursor
	}
	h, ok := lookup(tx, key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case h.empty(): // the options may be wrong then
		return resp.Array(resp.BulkString("0"), resp.EmptyList)
	}
	s := readScan(a)
	if a.Bad() {
		return a.Err()
	}
	if h.large == nil {
		s.count = int64(h.len()) // all at once, as Redis does
	}
	s.begin(tx, h.len())
	cursor = s.step(&h, cursor)
	return resp.Array(resp.BulkString(strconv.FormatUint(cursor, 10)), resp.Array(s.items...))
}

// defaultCount is the COUNT of a scan without one.
const defaultCount = 10

func readScan(a *command.Args) (s scan) {
	s.count, s.show = defaultCount, pairs
	for a.More() {
		switch {
		case a.OptionWith("COUNT", 1):
			if s.count = a.Int(); s.count < 1 {
				a.Syntax()
			}
		case a.OptionWith("MATCH", 1):
			s.pattern = a.Bytes()
			s.match = string(s.pattern) != "*"
		case a.Option("NOVALUES"):
			s.show = onlyFields
		default:
			a.Syntax()
		}
	}
	return s
}

// begin makes room for what a step through a hash of so many fields may find.
func (s *scan) begin(tx *keyspace.Tx, fields int) {
	if !s.match {
		fields = int(min(int64(fields), s.count+bucketRoom))
		s.items = tx.Items(s.show.items(fields))[:0:s.show.items(fields)]
	}
}

// bucketRoom is about how many more fields than asked for the last bucket has.
const bucketRoom = 8

// step goes on until count fields have been looked at, or to the end.
func (s *scan) step(h *fields, cursor uint64) (next uint64) {
	if h.large == nil {
		h.each(func(field, value []byte) bool { s.visit(field, value); return true })
		return 0
	}
	for s.seen < s.count {
		cursor = h.large.Scan(cursor, func(e dict.Element) {
			if !h.large.gone(e, h.past) {
				s.visit(e.Text, value(e))
			}
		})
		if cursor == 0 {
			break
		}
	}
	return cursor
}

func (s *scan) visit(field, value []byte) {
	s.seen++
	if !s.match || command.Match(s.pattern, field) {
		s.items = s.show.add(s.items, field, value)
	}
}
