package journal_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// running runs a test of a log in a bubble whose time passes when all wait, and holds at the end that
// everything appended is read again after a power cut.
func running(t *testing.T, config journal.Config, test func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 1)
		r.config = config
		if err := r.start(); err != nil {
			t.Fatal(err)
		}
		test(r)
		r.disk.Fail(nil)
		if err := r.log.Close(); err != nil {
			t.Fatal(err)
		}
		r.durable, r.log = r.given, nil
		r.crash(true)
		if err := r.start(); err != nil {
			t.Fatal(err)
		}
		if err := r.log.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// segmentCall matches calls of one kind on segments.
func segmentCall(op faultfs.Op) func(faultfs.Call) bool {
	return func(c faultfs.Call) bool { return c.Op == op && strings.Contains(c.Name, "journal-") }
}

// TestFullDisk: a disk that is full for a while is told of, keeps nobody's records from memory, and heals.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	var told []error
	report := func(err error) { told = append(told, err) }
	running(t, journal.Config{Policy: journal.Always, Report: report}, func(r *rig) {
		r.add(100)
		r.wait(time.Second)
		r.disk.SetCapacity(r.disk.Used() + 10)
		for range 20 {
			r.add(50, 500)
			r.wait(300 * time.Millisecond)
		}
		if !errors.Is(r.log.Err(), syscall.ENOSPC) {
			t.Errorf("the log says %v", r.log.Err())
		}
		if d := r.log.Durable(); d >= r.given {
			t.Errorf("%d is durable", d)
		}
		if s := r.log.Stats(); s.Backlog < 20*550 || s.LastError == nil || s.Failures == 0 {
			t.Errorf("the log has done %+v", s)
		}
		r.disk.SetCapacity(0)
		r.wait(2 * time.Second)
		if err := r.log.Err(); err != nil || r.log.Durable() != r.given {
			t.Errorf("with room again: %v, durable %d of %d", err, r.log.Durable(), r.given)
		}
		if len(told) < 2 || !errors.Is(told[0], syscall.ENOSPC) || told[len(told)-1] != nil {
			t.Errorf("reported %v", told)
		}
	})
}

// TestShortWrite: a write that failed half-way leaves no trace.
func TestShortWrite(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{Policy: journal.Always}, func(r *rig) {
		r.add(100)
		r.wait(time.Second)
		r.disk.Fail(faultfs.Nth(1, errInjected, segmentCall(faultfs.Write)))
		r.add(1000)
		r.wait(time.Second)
		if names := readImage(t, r.disk).names("journal-"); len(names) != 1 || r.log.Durable() != r.given {
			t.Errorf("segments %v, durable %d of %d", names, r.log.Durable(), r.given)
		}
	})
}

// TestFailedSync: after a sync that failed, the file it was of is not trusted with what it may have lost.
func TestFailedSync(t *testing.T) {
	t.Parallel()
	f := func(policy journal.Policy, forgetful bool) {
		t.Helper()
		running(t, journal.Config{Policy: policy}, func(r *rig) {
			r.disk.SetForgetful(forgetful)
			r.add(100)
			r.wait(2 * time.Second)
			r.disk.Fail(faultfs.Nth(1, errInjected, segmentCall(faultfs.Sync)))
			r.add(3000)
			if policy == journal.No {
				r.log.WaitSync(r.given, func() {})
			}
			r.wait(2 * time.Second)
			if r.log.Durable() != r.given || r.log.Err() != nil {
				t.Errorf("policy %d: durable %d of %d, %v", policy, r.log.Durable(), r.given, r.log.Err())
			}
			m := r.log.Manifest()
			if last := m.Segments[len(m.Segments)-1]; last.Number != 2 {
				t.Errorf("policy %d: the log goes on in segment %d", policy, last.Number)
			}
		})
	}
	f(journal.Always, false)
	f(journal.Always, true)
	f(journal.EverySecond, false)
	f(journal.EverySecond, true)
	f(journal.No, false)
}

