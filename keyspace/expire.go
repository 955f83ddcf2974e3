package keyspace

import (
	"math"

	"github.com/troupedb/troupe/keyspace/deadline"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// expireSlice is how much expiry there is in one slice of a turn, counted as
// slab.Heap.Effort does, and one for each key: some 256 texts, well under a
// millisecond's worth. Commands run between two slices.
const expireSlice = 512

// deadlines are the orders of a database's deadlines: those of keys, and those
// of the first field of each value that has fields which end.
type deadlines [endings]parts

// parts is an order in two parts: where many deadlines have come at once, those
// of watched keys go first. An entry's place is in the part that its
// flagWatched says.
type parts struct{ watched, others *deadline.Queue }

func (p *parts) of(head *header) *deadline.Queue {
	if head.has(flagWatched) {
		return p.watched
	}
	return p.others
}

func (p *parts) len() int { return p.watched.Len() + p.others.Len() }

// orders are all parts, those of watched keys first; none before the first key.
func (o *deadlines) orders() []*deadline.Queue {
	if o[keyEnds].watched == nil {
		return nil
	}
	return []*deadline.Queue{o[keyEnds].watched, o[fieldEnds].watched, o[keyEnds].others, o[fieldEnds].others}
}

// expire removes a key found past its deadline: a change like any other.
func (tx *Tx) expire(v *Value) {
	v.sh.Stats.Expired++
	tx.Ended(del, v.Key())
	tx.keep(v)
	tx.told(v, "expired")
	tx.effects.edits-- // no command's
	tx.lost(v)
	v.drop(true)
}

// ExpireDue removes keys and fields whose deadline has come, those of watched
// keys first and then in the order of their deadlines, a slice of them at most.
// It reports whether more are due. With Settings.ActiveExpire off, they stay
// until they are seen.
func (tx *Tx) ExpireDue() (more bool) {
	if !tx.Settings.ActiveExpire {
		return false
	}
	left := expireSlice
	for _, watched := range []bool{true, false} {
		tx.EachShard(func(sh *Shard) {
			for i := range sh.dbs[:sh.opened] {
				tx.DB = i
				for e := range endings {
					left -= tx.expireIn(sh, e, watched, left)
				}
			}
		})
	}
	return left <= 0
}

// expireIn is ExpireDue for one part of one of the database's orders, with so
// much effort. It returns what it took.
func (tx *Tx) expireIn(sh *Shard, e ending, watched bool, effort int) (took int) {
	at := home{sh, &sh.dbs[tx.DB]}
	order := at.d.due[e].others
	if watched {
		order = at.d.due[e].watched
	}
	for order != nil && took < effort {
		when, ref, ok := order.Min()
		if !ok || when > tx.now {
			break
		}
		v := at.valueAt(ref)
		if e == fieldEnds {
			took += 1 + tx.expireFields(&v, effort-took)
		} else {
			before := sh.mem.Effort()
			tx.expire(&v)
			took += 1 + int(sh.mem.Effort()-before)
		}
		tx.endCommand()
	}
	return took
}

// valueAt finds the value whose entry is at ref.
func (at home) valueAt(ref slab.Ref) Value {
	probe := at.d.keys.Probe(at.sh.hashOf(ref))
	for slot := probe.Next(); ; slot = probe.Next() {
		if slot.Ref() == ref {
			return Value{home: at, slot: slot, head: readHeader(at.sh.mem, ref)}
		}
	}
}

// NextDeadline is the nearest deadline of the shard, Unix milliseconds; ok is
// false if no key and no field has one.
func (sh *Shard) NextDeadline() (when int64, ok bool) {
	for i := range sh.dbs[:sh.opened] {
		for e := range sh.dbs[i].due {
			p := &sh.dbs[i].due[e]
			for _, order := range [...]*deadline.Queue{p.watched, p.others} {
				if order == nil {
					continue
				}
				if at, _, some := order.Min(); some && (!ok || at < when) {
					when, ok = at, true
				}
			}
		}
	}
	return when, ok
}

// ReadDeadline reads a time to live, or with sinceEpoch a time, that must be
// positive, in units of so many milliseconds. It returns the deadline, Unix
// milliseconds; what cannot be counted is a mistake.
func (tx *Tx) ReadDeadline(a *command.Args, millis int64, sinceEpoch bool) int64 {
	return tx.DeadlineOf(a, a.Bytes(), millis, sinceEpoch)
}

// DeadlineOf is ReadDeadline for a word that was read before, by commands
// that look at their syntax first.
func (tx *Tx) DeadlineOf(a *command.Args, word []byte, millis int64, sinceEpoch bool) int64 {
	n, ok := command.ParseInt(word)
	if !ok {
		a.Fail(resp.ErrNotInteger)
	}
	if n <= 0 || n > math.MaxInt64/millis {
		a.Fail(resp.ErrExpireTime(a.Meta().Name))
		return 0
	}
	when := n * millis
	if sinceEpoch {
		return when
	}
	if when > math.MaxInt64-tx.now {
		a.Fail(resp.ErrExpireTime(a.Meta().Name))
	}
	return tx.now + when
}
