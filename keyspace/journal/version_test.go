package journal_test

import (
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// TestEpochs: each start has an epoch of its own, whatever was given out before and however it ended.
func TestEpochs(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{}, func(r *rig) {
		for epoch := uint64(1); epoch < 6; epoch++ {
			if v := r.log.Version(); v != epoch<<journal.EpochShift || r.log.Durable() != v {
				t.Fatalf("start %d begins at %d, durable %d", epoch, v, r.log.Durable())
			}
			if got := r.log.Stats().Epoch; got != epoch {
				t.Errorf("start %d is of epoch %d", epoch, got)
			}
			if epoch%2 == 0 {
				r.add(1)
			}
			if epoch%3 == 0 {
				r.log.Close()
				r.log = nil
			}
			r.crash(epoch%2 == 1)
			if err := r.start(); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(r.log.Manifest().Segments); n > 3 {
			t.Errorf("starts without records left %d segments", n)
		}
	})
}

// TestCarry: versions run from one epoch into the next one, which was made durable long before.
func TestCarry(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{Policy: journal.Always}, func(r *rig) {
		epoch := func() uint64 { return r.log.Stats().Epoch }
		skip := func(to uint64) {
			if err := r.log.SkipTo(to); err != nil {
				t.Fatal(err)
			}
		}
		r.add(1)
		const half, whole = 1 << (journal.EpochShift - 1), 1 << journal.EpochShift
		skip(whole + half - 2)
		r.add(1)
		r.wait(time.Second)
		if epoch() != 1 {
			t.Errorf("before the half the epoch is %d", epoch())
		}
		r.add(1)
		r.wait(time.Second)
		if epoch() != 2 {
			t.Errorf("after the half the epoch is %d", epoch())
		}
		skip(2*whole - 2)
		r.add(1, 1, 1, 1)
		r.wait(time.Second)
		if r.given != 2*whole+2 || epoch() != 2 {
			t.Errorf("carried to %d, epoch %d", r.given, epoch())
		}
		r.crash(true)
		if err := r.start(); err != nil {
			t.Fatal(err)
		}
		if v := r.log.Version(); v != 3*whole {
			t.Errorf("the next start begins at %d", v)
		}
	})
}

// TestSnapshots: a snapshot takes the place of what is before it, once it is safe.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{Policy: journal.Always, SegmentBytes: 1000}, func(r *rig) {
		for range 10 {
			r.add(500, 600)
			r.wait(time.Millisecond)
		}
		before := r.log.Stats()
		if before.Segments < 10 || before.BaseSize != 0 || before.SinceSnapshot < 11_000 {
			t.Errorf("before: %+v", before)
		}
		cut := r.log.Cut()
		r.add(300)
		r.wait(time.Millisecond)
		if err := r.snapshotAt(cut); err != nil {
			t.Fatal(err)
		}
		s := r.log.Stats()
		if s.Segments != 1 || s.BaseSize == 0 || s.SinceSnapshot != 300+journal.RecordHead {
			t.Errorf("after: %+v", s)
		}
		files := readImage(t, r.disk)
		if len(files.names("journal-")) != 1 || len(files.names("snapshot-")) != 1 {
			t.Errorf("left are %v", files.names(""))
		}
		r.refuses(cut-1, "one that is older than the base")
		r.refuses(r.log.Version()+1, "one that is newer than all")
		// The first manifest is that of the segment which begins at the cut.
		r.disk.Fail(faultfs.Nth(2, errInjected, func(c faultfs.Call) bool {
			return c.Op == faultfs.Write && c.Name == dataDir+"/manifest.tmp"
		}))
		if err := r.save(); err == nil {
			t.Error("a snapshot was adopted without a manifest")
		}
		if m := r.log.Manifest(); m.Snapshot.Version != cut {
			t.Errorf("after an error the base is %+v", m.Snapshot)
		}
		if err := r.save(); err != nil {
			t.Error(err)
		}
	})
}

func (r *rig) refuses(version uint64, what string) {
	r.t.Helper()
	if err := r.log.Adopt(r.log.Temporary(), journal.Snapshot{Version: version}); err == nil {
		r.t.Errorf("adopted %s", what)
	}
}

// TestHeld: who reads a running log has it as it was, whatever is adopted meanwhile.
func TestHeld(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{SegmentBytes: 1000}, func(r *rig) {
		for range 5 {
			r.add(600, 600)
		}
		held, err := r.log.Hold()
		if err != nil {
			t.Fatal(err)
		}
		last := r.given
		r.add(10)
		if err := r.save(); err != nil {
			t.Fatal(err)
		}
		r.add(20)
		var got []uint64
		collect := func(record journal.Record) error {
			if string(record.Body) != r.records[record.Version] {
				t.Errorf("record %d reads %.20q", record.Version, record.Body)
			}
			got = append(got, record.Version)
			return nil
		}
		if err := held.Replay(last-7, collect); err != nil {
			t.Fatal(err)
		}
		if held.Last() != last || len(got) != 7 || got[6] != last {
			t.Errorf("read %d, want 7 up to %d", got, last)
		}
		held.Release()
		held.Release()
		if err := held.Replay(0, collect); err == nil {
			t.Error("released segments are still there")
		}
		if names := readImage(t, r.disk).names("journal-"); len(names) != 1 {
			t.Errorf("after the release there are %v", names)
		}
	})
}

// TestClosed: after Close nothing is kept and nothing waits.
func TestClosed(t *testing.T) {
	t.Parallel()
	running(t, journal.Config{}, func(r *rig) {
		r.add(1)
		log := r.log
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		base := log.Append(0, []byte("x"), []int{1})
		if log.Version() != base+1 {
			t.Errorf("after Close version %d follows %d", log.Version(), base)
		}
		if _, err := log.Hold(); err != journal.ErrClosed {
			t.Errorf("Hold says %v", err)
		}
		if err := log.Adopt("", journal.Snapshot{}); err != journal.ErrClosed {
			t.Errorf("Adopt says %v", err)
		}
		if err := log.Close(); err != nil {
			t.Errorf("the second Close says %v", err)
		}
		r.durable = r.given
		if err := r.start(); err != nil {
			t.Fatal(err)
		}
	})
}