// TestAdoptInTrouble: a base that is adopted while records cannot be synced, and of whose manifest nobody
// knows for a moment, takes none of them from memory.
func TestAdoptInTrouble(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{Policy: journal.Always}, func(r *rig) {
		r.add(100)
		r.wait(time.Second)
		first := r.log.Manifest().Segments[0].Name()
		writes, renames := map[string]int{}, 0
		r.disk.Fail(func(c faultfs.Call) error {
			isSegment := strings.Contains(c.Name, "journal-")
			switch {
			case strings.HasSuffix(c.Name, first) && c.Op.Changes():
				return errInjected
			case c.Op == faultfs.Create && isSegment:
				writes[c.Name] = -1
			case c.Op == faultfs.Write && isSegment:
				writes[c.Name]++
			case c.Op == faultfs.Sync && isSegment && writes[c.Name] > 0: // more than a head
				return errInjected
			case c.Op == faultfs.Rename && strings.HasSuffix(c.Name, "/manifest"):
				if renames++; renames == 1 {
					return errInjected
				}
			}
			return nil
		})
		r.add(500)
		r.wait(300 * time.Millisecond)
		cut := r.log.Cut()
		r.add(700)
		r.wait(300 * time.Millisecond)
		if err := r.snapshotAt(cut); !errors.Is(err, errInjected) {
			t.Errorf("adopted with %v", err)
		}
		r.wait(2 * time.Second)
		if renames < 2 {
			t.Errorf("the manifest was written %d times", renames)
		}
		r.disk.Fail(nil)
		r.wait(2 * time.Second)
		if r.log.Durable() != r.given || r.log.Err() != nil {
			t.Errorf("durable %d of %d, %v", r.log.Durable(), r.given, r.log.Err())
		}
	})
}

// TestForgotten: under No, records that a failed sync lost and that can't be read back are in no file. The
// log says so until a snapshot has them.
func TestForgotten(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{Policy: journal.No}, func(r *rig) {
		r.disk.SetForgetful(true)
		for range 20 {
			r.add(1000)
		}
		r.wait(time.Second)
		r.disk.Fail(faultfs.Nth(1, errInjected, segmentCall(faultfs.Sync)))
		r.log.WaitSync(r.given, func() {})
		r.wait(10 * time.Second)
		if err := r.log.Err(); err == nil || !strings.Contains(err.Error(), "a snapshot is needed") {
			t.Fatalf("the log says %v", err)
		}
		r.add(10)
		if err := r.snapshotAt(r.log.Cut()); err != nil {
			t.Fatal(err)
		}
		r.wait(10 * time.Second)
		if err := r.log.Err(); err != nil {
			t.Errorf("with a snapshot the log says %v", err)
		}
		r.add(20)
	})
}

// TestSlowDisk: what waits for a slow disk has a bound, at which writers are told to hold back.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{Policy: journal.EverySecond, BacklogMax: 10_000}, func(r *rig) {
		r.add(1)
		r.wait(time.Millisecond)
		answer := make(chan struct{})
		r.disk.Fail(func(c faultfs.Call) error {
			if segmentCall(faultfs.Sync)(c) {
				<-answer
			}
			return nil
		})
		for i := 0; !r.log.Full(); i++ {
			if i > 12 {
				t.Fatal("the log is never full")
			}
			r.add(1000)
			r.wait(10 * time.Millisecond)
		}
		room := atomic.Bool{}
		r.log.WhenRoom(func() { room.Store(true) })
		r.wait(time.Minute)
		if room.Load() || r.log.Err() != nil {
			t.Errorf("room %v, error %v, before the disk answered", room.Load(), r.log.Err())
		}
		if waiting := r.log.Stats().Waiting; waiting < time.Minute || waiting > 2*time.Minute {
			t.Errorf("the disk has not answered for %v", waiting)
		}
		close(answer)
		r.wait(2 * time.Second)
		if !room.Load() || r.log.Full() {
			t.Errorf("room %v, full %v, after the disk answered", room.Load(), r.log.Full())
		}
		if longest := r.log.Stats().LongestFsync; longest < time.Minute {
			t.Errorf("the longest sync took %v", longest)
		}
	})
}

