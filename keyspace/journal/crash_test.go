package journal_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// script does a bit of everything that touches the disk. Errors are those that a test made.
func (r *rig) script() {
	r.add(10, 0, 30)
	r.wait(10 * time.Millisecond)
	r.add(700, 600)
	r.wait(10 * time.Millisecond)
	r.add(5)
	_ = r.save()
	r.seen()
	r.add(1200)
	r.wait(2 * time.Second)
	r.add(40, 50)
	r.wait(10 * time.Millisecond)
	_ = r.save()
	r.seen()
	r.add(7)
	r.wait(time.Second)
}

// runScript starts, runs the script twice with a clean end in between, and leaves a running log.
func (r *rig) runScript() {
	if r.start() != nil {
		return
	}
	r.script()
	r.seen()
	err := r.log.Close()
	r.log = nil
	if err != nil || r.start() != nil {
		return
	}
	r.script()
}

// TestCrashEverywhere ends the program at every single call of the disk, by a kill and by a power cut, and
// holds what is found against what was promised.
func TestCrashEverywhere(t *testing.T) {
	t.Parallel()
	seed := newSeed(t)
	for _, policy := range []journal.Policy{journal.Always, journal.EverySecond, journal.No} {
		for n := 1; crashAt(t, policy, n, seed); n++ {
		}
	}
}

// crashAt tells whether there is an nth call.
func crashAt(t *testing.T, policy journal.Policy, n int, seed uint64) bool {
	var reached atomic.Bool
	for _, power := range []bool{false, true, true} {
		seed++
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, seed)
			r.config = journal.Config{Policy: policy, SegmentBytes: 1000}
			r.disk.Fail(func(c faultfs.Call) error {
				if c.N == n {
					reached.Store(true)
					return faultfs.ErrCrash
				}
				return nil
			})
			r.runScript()
			r.crash(power)
			if err := r.start(); err != nil {
				t.Fatal(err)
			}
			r.add(3)
			if err := r.log.Close(); err != nil {
				t.Fatal(err)
			}
			r.durable = r.given
			if err := r.start(); err != nil {
				t.Fatal(err)
			}
			if err := r.log.Close(); err != nil {
				t.Fatal(err)
			}
		})
		if t.Failed() {
			t.Fatalf("policy %d, call %d, power %v", policy, n, power)
		}
	}
	return reached.Load()
}

// TestErrorEverywhere fails every single call of the disk once, and some calls in a row. The log heals, and
// nothing is lost, whatever a power cut after its end takes.
func TestErrorEverywhere(t *testing.T) {
	t.Parallel()
	seed := newSeed(t)
	for _, policy := range []journal.Policy{journal.Always, journal.EverySecond, journal.No} {
		for _, row := range []int{1, 2, 7} {
			for n := 1; failAt(t, policy, n, row, seed); n++ {
				seed++
			}
		}
	}
}

func failAt(t *testing.T, policy journal.Policy, n, row int, seed uint64) bool {
	var reached atomic.Bool
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, seed)
		r.config = journal.Config{Policy: policy, SegmentBytes: 1000}
		r.disk.Fail(func(c faultfs.Call) error {
			if c.N < n || c.N >= n+row {
				return nil
			}
			reached.Store(true)
			return errInjected
		})
		for r.start() != nil {
		}
		r.script()
		r.wait(10 * time.Second)
		if err := r.log.Err(); err != nil {
			t.Fatalf("after call %d the log does not heal: %v", n, err)
		}
		if policy != journal.No && r.log.Durable() != r.log.Version() {
			t.Fatalf("after call %d version %d is durable, not %d", n, r.log.Durable(), r.log.Version())
		}
		if err := r.log.Close(); err == nil {
			r.durable = r.given
		}
		r.log = nil
		r.crash(true)
		r.disk.Fail(nil)
		if err := r.start(); err != nil {
			t.Fatal(err)
		}
		if err := r.log.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if t.Failed() {
		t.Fatalf("policy %d, %d calls from %d on", policy, row, n)
	}
	return reached.Load()
}

