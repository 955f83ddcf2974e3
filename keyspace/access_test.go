package keyspace

import (
	"math"
	"math/rand/v2"
	"testing"
)

// countingTx is a turn under an LFU policy.
func countingTx(seed uint64, factor, decay int) *Tx {
	set := DefaultSettings()
	set.LFU, set.LFULogFactor, set.LFUDecayMinutes = true, factor, decay
	const now = 1_800_000_000_000
	return &Tx{Settings: set, rng: seed, now: now, stamp: newStamp(now, set)}
}

// The counter grows as fast as Redis's: after so many uses it is on average where
// Redis's is, which grows by one with a chance of one in (counter - 5) × factor + 1.
func TestCounterGrowsLikeRedis(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	f := func(factor, uses int) {
		t.Helper()
		const times = 3000
		ours, theirs := 0.0, 0.0
		tx := countingTx(rng.Uint64(), factor, 1)
		for range times {
			stamp, counter := tx.stamp, counterBegin
			for range uses {
				stamp = tx.used(stamp)
				if rng.Float64() < 1/float64((counter-counterBegin)*factor+1) {
					counter = min(counter+1, counterMax)
				}
			}
			ours += float64(stamp&usesMask/oneUse) / times
			theirs += float64(counter) / times
		}
		if math.Abs(ours-theirs) > 0.5+theirs/50 {
			t.Errorf("factor %d, %d uses: %.2f, Redis's is %.2f", factor, uses, ours, theirs)
		}
	}
	for _, factor := range []int{0, 1, 10, 100} {
		for _, uses := range []int{1, 10, 100, 300, 1000} {
			f(factor, uses)
		}
	}
}

// It never falls by use, and ends at 255.
func TestCounterEnds(t *testing.T) {
	t.Parallel()
	f := func(uses, want uint32) {
		t.Helper()
		if got := countingTx(1, 0, 1).counted(uses); got != want {
			t.Errorf("after %d eighths: %d, want %d", uses, got, want)
		}
	}
	f(0, oneUse)
	f(5*oneUse+3, 6*oneUse+3)
	f(254*oneUse, 255*oneUse)
	f(254*oneUse+5, 255*oneUse)
	f(255*oneUse, 255*oneUse)
	f(usesMask, usesMask)
}

// It shrinks by one in each lfu-decay-time, to nothing, whatever that is.
func TestCounterDecays(t *testing.T) {
	t.Parallel()
	f := func(decay int, minutes int64, counter, want uint32) {
		t.Helper()
		tx := countingTx(1, 10, decay)
		stamp := tx.stamp&^usesMask | counter*oneUse
		tx.now += minutes * 60_000
		tx.stamp = newStamp(tx.now, tx.Settings)
		if got := tx.decayed(stamp) / oneUse; got != want {
			t.Errorf("lfu-decay-time %d: %d is %d after %d minutes, want %d", decay, counter, got, minutes, want)
		}
	}
	f(0, 100, 200, 200)
	f(1, 0, 200, 200)
	f(1, 3, 200, 197)
	f(1, 5000, 200, 0)
	f(7, 6, 200, 200)
	f(7, 70, 200, 190)
	f(15, 15*255, 255, 0)
	f(1440, 1440*200, 255, 55)
	f(1440, 1440*300, 255, 0)
	f(math.MaxInt32, 1<<20, 200, 200)
}

// Of keys used as often, the one that was not used for longer goes first.
func TestScoreOfCounters(t *testing.T) {
	t.Parallel()
	tx := countingTx(1, 10, 1)
	at := func(minutesAgo, counter uint32) uint32 {
		return (tx.stamp&^usesMask-minutesAgo<<usesBits)&stampMask | counter*oneUse
	}
	order := []uint32{at(0, 200), at(20, 200), at(0, 6), at(3, 8), at(10, 3), at(20, 3), at(600, 255)}
	for i := 1; i < len(order); i++ {
		if x, y := tx.score(order[i-1]), tx.score(order[i]); x >= y {
			t.Errorf("clock %d can be done without as well as what is before: %d, %d", i, y, x)
		}
	}
}