// TestRoomInTrouble: who waits for room is told when there is no hope for it.
func TestRoomInTrouble(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{Policy: journal.Always, BacklogMax: 1000}, func(r *rig) {
		r.disk.Fail(func(c faultfs.Call) error {
			if segmentCall(faultfs.Write)(c) {
				return errInjected
			}
			return nil
		})
		told := 0
		r.add(2000)
		r.log.WhenRoom(func() { told++ })
		r.wait(time.Second)
		r.log.WhenRoom(func() { told++ })
		if told != 2 || r.log.Err() == nil {
			t.Errorf("told %d of 2, error %v", told, r.log.Err())
		}
	})
}

// TestWaits: who waits for a version is told once it is on disk, and not before; under No only if he asks.
func TestWaits(t *testing.T) {
	t.Parallel()
	f := func(policy journal.Policy, within time.Duration, asks bool) {
		t.Helper()
		running(t, journal.Config{Policy: policy}, func(r *rig) {
			r.add(1)
			r.wait(100 * time.Millisecond)
			began := time.Now()
			told := map[string]time.Duration{}
			note := func(name string) func() {
				return func() {
					told[name] = time.Since(began)
					if r.log.Durable() < r.given {
						t.Errorf("%s is told of %d when %d is durable", name, r.given, r.log.Durable())
					}
				}
			}
			r.add(1)
			r.log.WhenDurable(r.given, note("who waits"))
			if asks {
				r.log.WaitSync(r.given, note("who asks"))
			}
			r.wait(5 * time.Second)
			if took, done := told["who waits"]; done != (policy != journal.No || asks) || took > within {
				t.Errorf("policy %d: told %v after %v", policy, done, took)
			}
			if took, done := told["who asks"]; done != asks || took > within {
				t.Errorf("policy %d: who asks is told %v after %v", policy, done, took)
			}
		})
	}
	f(journal.Always, 0, false)
	f(journal.EverySecond, time.Second, false)
	f(journal.EverySecond, time.Second, true)
	f(journal.No, 0, false)
	f(journal.No, 10*time.Millisecond, true)
}

// TestWaitsDuringWrite: who asks for a sync of a record that comes while those before it are being written
// gets one, under No too.
func TestWaitsDuringWrite(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{Policy: journal.No}, func(r *rig) {
		var told []uint64
		ask := func() {
			version := r.add(100)
			r.log.WaitSync(version, func() { told = append(told, version) })
		}
		more := 3
		r.disk.Fail(func(c faultfs.Call) error {
			if segmentCall(faultfs.Write)(c) && more > 0 {
				more--
				ask()
			}
			return nil
		})
		ask()
		r.wait(time.Second)
		if len(told) != 4 || more != 0 {
			t.Errorf("told of %d, %d asks are left", told, more)
		}
	})
}

// TestPolicyChange: who waited under one policy is told under the next one.
func TestPolicyChange(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{Policy: journal.EverySecond}, func(r *rig) {
		r.add(1)
		r.wait(100 * time.Millisecond)
		told := false
		r.add(1)
		r.log.WhenDurable(r.given, func() { told = true })
		r.log.SetPolicy(journal.No)
		r.wait(10 * time.Millisecond)
		if !told {
			t.Error("who waits is not told")
		}
	})
}

// TestGroupCommit: all who come while the disk syncs share the next sync.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{Policy: journal.Always}, func(r *rig) {
		r.disk.Fail(func(c faultfs.Call) error {
			if segmentCall(faultfs.Sync)(c) {
				<-time.After(10 * time.Millisecond)
			}
			return nil
		})
		told := 0
		for range 100 {
			r.add(10)
			r.log.WhenDurable(r.given, func() { told++ })
			r.wait(time.Millisecond)
		}
		r.wait(time.Second)
		if fsyncs := r.log.Stats().Fsyncs; told != 100 || fsyncs < 9 || fsyncs > 12 {
			t.Errorf("%d syncs for 100 records, %d told", fsyncs, told)
		}
	})
}
