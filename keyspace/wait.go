package keyspace

import (
	"bytes"
	"math"
	"slices"
	"sync/atomic"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Wait says what a blocking command that finds nothing waits for.
type Wait struct {
	// Type is the type of value that ends the waiting, once one of Keys holds
	// it. (To wait for a type is to wait for any value of it.)
	Type Type
	// Ready, if set, says instead whether Serve has something to answer now: it is
	// asked after each change of key that is told of by Tx.Feed, and when key
	// comes, goes or changes its type, whatever it holds then. It changes nothing.
	Ready func(tx *Tx, key []byte) bool
	// Keys are the places of those keys among the command's words, in the
	// order in which they are preferred.
	Keys []int
	// Millis is how long to wait, in milliseconds; 0 for ever.
	Millis int64
	// TimedOut is the answer when the time is up.
	TimedOut resp.Reply
	// AtOnce is the answer where nobody can wait, if it is another one.
	AtOnce resp.Reply
	// Serve runs the command for key, which is of Type now, and answers it. It
	// has the command's words to read anew (a stands before the first one) and
	// touches no key but key and those that Also names. It runs in a turn of
	// its own, right after the command that made the key.
	Serve func(tx *Tx, a *command.Args, key []byte) resp.Reply
	// Also is the place among the words of another key that Serve changes
	// (BLMOVE's destination); 0 for none.
	Also int
}

// The answers to a time to wait that is none.
var (
	errTimeoutNotFloat = resp.Error("ERR timeout is not a float or out of range")
	errTimeoutNegative = resp.Error("ERR timeout is negative")
)

// ReadSeconds reads the time to wait of a blocking command: seconds, in parts
// too. It is returned in milliseconds, rounded up; 0 is for ever. What is more
// than can be counted is called negative, as by Redis, and what is too little is a
// millisecond: its numbers reach further than a float64.
func ReadSeconds(a *command.Args) (millis int64) {
	text := a.Bytes()
	seconds, ok := ParseEdge(text)
	if _, inRange := ParseDouble(text); ok && !inRange && seconds == 0 {
		seconds = math.Copysign(1e-9, seconds)
	}
	switch ms := math.Ceil(seconds * 1000); {
	case !ok:
		a.Fail(errTimeoutNotFloat)
	case ms < 0 || ms >= math.MaxInt64:
		a.Fail(errTimeoutNegative)
	default:
		return int64(ms)
	}
	return 0
}

// Waiting is told what a blocking command got in the end. It returns at once:
// it sends a message.
type Waiting interface {
	Served(w *Waiter, reply []byte)
}

// Waiter is a blocking command that waits. It stands in a line for each of its
// keys, in the shards of these keys, until somebody claims it: a shard that
// has something for it, or whoever ends the waiting from outside.
type Waiter struct {
	Wait
	spec    *command.Spec[*Tx]
	argv    [][]byte
	db      int
	caller  Caller
	noTouch bool
	encoder resp.Encoder
	waiting Waiting
	claimed atomic.Bool
	reply   []byte // to be handed to waiting at the turn's end
}

// Claim makes the caller the one who answers the command, and reports whether
// it still could be claimed. Any goroutine may call it.
func (w *Waiter) Claim() (first bool) { return w.claimed.CompareAndSwap(false, true) }

// DB is the database that the command waits in.
func (w *Waiter) DB() int { return w.db }

// EachKey calls visit for each key that the command waits for.
func (w *Waiter) EachKey(visit func(key []byte)) {
	for _, at := range w.Keys {
		visit(w.argv[at])
	}
}

// Block makes the present command wait. Within a transaction, and wherever
// else nobody can wait, it is as if the time were up.
func (tx *Tx) Block(wait Wait) resp.Reply {
	x, q := tx.batch, tx.request
	if x == nil || x.Atomic || x.Waiting == nil || q.Do != nil || tx.Scripted {
		if wait.AtOnce.Kind() != resp.None {
			return wait.AtOnce
		}
		return wait.TimedOut
	}
	w := &Waiter{Wait: wait, spec: q.Spec, argv: cloneWords(q.Argv), db: tx.DB, caller: x.Caller, noTouch: x.NoTouch,
		encoder: x.encoderOf(q), waiting: x.Waiting}
	w.EachKey(func(key []byte) { tx.standInLine(w, key) })
	x.Blocked = w
	return resp.Nothing
}

// cloneWords copies words that are to outlive their request.
func cloneWords(argv [][]byte) [][]byte {
	words := make([][]byte, len(argv))
	for i, arg := range argv {
		words[i] = bytes.Clone(arg)
	}
	return words
}

// line is the commands that wait for one key, in the order of their arrival.
type line struct {
	waiters []*Waiter
	passing int // of those, how many change another key too
	asking  int // and how many have a Ready
}

// lines is who waits for which key of one database.
type lines map[string]*line

// standInLine puts a waiter at the end of a key's line, once.
func (tx *Tx) standInLine(w *Waiter, key []byte) {
	at := tx.homeOf(key)
	if at.d.waiting == nil {
		at.d.waiting = lines{}
	}
	l := at.d.waiting[string(key)]
	if l == nil {
		l = &line{}
		at.d.waiting[string(key)] = l
	}
	if slices.Contains(l.waiters, w) {
		return
	}
	l.waiters = append(l.waiters, w)
	if w.Also > 0 {
		l.passing++
		at.sh.passing++
	}
	if w.Ready != nil {
		l.asking++
	}
}

// Leave takes a waiter out of the lines in the shards at hand.
func (w *Waiter) Leave(tx *Tx) {
	tx.DB = w.db
	w.EachKey(func(key []byte) {
		if sh := tx.heldShard(ShardOf(key, tx.total)); sh != nil {
			home{sh, &sh.dbs[w.db]}.leaveLine(w, key)
		}
	})
}

// leaveLine takes a waiter out of a key's line.
func (at home) leaveLine(w *Waiter, key []byte) {
	l := at.d.waiting[string(key)]
	if l == nil {
		return
	}
	n := slices.Index(l.waiters, w)
	if n < 0 {
		return
	}
	l.waiters = slices.Delete(l.waiters, n, n+1)
	if w.Also > 0 {
		l.passing--
		at.sh.passing--
	}
	if w.Ready != nil {
		l.asking--
	}
	if len(l.waiters) == 0 {
		delete(at.d.waiting, string(key))
	}
}

// WaitedKeys is the number of keys that somebody waits for, in all databases.
func (sh *Shard) WaitedKeys() (n int) {
	for i := range sh.dbs {
		n += len(sh.dbs[i].waiting)
	}
	return n
}
