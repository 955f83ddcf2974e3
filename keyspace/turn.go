package keyspace

import (
	"runtime/debug"
	"strings"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Turn is what a shard's turn gets from outside, so that tests can hold it.
type Turn struct {
	// Now is the clock, Unix milliseconds. Seed starts the turn's chance.
	Now  int64
	Seed uint64
	// Settings holds the settings in force.
	Settings *Settings
	// Nanos is a monotonic clock, for measuring.
	Nanos func() int64
	// Start is its time at the turn's begin.
	Start int64
	// Ears hears what the turn has done; nil: nobody.
	Ears Ears
	// Bound is how much memory there is; nil: any amount.
	Bound *Bound
	// Log records changes and draws their versions. If it is nil, Versions draws
	// so many, and returns the one before the first.
	Log      Log
	Versions func(n int) (base uint64)
	// Hold, if set, calls f when all up to a version is safe: before, nobody is
	// to be shown it.
	Hold func(version uint64, f func())
	// Took is for how long its commands have run, in nanoseconds.
	Took int64
}

// Ears hears what turns do, in their end. It returns at once.
type Ears interface {
	// Notify is told the events of the turn, which are good until it returns.
	Notify(events []Event)
	// Invalidate is told the keys that were changed in the turn and that somebody
	// has read, or all if there are Broadcasts; flushed says that whole databases
	// are gone. The list is good until it returns.
	Invalidate(all []Invalid, flushed bool)
	// Tracked is told how many keys more, and how many readers of them, are kept
	// in mind, and returns how many keys too many there are.
	Tracked(keys, items int) (excess int)
	// Broadcasts reports whether somebody wants to hear of all changes. It is
	// asked when a turn begins.
	Broadcasts() bool
}

// Begin opens a turn over the shards held, of total in all.
func Begin(t *Turn, held []*Shard, total int) *Tx {
	last := held[len(held)-1]
	tx := &last.tx
	now := t.Now
	for _, sh := range held {
		now = max(now, sh.now)
	}
	tx.only, tx.now, tx.rng, tx.Settings, tx.total = last, now, t.Seed, t.Settings, total
	tx.stamp = newStamp(now, t.Settings)
	tx.bound, tx.oom = t.Bound, false
	tx.tiered = last.cold.tier != nil
	tx.effects.record(t.Log)
	tx.tracking.broadcast = t.Ears != nil && t.Ears.Broadcasts()
	if len(held) > 1 {
		tx.only = nil
		tx.spread(held, total)
	}
	return tx
}

func (tx *Tx) spread(held []*Shard, total int) {
	if len(tx.shards) != total {
		tx.shards = make([]*Shard, total)
	}
	for _, sh := range held {
		tx.shards[sh.id] = sh
	}
}

// End closes a turn: its changes get their versions, watchers are told.
func (tx *Tx) End(t *Turn) {
	tx.endCommand()
	if tx.changes > 0 {
		tx.commit(tx.record(t))
	}
	if len(tx.events) > 0 && t.Ears != nil {
		t.Ears.Notify(tx.events)
	}
	if t.Ears != nil && (tx.tracking.keys|tx.tracking.items != 0 || len(tx.tracking.invalid) > 0 || tx.tracking.flushed) {
		tx.tellCaches(t.Ears)
	}
	tx.dropItems()
	tx.EachShard(func(sh *Shard) {
		sh.now = tx.now
		sh.sweepOwed()
		sh.tellForgotten()
	})
	tx.tellServed(t)
	if tx.only == nil {
		clear(tx.shards)
	}
	tx.resetEffects()
	tx.changes, tx.Caller, tx.events, tx.hinted, tx.batch, tx.request = 0, nil, tx.events[:0], nil, nil, nil
}

// commit gives the turn's changes their versions, the first base+1.
func (tx *Tx) commit(base uint64) {
	tx.tell(base)
	tx.EachShard(func(sh *Shard) {
		if sh.dirty {
			sh.version, sh.dirty = base+uint64(tx.changes), false
		}
	})
}

// tell reports the turn's changes to those who watch; several of one key in a
// row, as a pipeline makes them, in one call.
func (tx *Tx) tell(base uint64) {
	for from := 0; from < len(tx.touched); {
		t, to := &tx.touched[from], from+1
		for to < len(tx.touched) && tx.touched[to].same(t) {
			to++
		}
		version := base + 1 + uint64(tx.touched[to-1].change)
		for _, w := range t.watchers {
			w.Touched(version, to-from)
		}
		from = to
	}
	clear(tx.touched)
	tx.touched = tx.touched[:0]
}

// Version is that of the newest change in the shards at hand: the version of
// the state that the turn began with.
func (tx *Tx) Version() (newest uint64) {
	tx.EachShard(func(sh *Shard) { newest = max(newest, sh.version) })
	return newest
}

// Events are what has happened in this turn, if Settings.Events asks for it.
func (tx *Tx) Events() []Event { return tx.events }

// Run runs a batch. A handler's panic is answered with an error, as are the
// requests after it, and is left in x.Broken.
func (tx *Tx) Run(t *Turn, x *Execute) {
	tx.Caller, tx.noTouch, tx.batch, tx.Scripted = x.Caller, x.NoTouch, x, false
	tx.shielded = false
	if x.cold != nil && x.cold.chance != 0 {
		tx.rng = x.cold.chance
	}
	first := tx.rng
	at := x.Ran
	defer func() {
		switch reason := recover(); reason.(type) {
		case nil:
		case tooLong:
			tx.giveUp(x)
		case everywhere:
			tx.widen(x)
		case tooCold:
			tx.backOff(x, first)
		case lostValue:
			tx.lose(x, at, reason.(lostValue))
		default:
			tx.dropEffects()
			x.broke(at, reason)
		}
	}()
	if x.Guard != nil && !x.Guard(tx) {
		x.Refused = true
		return
	}
	x.Began = t.Start
	start, from, begin := t.Start, at, at // it may have been run in part before: see cold_fetch.go
	for ; at < len(x.Requests); at++ {
		if (at-begin)%warmPart == 0 {
			part := x.Requests[at:min(at+warmPart, len(x.Requests))]
			tx.roomFor(part, at == begin)
			tx.warm(part)
		}
		q := &x.Requests[at]
		reply := tx.run(q)
		if reply.IsError() {
			q.Failure, _, _ = strings.Cut(strings.Clone(reply.Str()), " ")
		}
		if n := reply.Room(); n >= slab.BufferMin {
			x.makeRoom(n)
		}
		x.Out = x.encoderOf(q).Append(x.Out, reply)
		if q.End = len(x.Out); x.large != nil {
			x.countOut()
		}
		x.Ran++
		full := false
		if !x.Atomic {
			tx.endCommand()
			full = x.OutMax > 0 && len(x.Out) > x.OutMax
		}
		if q.fast() && !full && at+1 < len(x.Requests) && x.Requests[at+1].fast() {
			continue
		}
		end := t.Nanos()
		share(x.Requests[from:at+1], end-start)
		t.Took += end - start
		start, from, x.Ended = end, at+1, end
		if full {
			return
		}
	}
}

func (x *Execute) encoderOf(q *Request) resp.Encoder {
	if q.Encoder != nil {
		return q.Encoder
	}
	return x.Encoder
}

func (q *Request) fast() bool { return q.Spec != nil && q.Spec.Flags.Has(command.Fast) }

func (tx *Tx) run(q *Request) resp.Reply {
	tx.DB, tx.request = q.DB, q
	tx.hint(q)
	if tx.batch.parks {
		tx.looked, tx.chance = tx.lookups(), tx.rng
	}
	if q.Do != nil {
		return q.Do(tx)
	}
	if tx.bound != nil && !tx.hasRoom(q) {
		q.Refused = true
		return ErrOOM
	}
	tx.args.Reset(&q.Spec.Meta, q.Argv)
	tx.begin(q)
	edits := tx.effects.edits
	reply := tx.handle(q.Spec, q.Argv)
	tx.light = false
	tx.recordCommand(&q.Spec.Meta, q.Argv, q.DB, edits)
	if tx.tracks() {
		tx.remember(&q.Spec.Meta, q.Argv)
	}
	return reply
}

// share divides the time of a run of requests among them.
func share(run []Request, took int64) {
	each := took / int64(len(run))
	for i := range run {
		run[i].Took = each
	}
}

func (x *Execute) broke(at int, reason any) {
	name := "transaction"
	if spec := x.Requests[at].Spec; spec != nil {
		name = spec.Name
	}
	x.Broken = &Broken{Command: name, Reason: reason, Stack: debug.Stack()}
	start := 0
	if at > 0 {
		start = x.Requests[at-1].End
	}
	x.Out, x.Ran = x.Out[:start], at // without what the failed one had half written
	x.fail()
}

// fail answers the requests that have not run with an error.
func (x *Execute) fail() {
	for i := x.Ran; i < len(x.Requests); i++ {
		q := &x.Requests[i]
		x.Out = x.encoderOf(q).Append(x.Out, resp.ErrInternal)
		q.End, q.Failure = len(x.Out), "ERR"
	}
	x.Ran = len(x.Requests)
}
