package keyspace

import (
	"slices"

	"github.com/troupedb/troupe/resp/command"
)

// Caches of clients. A shard keeps in mind which of its keys which client has
// read since the key was changed last, in whatever database. The first change
// tells the client, and is the end of it until the client reads the key again.

// Tracker is a client whose reads are kept in mind.
type Tracker interface {
	// Ended reports whether nobody wants to hear of its keys any more.
	Ended() bool
}

// Invalid is a key that was changed.
type Invalid struct {
	Key string
	// By is the client that has changed it, 0 if none has: it was its time, or
	// memory was short.
	By uint64
	// Readers are those who have read it before.
	Readers []Tracker
	// Forgotten says that it was not changed: there were too many to keep in
	// mind, so its readers should forget it too.
	Forgotten bool
}

// tracked is the readers of each key that is kept in mind.
type tracked map[string]*readers

// readersFew is how many readers of a key are looked through, one by one.
const readersFew = 16

// readers are those of one key, each once. They may have ended: nobody tells. So
// whenever they have become twice as many as were left the last time, those who
// have are left out; clients come and go, and the key may never change.
type readers struct {
	list []Tracker
	most int                  // at so many those who have ended are left out
	seen map[Tracker]struct{} // of many
}

// add adds a reader, and returns by how many there are more then.
func (r *readers) add(one Tracker) (more int) {
	if r.has(one) {
		return 0
	}
	if len(r.list) >= max(r.most, readersFew) {
		more = r.leaveOut()
	}
	r.list = append(r.list, one)
	if r.seen != nil {
		r.seen[one] = struct{}{}
	}
	return more + 1
}

func (r *readers) has(one Tracker) bool {
	if r.seen == nil {
		return slices.Contains(r.list, one)
	}
	_, have := r.seen[one]
	return have
}

// leaveOut leaves out those who have ended, and returns by how many there are more
// then, which is no positive number.
func (r *readers) leaveOut() (more int) {
	had := len(r.list)
	r.list = slices.DeleteFunc(r.list, Tracker.Ended)
	r.most, r.seen = 2*len(r.list), nil
	if len(r.list) >= readersFew {
		r.seen = make(map[Tracker]struct{}, r.most)
		for _, have := range r.list {
			r.seen[have] = struct{}{}
		}
	}
	return len(r.list) - had
}

// tracks reports whether reads of the present command are kept in mind.
func (tx *Tx) tracks() bool { return tx.batch != nil && tx.batch.Tracker != nil }

// tracking is what a turn has to do with the caches of clients.
type tracking struct {
	broadcast   bool // somebody hears of all changes
	invalid     []Invalid
	flushed     bool
	keys, items int // kept in mind more than before; less, if negative
}

// remember keeps in mind that the batch's client has read the keys of a command.
// Of a script, that is what its commands read.
func (tx *Tx) remember(m *command.Meta, argv [][]byte) {
	if tx.request.Untracked || !m.Flags.Has(command.ReadOnly) || m.Group == "scripting" {
		return
	}
	var few [8]command.KeyAt
	keys, _ := m.AppendKeys(few[:0], argv)
	for _, at := range keys {
		key := argv[at.Pos]
		sh := tx.shardOf(key)
		r := sh.tracked[string(key)]
		if r == nil {
			if sh.tracked == nil {
				sh.tracked = tracked{}
			}
			r = &readers{}
			sh.tracked[string(key)] = r
			tx.tracking.keys++
		}
		tx.tracking.items += r.add(tx.batch.Tracker)
	}
}

// invalidate notes that a key was changed, if somebody wants to hear of it.
func (tx *Tx) invalidate(sh *Shard, key []byte, event string) {
	one := Invalid{}
	if r := sh.tracked[string(key)]; r != nil {
		tx.forget(sh, string(key), r)
		one.Readers = r.list
	} else if !tx.tracking.broadcast {
		return
	}
	one.Key = string(key)
	if tx.Caller != nil && event != "expired" && event != "evicted" {
		one.By = tx.Caller.ID()
	}
	tx.tracking.invalid = append(tx.tracking.invalid, one)
}

func (tx *Tx) forget(sh *Shard, key string, r *readers) {
	delete(sh.tracked, key)
	tx.tracking.keys--
	tx.tracking.items -= len(r.list)
}

// forgetAll notes that all keys of a database are gone. As the others are few,
// the caches forget everything, as in Redis.
func (tx *Tx) forgetAll() {
	tx.tracking.flushed = true
	tx.EachShard(func(sh *Shard) {
		for _, r := range sh.tracked {
			tx.tracking.items -= len(r.list)
		}
		tx.tracking.keys -= len(sh.tracked)
		sh.tracked = nil
	})
}

// forgetMost is how many keys one turn forgets because there are too many.
const forgetMost = 1000

// tellCaches tells what has become invalid in the turn.
func (tx *Tx) tellCaches(ears Ears) {
	t := &tx.tracking
	if t.keys != 0 || t.items != 0 {
		excess := min(ears.Tracked(t.keys, t.items), forgetMost)
		if excess > 0 {
			tx.forgetSome(excess)
			ears.Tracked(t.keys, t.items)
		}
	}
	if len(t.invalid) > 0 || t.flushed {
		ears.Invalidate(t.invalid, t.flushed)
	}
	clear(t.invalid)
	*t = tracking{invalid: t.invalid[:0]}
}

// forgetSome forgets keys, no matter which, but that those of this shard go for
// what this shard has added.
func (tx *Tx) forgetSome(n int) {
	t := &tx.tracking
	t.keys, t.items = 0, 0
	tx.EachShard(func(sh *Shard) {
		for key, r := range sh.tracked {
			if n--; n < 0 {
				return
			}
			tx.forget(sh, key, r)
			t.invalid = append(t.invalid, Invalid{Key: key, Readers: r.list, Forgotten: true})
		}
	})
}
