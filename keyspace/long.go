package keyspace

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// How many elements a reply has is known in the turn only, and very many take
// longer to put together than the other links of an event loop should wait. So
// a command that asks for room for them, and has changed nothing yet, is given
// up: its batch ends before it, and is Heavy from there on. When the owner posts
// the rest, the command begins anew on a worker.

// itemsLight is the most elements of a reply that is put together wherever the
// batch happens to run: half a millisecond's worth.
const itemsLight = 8192

// toilMax is how much a batch may toil at scripts wherever it happens to run, in
// steps of some 20 ns: see Tx.Toil.
const toilMax = 16384

// tooLong is the panic of a command that is given up. It does not leave Run.
type tooLong struct{}

// mayGiveUp reports whether a command of the batch may be given up: the owner
// posts what has not run, and it is not on a worker already.
func (x *Execute) mayGiveUp() bool { return x.OutMax > 0 && !x.Atomic && !x.Heavy }

// begin notes what is needed to give a command up.
func (tx *Tx) begin(q *Request) {
	tx.light = !q.fast() && q.Do == nil && tx.batch.mayGiveUp()
	if tx.light {
		tx.looked = tx.lookups()
	}
}

// giveUp ends a batch before the command that is given up: its look-ups have
// not happened.
func (tx *Tx) giveUp(x *Execute) {
	x.Heavy, tx.light = true, false
	tx.takeBackLookups()
}

// takeBackLookups makes the look-ups of the present command not have happened.
func (tx *Tx) takeBackLookups() {
	now := tx.lookups()
	sh := tx.anyShard()
	sh.Stats.Hits -= now.Hits - tx.looked.Hits
	sh.Stats.Misses -= now.Misses - tx.looked.Misses
}

// Light reports whether the present command is to end soon or to be given up: it
// may be running on an event loop.
func (tx *Tx) Light() bool { return tx.light }

// Toil counts so many steps of a command that is Light and that could take any
// time. It returns how many more its batch may take.
func (tx *Tx) Toil(steps int) (left int) {
	tx.batch.toil += steps
	return toilMax - tx.batch.toil
}

// GiveUp gives up the present command, which is Light and has changed nothing
// or has undone it. It does not return.
func (tx *Tx) GiveUp() { panic(tooLong{}) }

// TryCall is Call for a command that is Light, and that can be undone: if the
// one which it calls would take long then that is given up, ok is false, and it
// has changed nothing.
func (tx *Tx) TryCall(spec *command.Spec[*Tx], argv [][]byte) (reply resp.Reply, ok bool) {
	outer := tx.undoes
	tx.undoes = true
	defer func() {
		tx.undoes = outer
		switch reason := recover(); reason.(type) {
		case nil:
		case tooLong:
			ok = false
		default:
			panic(reason)
		}
	}()
	return tx.Call(spec, argv), true
}

// lookups are the hits and misses of the shards at hand.
func (tx *Tx) lookups() (sum Stats) {
	if tx.only != nil {
		return Stats{Hits: tx.only.Stats.Hits, Misses: tx.only.Stats.Misses}
	}
	tx.EachShard(func(sh *Shard) {
		sum.Hits += sh.Stats.Hits
		sum.Misses += sh.Stats.Misses
	})
	return sum
}

// anyShard is one of the shards at hand.
func (tx *Tx) anyShard() (one *Shard) {
	tx.EachShard(func(sh *Shard) { one = sh })
	return one
}