// TestRandom runs random programs on disks that fail and crash at random.
func TestRandom(t *testing.T) {
	t.Parallel()
	seed := newSeed(t)
	for range *programs {
		seed++
		synctest.Test(t, func(t *testing.T) { randomProgram(t, seed) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func randomProgram(t *testing.T, seed uint64) {
	r := newRig(t, seed)
	faults := r.random.IntN(3) == 0
	for range 8 {
		r.config = journal.Config{
			Policy: journal.Policy(r.random.IntN(3)), SegmentBytes: int64(200 + r.random.IntN(5000)),
			BacklogMax: int64(1000 + r.random.IntN(20000)),
			Report:     func(err error) { r.excused.Store(true) },
		}
		r.faults(faults)
		for try := 0; r.log == nil && try < 100; try++ {
			_ = r.start()
		}
		if r.log == nil {
			r.crash(true)
			continue
		}
		r.excused.Store(false)
		for range r.random.IntN(30) {
			r.step()
		}
		r.finish()
	}
	r.disk.Fail(nil)
	if r.log == nil && r.start() != nil {
		t.Fatal("a sound disk is not opened")
	}
	if err := r.log.Close(); err != nil {
		t.Fatal(err)
	}
}

// faults has calls fail at random, and the power cut at a random one.
func (r *rig) faults(errors bool) {
	end := r.disk.Calls() + r.random.IntN(400)
	odds := 0
	if errors {
		odds = 3 + r.random.IntN(40)
	}
	seed := r.random.Uint64()
	r.disk.SetForgetful(false)
	r.disk.Fail(func(c faultfs.Call) error {
		switch {
		case c.N == end:
			return faultfs.ErrCrash
		case odds > 0 && rand.New(rand.NewPCG(seed, uint64(c.N))).IntN(odds) == 0:
			return errInjected
		}
		return nil
	})
}

// step does one random thing.
func (r *rig) step() {
	switch r.random.IntN(13) {
	case 0:
		_ = r.save()
		r.seen()
	case 1:
		r.log.SetPolicy(journal.Policy(r.random.IntN(3)))
		r.excused.Store(true)
	case 2:
		r.wait(time.Duration(r.random.IntN(3000)) * time.Millisecond)
	case 3:
		r.readBack()
	case 4:
		r.add(r.random.IntN(1+r.random.IntN(300_000)), 3)
	case 5, 6:
		r.wait(time.Duration(r.random.IntN(6)) * time.Millisecond)
	default:
		sizes := make([]int, 1+r.random.IntN(5))
		for i := range sizes {
			sizes[i] = r.random.IntN(1 + r.random.IntN(900))
		}
		r.add(sizes...)
	}
	r.seen()
}

// readBack reads what a running log has.
func (r *rig) readBack() {
	held, err := r.log.Hold()
	if err != nil {
		return
	}
	defer held.Release()
	next := held.Manifest().Snapshot.Version
	err = held.Replay(next, func(record journal.Record) error {
		if want, known := r.records[record.Version]; !known || want != string(record.Body) {
			r.t.Fatalf("record %d reads %.40q, want %.40q", record.Version, record.Body, want)
		}
		next = record.Version
		return nil
	})
	if err == nil && next < held.Last() {
		r.t.Fatalf("held records up to %d, read %d", held.Last(), next)
	}
}

// finish ends the program: well, by a kill or by a power cut.
func (r *rig) finish() {
	r.seen()
	r.secondIsKept()
	if r.random.IntN(3) == 0 {
		if err := r.log.Close(); err == nil {
			r.durable = r.given
		}
		r.log = nil
	}
	r.crash(r.random.IntN(2) == 0)
}

// secondIsKept notes what the policy of a second promises, if the disk never failed.
func (r *rig) secondIsKept() {
	if r.excused.Load() || r.log.Policy() != journal.EverySecond || r.config.Policy != journal.EverySecond {
		return
	}
	for version, at := range r.times {
		if _, known := r.records[version]; known && time.Since(at) > time.Second && r.log.Durable() < version {
			r.t.Fatalf("record %d is a second old, and durable is %d", version, r.log.Durable())
		}
	}
}
