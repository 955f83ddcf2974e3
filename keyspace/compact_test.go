package keyspace

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// newRand gives the random numbers of a test.
func newRand(t *testing.T) *rand.Rand {
	t.Logf("-seed %d", *seedFlag)
	return rand.New(rand.NewPCG(*seedFlag, 1))
}

// compactSome does a part of a pass of one of the shards, or begins one now and
// then: between any two things that are done to a model.
func (m *model) compactSome() {
	sh := m.shards[m.rng.IntN(len(m.shards))]
	if !sh.Compacting() {
		if m.rng.IntN(10) == 0 {
			sh.AskCompaction()
		}
		return
	}
	sh.compact(&m.set.Compaction, 1+m.rng.IntN(100))
}

// thin deletes all but one of so many keys, at random.
func (r *rig) thin(n, keepOneOf int, rng *rand.Rand) {
	r.t.Helper()
	for from := 0; from < n; from += 1000 {
		r.all(0, func(tx *Tx) {
			for i := from; i < from+1000; i++ {
				if rng.IntN(keepOneOf) != 0 {
					tx.Delete(fmt.Appendf(nil, "key:%d", i), "del")
				}
			}
		})
	}
	for r.shards[0].Sweep() {
	}
}

// compactAll does all slices of a pass and returns how many these were.
func (r *rig) compactAll() (slices int) {
	for more := true; more; slices++ {
		more = r.shards[0].Compact(&r.set.Compaction)
	}
	return slices
}

// spansInUse is about how much the spans of some sizes may have free.
const spansInUse = 512 << 10

// A shard wants to be compacted when there are gaps enough, gives nearly all of
// them back, slice by slice, and is content then.
func TestCompaction(t *testing.T) {
	t.Parallel()
	rng, r := newRand(t), newRig(t, 1, 1)
	sh, mem := r.shards[0], r.shards[0].mem
	const keys = 100_000
	r.load(keys, func(tx *Tx, i int, key []byte) {
		deadline := int64(NoDeadline)
		if i%3 == 0 {
			deadline = r.now + 1000_000 + int64(i)
		}
		tx.PutRaw(key, make([]byte, 10+i%10*50), deadline, "set")
	})
	if sh.CompactionWanted(&r.set.Compaction) {
		t.Error("all is full, and it wants to be compacted")
	}
	r.thin(keys, 10, rng)
	if !sh.CompactionWanted(&r.set.Compaction) {
		t.Fatalf("it does not want to be compacted: %+v", mem.Stats())
	}
	if n := r.compactAll(); n < 20 {
		t.Errorf("compacted in %d slices", n)
	}
	if s := mem.Stats(); s.Resident > s.Held*110/100+spansInUse || s.Gaps > s.Held/10+spansInUse {
		t.Errorf("compacted: %+v", s)
	}
	if sh.CompactionWanted(&r.set.Compaction) || sh.Compacting() {
		t.Error("compacted, and not content")
	}
	r.now += 2000_000
	r.expireDue()
	r.all(0, func(tx *Tx) {
		tx.Each(func(v Value) bool {
			if tx.Deadline(v) != NoDeadline || len(v.Packed()) < 10 {
				t.Errorf("%s is left, until %d", v.Key(), tx.Deadline(v))
			}
			return true
		})
	})
	r.flush()
	r.wantEmpty()
}

// Elements of Objects are moved too, a part of an Object at a time.
func TestCompactionOfElements(t *testing.T) {
	t.Parallel()
	rng, r := newRand(t), newRig(t, 1, 1)
	const keys = 10_000
	r.load(keys, func(tx *Tx, i int, key []byte) {
		tx.PutObject(key, newPile(tx.MemOf(key), 20+100*(i%1000/999), byte(i)), NoDeadline, "hset")
	})
	var large *pile
	r.all(0, func(tx *Tx) {
		large = newPile(tx.MemOf([]byte("large")), 5*compactSlice, 'l')
		tx.PutObject([]byte("large"), large, NoDeadline, "hset")
	})
	r.thin(keys, 20, rng)
	r.compactAll()
	if s := r.shards[0].mem.Stats(); s.Resident > s.Held*115/100 {
		t.Errorf("compacted: %+v", s)
	}
	r.all(0, func(tx *Tx) {
		tx.Each(func(v Value) bool {
			if !v.Object().(*pile).intact(v.Mem()) {
				t.Errorf("%s has changed", v.Key())
			}
			return true
		})
	})
	r.flush()
	r.wantEmpty()
}

// A pass ends when compaction is switched off, unless it was asked for; and one
// that would not pay is not made again and again.
func TestCompactionIsNotForced(t *testing.T) {
	t.Parallel()
	rng, r := newRand(t), newRig(t, 1, 1)
	sh := r.shards[0]
	r.load(50_000, func(tx *Tx, i int, key []byte) { tx.PutRaw(key, make([]byte, 300), NoDeadline, "set") })
	r.thin(50_000, 3, rng)
	on := r.set.Compaction
	off := on
	off.On = false
	if sh.Compact(&off) {
		t.Error("it compacts though it is not to")
	}
	if !sh.Compact(&on) || sh.Compact(&off) {
		t.Error("it does not begin, or does not end when it is switched off")
	}
	sh.AskCompaction()
	for sh.Compact(&off) {
	}
	s := sh.mem.Stats()
	if s.Gaps > s.Held/10 {
		t.Errorf("asked for: %+v", s)
	}
	eager := Compaction{On: true, Ignore: s.Gaps / 2}
	if sh.CompactionWanted(&eager) {
		t.Error("what was left is wanted again")
	}
}
