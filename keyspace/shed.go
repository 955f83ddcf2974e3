package keyspace

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Keys go when memory is short. A turn that is about to run commands which may
// need memory first lets so many keys of its own shards go as the node is above
// its limit, as Redis does before each command. What would take too long for a
// turn, or has to come from other shards, is left to ticks, and the command
// runs; if there is nothing that may go anywhere, it is refused.

// ErrOOM is the answer to a command that may need memory when there is none.
var ErrOOM = resp.Error("OOM command not allowed when used memory > 'maxmemory'.")

// How much shedding there is in a turn, counted as slab.Heap.Effort does: for
// each point of maxmemory-eviction-tenacity, for each command that may need
// memory, and for so many bytes of its words.
const (
	shedPoint = 64
	shedEach  = 8
	shedBytes = 1 << 7
	shedMost  = 5000 // of all that: about a millisecond's worth

	victimEffort = 2 // to choose a victim, and to tell that it goes
)

// shedEffort is how much a turn sheds beyond what it adds.
func (s *Settings) shedEffort() int { return (s.Tenacity + 1) * shedPoint }

// shed makes room: it lets values of the shards at hand go, those first that the
// policy can best do without, until about so many bytes are free or so much
// effort is spent. It is called between commands, never within one.
//
// It promises: a key goes whole, by a change of its own, which is recorded as a
// DEL, told to watchers, to caches and as the event "evicted"; no key goes that
// the policy keeps. What it returns is how much is free then, or will be: what
// is large becomes garbage, and garbage is freed before more keys go. None left
// says that no key of the shards at hand may go any more, or nearly so.
func (tx *Tx) shed(need int64, effort int) (freed int64, noneLeft bool) {
	db, left := tx.DB, int64(0)
	tx.EachShard(func(*Shard) { left++ })
	tx.EachShard(func(sh *Shard) {
		enough := freed + (need-freed+left-1)/left
		for freed < enough && effort > 0 {
			if sh.pool.drawn == 0 && tx.Settings.Policy.samples() {
				tx.draw(sh, sh.victims(enough-freed))
			}
			before := sh.mem.Effort()
			v := tx.victim(sh)
			if v.Missing() {
				break
			}
			freed += v.inMemory()
			tx.evict(&v)
			if len(tx.fed) > 0 { // somebody has waited for that
				tx.warmed += sh.know()
			}
			tx.endCommand()
			effort -= victimEffort + int(sh.mem.Effort()-before)
		}
		left--
		tx.warmed += sh.know()
	})
	tx.DB = db
	return freed, freed < need && effort > 0
}

// victims is about how many keys make so many bytes, for which is drawn at once.
func (sh *Shard) victims(bytes int64) int {
	keys := int64(0)
	for i := range sh.dbs[:sh.opened] {
		keys += int64(sh.Keys(i))
	}
	return int(min(max(bytes*keys/(sh.mem.Held()+1), 1), drawMost))
}

// evict removes a key to make room: a change like any other.
func (tx *Tx) evict(v *Value) {
	v.sh.Stats.Evicted++
	tx.goes(v)
	tx.Ended(del, v.Key())
	tx.keep(v)
	tx.told(v, "evicted")
	tx.effects.edits-- // no command's
	tx.lost(v)
	v.drop(true)
}

// relieve brings the node below its limit, with room for so many bytes, as far
// as the shards at hand and so much effort allow. It reports whether the node
// is out of memory: above the limit, and no key may go.
func (tx *Tx) relieve(ahead int64, effort int) (out bool) {
	need := tx.lack() + ahead
	if need <= 0 {
		return false
	}
	if tx.sweepFirst(effort) {
		return false
	}
	if need = tx.lack() + ahead; need <= 0 || tx.bound.spilling.Load() > 0 {
		return false
	}
	freed, noneLeft := tx.shed(need, effort)
	if freed >= need {
		return false
	}
	if noneLeft && !tx.othersMay() {
		if out = tx.excess() > 0; out {
			tx.bound.refused()
		}
		return out
	}
	tx.EachShard(func(sh *Shard) { sh.short = true })
	return false
}

// sweepFirst frees garbage of the shards at hand, and reports whether databases
// that were flushed are among it: how much they take is not known until then.
func (tx *Tx) sweepFirst(effort int) (emptying bool) {
	tx.EachShard(func(sh *Shard) {
		if sh.Garbage() {
			sh.sweep(effort)
		}
		emptying = emptying || len(sh.garbage.tables) > 0
	})
	return emptying
}

// Shed lets a slice of keys go if the node is above its limit, and reports
// whether it still is and there are more.
func (tx *Tx) Shed() (more bool) {
	if tx.bound == nil {
		return false
	}
	tx.press()
	if tx.lack() <= 0 || tx.Settings.Policy == NoEviction || tx.bound.spilling.Load() > 0 {
		return false
	}
	if tx.sweepFirst(freeSlice) {
		return true
	}
	freed, noneLeft := tx.shed(tx.lack(), freeSlice)
	return freed > 0 && !noneLeft && tx.lack() > 0
}

// needsRoom reports whether a request is one before which there should be room.
func (q *Request) needsRoom() bool {
	return q.Spec != nil && q.Spec.Flags&(command.DenyOOM|command.Strays) != 0
}

// roomFor makes room before a part of a batch, as much as its words take: for
// all of a transaction before its first.
func (tx *Tx) roomFor(part []Request, isFirst bool) {
	if tx.bound == nil {
		return
	}
	if tx.batch.Atomic {
		if !isFirst {
			return
		}
		part = tx.batch.Requests
	}
	ahead, commands := 0, 0
	for i := range part {
		if q := &part[i]; q.needsRoom() {
			for _, word := range q.Argv[1:] {
				ahead += len(word)
			}
			commands++
		}
	}
	if commands > 0 {
		effort := tx.Settings.shedEffort() + commands*shedEach + ahead/shedBytes
		tx.oom = tx.relieve(int64(ahead), min(effort, shedMost))
		tx.press()
	}
}

// hasRoom reports whether a request may run as far as memory is concerned. What
// the requests before it have used is made good first, but not in the middle of
// a transaction.
func (tx *Tx) hasRoom(q *Request) bool {
	if !q.needsRoom() {
		return true
	}
	if !tx.batch.Atomic && (tx.oom || tx.excess() > 0) {
		tx.oom = tx.relieve(0, shedEach+shedPoint)
	}
	return !tx.oom || !q.Spec.Flags.Has(command.DenyOOM)
}

// OutOfMemory reports whether the present command, or the transaction that it is
// part of, began when the node was out of memory. Scripts ask.
func (tx *Tx) OutOfMemory() bool { return tx.oom }
