package keyspace

import (
	"math"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// expireSlice is how many keys at most go in one slice of a turn: a slice
// stays well under a millisecond, and commands run between two slices.
const expireSlice = 256

// expire removes a key found past its deadline: a change like any other.
func (tx *Tx) expire(sh *Shard, d *db, slot *table.Slot, head *header) {
	key := sh.mem.Bytes(slot.Ref(), head.size())[head.keyAt:head.valueAt()]
	sh.Stats.Expired++
	tx.changed(sh, d, key, head.has(flagWatched), "expired")
	sh.drop(d, slot, head, true)
}

// ExpireDue removes keys whose deadline has come, in the order of their
// deadlines, a slice of them at most. It reports whether more are due.
func (tx *Tx) ExpireDue() (more bool) {
	left := expireSlice
	tx.EachShard(func(sh *Shard) {
		for i := range sh.dbs {
			tx.DB = i
			left -= tx.expireIn(sh, &sh.dbs[i], left)
		}
	})
	return left == 0
}

func (tx *Tx) expireIn(sh *Shard, d *db, most int) (gone int) {
	for d.due != nil && gone < most {
		when, ref, ok := d.due.Min()
		if !ok || when > tx.now {
			break
		}
		slot, head := sh.slotOf(d, ref)
		tx.expire(sh, d, slot, &head)
		tx.endCommand()
		gone++
	}
	return gone
}

// slotOf finds the slot of an entry that is known to be there.
func (sh *Shard) slotOf(d *db, ref slab.Ref) (*table.Slot, header) {
	head := readHeader(sh.mem, ref)
	probe := d.keys.Probe(sh.hashOf(ref))
	for slot := probe.Next(); ; slot = probe.Next() {
		if slot.Ref() == ref {
			return slot, head
		}
	}
}

// NextDeadline is the nearest deadline of the shard, Unix milliseconds; ok is
// false if no key has one.
func (sh *Shard) NextDeadline() (when int64, ok bool) {
	for i := range sh.dbs {
		if sh.dbs[i].due == nil {
			continue
		}
		if at, _, some := sh.dbs[i].due.Min(); some && (!ok || at < when) {
			when, ok = at, true
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
