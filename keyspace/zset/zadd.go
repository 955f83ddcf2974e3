package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZADD", Syntax: "key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]", Arity: -4,
		Complexity: "O(log n) for each member, in a sorted set of n",
		Summary:    "Gives members of a sorted set their scores and answers how many are new, or with CH how many have changed.",
		Group:      "sorted-set", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Update),
		Examples: "> ZADD z 1 a 2 b\n:2\n" +
			"> ZADD z 3 b 4 c\n:1\n" +
			"> ZADD z GT CH 2 b 5 c\n:1\n" +
			"> ZADD z INCR 1.5 a\n,2.5\n" +
			"> ZADD z NX INCR 1 a\n_\n" +
			"> ZRANGE z 0 -1 WITHSCORES\n[[\"a\", ,2.5], [\"b\", ,3], [\"c\", ,5]]\n" +
			"> ZADD z NX XX 1 a\n-ERR XX and NX options at the same time are not compatible\n" +
			"> ZADD z one a\n-ERR value is not a valid float\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return add(tx, a, 0) },
})

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "ZINCRBY", Syntax: "key increment member", Arity: 4, Complexity: "O(log n) in a sorted set of n members",
		Summary: "Adds to the score of a member of a sorted set, 0 if it is not there, and returns the sum.",
		Group:   "sorted-set", Since: "0.1.0", Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.OneKey(command.RW | command.Access | command.Update),
		Examples: "> ZINCRBY z 1.5 a\n,1.5\n" +
			"> ZINCRBY z -2 a\n,-0.5\n" +
			"> ZINCRBY z one a\n-ERR value is not a valid float\n",
	},
	Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply { return add(tx, a, Incr) },
})

var (
	errNXandXX = resp.Error("ERR XX and NX options at the same time are not compatible")
	errGTandLT = resp.Error("ERR GT, LT, and/or NX options at the same time are not compatible")
	errOnePair = resp.Error("ERR INCR option supports a single increment-element pair")
	errNaN     = resp.Error("ERR resulting score is not a number (NaN)")
)

// ScoreDigits is the longest score, in decimal: 17 digits, two signs, a point and
// "e308".
const ScoreDigits = 24

// addition is what ZADD and ZINCRBY are asked to do.
type addition struct {
	key     []byte
	how     How
	changes bool     // answer how many have changed, not how many are new
	words   [][]byte // scores and members, in turn
	score   float64  // the last one
}

func add(tx *keyspace.Tx, a *command.Args, how How) resp.Reply {
	d := addition{key: a.Key(), how: how}
	if d.read(a); a.Bad() {
		return a.Err()
	}
	e, ok := Open(tx, d.key)
	switch {
	case !ok:
		return resp.ErrWrongType
	case d.how&Incr != 0:
		return d.increment(&e)
	}
	return d.addAll(&e)
}

// read reads the options, scores and members.
func (d *addition) read(a *command.Args) {
	d.readOptions(a)
	d.words = a.Rest()
	switch how := d.how; {
	case len(d.words) == 0 || len(d.words)%2 != 0:
		a.Syntax()
	case how&NX != 0 && how&XX != 0:
		a.Fail(errNXandXX)
	case how&NX != 0 && how&(GT|LT) != 0, how&GT != 0 && how&LT != 0:
		a.Fail(errGTandLT)
	case how&Incr != 0 && len(d.words) > 2:
		a.Fail(errOnePair)
	}
	for i := 0; i < len(d.words) && !a.Bad(); i += 2 {
		var ok bool
		d.score, ok = readScore(d.words[i])
		switch {
		case !ok:
			a.Fail(resp.ErrNotFloat)
		case TooLong(d.words[i+1]):
			a.Fail(resp.ErrStringSize)
		}
	}
}

func (d *addition) readOptions(a *command.Args) {
	for {
		switch {
		case a.Option("NX"):
			d.how |= NX
		case a.Option("XX"):
			d.how |= XX
		case a.Option("GT"):
			d.how |= GT
		case a.Option("LT"):
			d.how |= LT
		case a.Option("INCR"):
			d.how |= Incr
		case a.Option("CH"):
			d.changes = true
		default:
			return
		}
	}
}

// readScore is keyspace.ParseDouble, quicker for the scores that are usual:
// those of up to 15 digits, which a float64 has all.
func readScore(word []byte) (score float64, ok bool) {
	digits := word
	if len(word) > 1 && word[0] == '-' {
		digits = word[1:]
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return keyspace.ParseDouble(word)
		}
		n = n*10 + int64(c-'0')
	}
	switch {
	case len(digits) == 0 || len(digits) > 15:
		return keyspace.ParseDouble(word)
	case len(digits) < len(word):
		return -float64(n), true
	}
	return float64(n), true
}

// addAll is the addition that answers a number. Several scores are read once
// more, which takes less than to keep them.
func (d *addition) addAll(e *Edit) resp.Reply {
	added, updated := 0, 0
	for i := 0; i < len(d.words); i += 2 {
		if len(d.words) > 2 {
			d.score, _ = readScore(d.words[i])
		}
		o := e.Add(d.words[i+1], d.score, d.how)
		if o.Added {
			added++
		} else if o.Updated {
			updated++
		}
	}
	if added+updated > 0 {
		e.Save("zadd")
	}
	if d.changes {
		added += updated
	}
	return resp.Int(int64(added))
}

// increment is the addition that answers the score.
func (d *addition) increment(e *Edit) resp.Reply {
	o := e.Add(d.words[1], d.score, d.how)
	switch {
	case o.NaN:
		return errNaN
	case o.Held:
		return resp.Nil
	case o.Changed():
		e.Save("zincr")
		var digits [ScoreDigits]byte
		e.tx.Effect([]byte("ZADD"), d.key, resp.FormatDouble(digits[:0], o.Score), d.words[1])
	}
	return resp.Double(o.Score)
}
