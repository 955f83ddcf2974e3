package hash

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "HSETEX", Arity: -6, Complexity: "O(n) for n fields",
		Syntax: "key [FNX | FXX] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL] " +
			"FIELDS numfields field value [field value ...]",
		Summary: "Sets fields of a hash and says when they end, if none of them exists yet, or all do, where that is asked for.",
		Group:   "hash", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> HSETEX h EX 100 FIELDS 2 a 1 b 2\n:1\n" +
			"> HTTL h FIELDS 2 a b\n[:100, :100]\n" +
			"> HSETEX h FNX FIELDS 2 b 3 c 3\n:0\n" +
			"> HSETEX h FXX KEEPTTL FIELDS 1 a 4\n:1\n" +
			"> HSETEX h FIELDS 1 b 5\n:1\n" +
			"> HTTL h FIELDS 2 a b\n[:100, :-1]\n" +
			"> HSETEX h FNX FXX FIELDS 1 a 1\n-ERR Only one of FXX or FNX arguments can be specified\n",
	},
	Run: hsetex,
})

var (
	errOneCondition  = resp.Error("ERR Only one of FXX or FNX arguments can be specified")
	errOneExpiration = resp.Error("ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified")
	errInvalidFields = resp.Error("ERR invalid number of fields")
)

// setting is what HSETEX is to do.
type setting struct {
	ifNone, ifAll bool // FNX, FXX
	keep          bool // KEEPTTL
	expires       bool
	deadline      int64
	pairs         [][]byte
}

func hsetex(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key := a.Key()
	s := readSetting(tx, a)
	if a.Bad() {
		return a.Err()
	}
	for i := 0; i < len(s.pairs); i += 2 {
		if tooLong(s.pairs[i], s.pairs[i+1]) {
			return resp.ErrStringSize
		}
	}
	e, ok := open(tx, key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case !s.allowed(&e):
		return resp.Zero
	}
	s.apply(&e)
	return resp.One
}

// readSetting reads the words after the key.
func readSetting(tx *keyspace.Tx, a *command.Args) (s setting) {
	for a.More() && s.pairs == nil {
		switch {
		case (s.expires || s.keep) && nextIs(a, "EX", "PX", "EXAT", "PXAT", "KEEPTTL"):
			a.Fail(errOneExpiration)
		case (s.ifNone || s.ifAll) && nextIs(a, "FNX", "FXX"):
			a.Fail(errOneCondition)
		case nextIs(a, "EX", "PX", "EXAT", "PXAT"):
			s.deadline, s.expires = timeOption(tx, a)
		case a.Option("KEEPTTL"):
			s.keep = true
		case a.Option("FNX"):
			s.ifNone = true
		case a.Option("FXX"):
			s.ifAll = true
		case a.Option("FIELDS"):
			s.pairs = readPairs(a)
		default:
			shown, _, _ := bytes.Cut(a.Bytes(), []byte{0}) // as a string of C's
			a.Fail(resp.Error("ERR unknown argument: " + string(bytes.TrimRight(shown, "\r\n"))))
		}
	}
	return s
}

// nextIs reports whether the next word is one of these.
func nextIs(a *command.Args, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return command.EqualFold(a.Peek(), word) })
}

// readPairs reads a number, and so many fields with their values, to the end.
func readPairs(a *command.Args) (pairs [][]byte) {
	if a.Len() < 3 {
		a.Fail(resp.ErrArity(a.Meta().Name))
	}
	n := a.IntIn(1, math.MaxInt32, errInvalidFields)
	if 2*n != int64(a.Len()) {
		a.Fail(resp.ErrArity(a.Meta().Name))
	}
	return a.Rest()
}

// allowed reports whether the fields are there, or are not, as is asked for.
func (s *setting) allowed(e *edit) bool {
	if !s.ifNone && !s.ifAll {
		return true
	}
	for i := 0; i < len(s.pairs); i += 2 {
		if _, found := e.get(s.pairs[i]); found != s.ifAll {
			return false
		}
	}
	return true
}

// apply sets the fields and saves. If their time has passed already, it removes
// them instead: nobody sees them in between.
func (s *setting) apply(e *edit) {
	if s.expires && s.deadline <= e.tx.Now() {
		s.remove(e)
		return
	}
	for i := 0; i < len(s.pairs); i += 2 {
		e.put(s.pairs[i], s.pairs[i+1], s.expires || s.keep)
		if s.expires {
			e.setDeadline(s.pairs[i], s.deadline)
		}
	}
	switch {
	case s.expires:
		e.tx.Also(e.key, "hset")
		e.save("hexpire")
		var digits [intMax]byte
		s.effect(e, []byte("PXAT"), strconv.AppendInt(digits[:0], s.deadline, 10))
	case s.keep && e.timed():
		e.save("hset")
		s.effect(e, []byte("KEEPTTL"))
	default:
		e.save("hset")
		e.tx.EffectWith(s.pairs, []byte("HSET"), e.key)
	}
}

// effect records what was set, with the words about its end.
func (s *setting) effect(e *edit, end ...[]byte) {
	var count [intMax]byte
	n := strconv.AppendInt(count[:0], int64(len(s.pairs)/2), 10)
	words := append(append([][]byte{[]byte("HSETEX"), e.key}, end...), []byte("FIELDS"), n)
	e.tx.EffectWith(s.pairs, words...)
}

// keptEffect records the value that a field was given, whose end stays. It is
// called before save.
func (e *edit) keptEffect(field, value []byte) {
	if _, deadline, _ := e.find(field, true); deadline != 0 {
		e.tx.Effect([]byte("HSETEX"), e.key, []byte("KEEPTTL"), []byte("FIELDS"), []byte("1"), field, value)
		return
	}
	e.tx.Effect([]byte("HSET"), e.key, field, value)
}

func (s *setting) remove(e *edit) {
	var removed [][]byte
	for i := 0; i < len(s.pairs); i += 2 {
		if e.remove(s.pairs[i]) {
			removed = append(removed, s.pairs[i])
		}
	}
	if removed != nil {
		e.tx.Also(e.key, "hset")
		e.save("hdel")
		e.tx.EffectWith(removed, []byte("HDEL"), e.key)
	}
}
