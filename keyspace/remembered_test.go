package keyspace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupedb/troupe/keyspace/table"
)

func newCountingRig(t *testing.T, shards, databases int) *rig {
	r := newRig(t, shards, databases)
	r.set.Policy, r.set.LFU, r.set.LFUDecayMinutes = AllKeysLFU, true, 1
	return r
}

// counter is OBJECT FREQ.
func (r *rig) counter(db int, key string) (n int64) {
	r.all(db, func(tx *Tx) {
		if v := tx.Peek([]byte(key)); v.Missing() {
			r.t.Errorf("%s is missing", key)
		} else {
			n = tx.Frequency(v)
		}
	})
	return n
}

// use uses a key so often, and returns its counter then.
func (r *rig) use(db int, key string, times int) int64 {
	r.all(db, func(tx *Tx) {
		for range times {
			tx.Lookup([]byte(key))
		}
	})
	return r.counter(db, key)
}

// shedAll lets all keys go.
func (r *rig) shedAll() {
	for len(r.keys()) > 0 {
		r.shed(1)
	}
}

// A key that went to make room and is set again goes on from where it was, with
// one use more, less what time has taken; any other begins as in Redis.
func TestUsesAreRemembered(t *testing.T) {
	t.Parallel()
	r := newCountingRig(t, 1, 2)
	r.set100(0, NoDeadline, "used", "seldom")
	r.set100(1, NoDeadline, "elsewhere")
	was := r.use(0, "used", 1000)
	if was < 12 {
		t.Fatalf("the counter after 1000 uses is %d", was)
	}
	r.use(1, "elsewhere", 1000)
	f := func(key string, least, most int64) {
		t.Helper()
		r.shedAll()
		r.set100(0, NoDeadline, key)
		if got := r.counter(0, key); got < least || got > most {
			t.Errorf("%s is made with the counter %d, want %d to %d", key, got, least, most)
		}
	}
	f("used", was, was+1)
	f("seldom", counterBegin+1, counterBegin+1)
	f("used", was, was+1)
	f("elsewhere", counterBegin, counterBegin)
	f("new", counterBegin, counterBegin)
	r.now += 3 * 60_000
	f("used", was-3, was-2)
	r.now += 600 * 60_000
	f("used", counterBegin, counterBegin)
}

// What was deleted, has ended or was flushed is not remembered.
func TestWhatIsNotRemembered(t *testing.T) {
	t.Parallel()
	f := func(what string, away func(r *rig)) {
		t.Helper()
		r := newCountingRig(t, 1, 2)
		r.set100(0, NoDeadline, "k", "other")
		r.use(0, "k", 1000)
		r.shedAll()
		r.set100(0, r.now+60_000, "k") // it is there again, so nothing is remembered
		away(r)
		r.set100(0, NoDeadline, "k")
		if got := r.counter(0, "k"); got != counterBegin {
			t.Errorf("%s: the counter is %d", what, got)
		}
	}
	f("deleted", func(r *rig) {
		r.all(0, func(tx *Tx) { tx.Delete([]byte("k"), "del") })
	})
	f("ended", func(r *rig) { r.now += 70_000; r.expireDue() })
	f("flushed", func(r *rig) { r.all(0, func(tx *Tx) { tx.Flush(0) }) })
	f("flushed after it went", func(r *rig) { r.shedAll(); r.all(0, func(tx *Tx) { tx.Flush(0, 1) }) })
	f("another database's", func(r *rig) { r.shedAll(); r.all(0, func(tx *Tx) { tx.SwapDB(0, 1) }) })
	bound := &Bound{}
	f("no limit", func(r *rig) { r.shedAll(); r.shards[0].tell(bound, AllKeysLFU) })
	limited := &Bound{}
	limited.limit.Store(1 << 30)
	f("another policy", func(r *rig) {
		r.shedAll()
		r.shards[0].tell(limited, AllKeysLRU)
		if n := r.shards[0].TableBytes(); n > 64<<10 {
			t.Errorf("%d bytes are taken", n)
		}
	})
}

// With databases that change places, what is remembered of their keys does too.
func TestSwapRemembers(t *testing.T) {
	t.Parallel()
	r := newCountingRig(t, 1, 2)
	r.set100(0, NoDeadline, "k")
	was := r.use(0, "k", 1000)
	r.shedAll()
	r.all(0, func(tx *Tx) { tx.SwapDB(0, 1) })
	r.set100(1, NoDeadline, "k")
	if got := r.counter(1, "k"); got < was {
		t.Errorf("the counter is %d, was %d", got, was)
	}
}

// What is remembered takes some bytes a key, is part of what the shard takes, and
// is given back in slices.
func TestMemoryOfWhatIsRemembered(t *testing.T) {
	t.Parallel()
	r := newCountingRig(t, 1, 1)
	sh := r.shards[0]
	const keep = 5000
	rounds := 4
	if slowed() {
		rounds = 2
	}
	for i := range rounds {
		r.set100(0, NoDeadline, names(fmt.Sprint("round ", i, " "), 2*keep)...)
		for sh.Keys(0) > keep {
			r.shed(1000)
		}
	}
	lines := &sh.dbs[0].gone.lines
	if n := lines.Len() * lineMarks; n < keep || n > 2*keep+2*keep/4+2*lineMarks {
		t.Errorf("%d are remembered, of %d keys", n, keep)
	}
	with := sh.TableBytes()
	bytes := lines.Bytes()
	r.all(0, func(tx *Tx) { sh.forgetAllUses() })
	if got := with - sh.TableBytes(); got != bytes || bytes < 4*keep {
		t.Errorf("%d bytes were counted of %d", got, bytes)
	}
	if !sh.Garbage() {
		t.Error("they are no garbage")
	}
	r.all(0, func(tx *Tx) { tx.Flush(0) })
	r.wantEmpty()
	if n := len(sh.garbage.marks); n != 0 {
		t.Errorf("%d are left", n)
	}
}

// However the lines grow and shrink, what was put last is found, and what is
// found is what was put, but for hashes that look the same.
func TestRememberedAgainstMap(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var r remembered
	defer func() { r.lines.Close() }()
	put := map[uint64]uint32{}
	hashes := []uint64{}
	want, wrong, found := 100, 0, 0
	for i := range 40_000 {
		if i%4000 == 0 {
			want = rng.IntN(3000)
		}
		hash, stamp := table.Hash(seed, fmt.Append(nil, i)), uint32(rng.IntN(stampMask))+1
		r.fit(want)
		r.put(hash, stamp)
		hashes, put[hash] = append(hashes, hash), stamp
		if got, ok := r.take(hash); !ok || got != stamp {
			t.Fatalf("%d, %v is found right after %d", got, ok, stamp)
		}
		if _, again := r.take(hash); again {
			t.Fatal("it is found again")
		}
		r.put(hash, stamp)
		old := hashes[max(0, len(hashes)-rng.IntN(want+1)-1)]
		if got, ok := r.take(old); ok {
			found++
			if got != put[old] {
				wrong++
			}
		}
	}
	if found < 4000 || wrong > found/20 {
		t.Errorf("%d are found, %d of them wrong", found, wrong)
	}
}

// On a trace after Zipf's law more is hit with what is remembered than without.
func TestRememberingHitsMore(t *testing.T) {
	t.Parallel()
	if slowed() {
		t.Skip("100,000 requests take minutes under the race detector, and nothing here runs at once")
	}
	const seed = 1
	trace := zipf(20_000, 80_000, 0.8, seed)
	with, without := hitsOf(t, trace, false), hitsOf(t, trace, true)
	t.Logf("of %d requests %d hit, without %d", len(trace)/2, with, without)
	if with < without+len(trace)/400 {
		t.Errorf("%d hit, without what is remembered %d", with, without)
	}
}

// zipf is requests for keys, the nth of which is asked for as seldom as a power
// of n says.
func zipf(keys, requests int, exponent float64, seed uint64) (trace []string) {
	rng := rand.New(rand.NewPCG(seed, 0))
	sums, sum := make([]float64, keys), 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -exponent)
		sums[i] = sum
	}
	for range requests {
		n, _ := slices.BinarySearch(sums, rng.Float64()*sum)
		trace = append(trace, fmt.Sprint("key:", n))
	}
	return trace
}

// hitsOf is how many requests of a trace's second half hit, if a tenth of its keys
// fit.
func hitsOf(t *testing.T, trace []string, forget bool) (hits int) {
	r := newCountingRig(t, 1, 1)
	r.set.Events = false
	sh := r.shards[0]
	for i, key := range trace {
		r.all(0, func(tx *Tx) {
			if !tx.Lookup([]byte(key)).Missing() {
				hits++
				return
			}
			tx.PutText([]byte(key), nil, NoDeadline, "set")
			if sh.Keys(0) > 2000 {
				tx.shed(1, 1000)
			}
			if forget {
				sh.forgetAllUses()
			}
		})
		if i == len(trace)/2 {
			hits = 0
		}
	}
	return hits
}
