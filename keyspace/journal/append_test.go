package journal_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/troupedb/troupe/keyspace/journal"
)

// onDisk begins a log on the real disk.
func onDisk(t testing.TB, config journal.Config) *journal.Log {
	t.Helper()
	d, err := journal.OpenDir(journal.Disk, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Begin(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// TestConcurrent: records of many goroutines get versions without a gap, each call's in a row, and are on
// disk in that order.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, err := journal.OpenDir(journal.Disk, dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Begin(journal.Config{Policy: journal.Always, SegmentBytes: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	const writers, calls = 4, 300
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() {
			for call := range calls {
				text := bytes.Repeat([]byte{byte(writer), byte(call)}, 1+call%50)
				if call == 100 {
					text = bytes.Repeat(text, 100_000) // has a chunk of its own
				}
				last := l.Append(int64(writer), append(text, text...), []int{len(text), 2 * len(text)}) + 2
				if call%50 == 49 {
					done := make(chan struct{})
					l.WhenDurable(last, func() { close(done) })
					<-done
				}
			}
		})
	}
	group.Wait()
	first := d.Manifest().Epoch<<journal.EpochShift + 1
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	readConcurrent(t, dir, first, 2*writers*calls)
}

func readConcurrent(t *testing.T, dir string, first uint64, records int) {
	t.Helper()
	d, err := journal.OpenDir(journal.Disk, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	next, before := first, []byte(nil)
	var done, all int64
	report, err := d.Replay(0, func(r journal.Record) error {
		if r.Version != next || int64(r.Body[0]) != r.Time {
			t.Fatalf("record %d of %d begins with %d", r.Version, r.Time, r.Body[0])
		}
		if second := (r.Version-first)%2 == 1; second && !bytes.Equal(before, r.Body) {
			t.Fatalf("record %d is not what came with the one before", r.Version)
		}
		next, before = next+1, append(before[:0], r.Body...)
		return nil
	}, func(d, a int64) { done, all = d, a })
	if err != nil || report.Records != int64(records) || report.Tail != nil {
		t.Errorf("read %+v, %v", report, err)
	}
	if done != all || done != report.Bytes {
		t.Errorf("progress ended at %d of %d, %d were read", done, all, report.Bytes)
	}
}

// TestAppendAllocates nothing once it is under way. It runs alone, since it counts for the whole process.
func TestAppendAllocates(t *testing.T) {
	l := onDisk(t, journal.Config{Policy: journal.No})
	body, ends := make([]byte, 300), []int{100, 200, 300}
	if allocs := testing.AllocsPerRun(20_000, func() { l.Append(1, body, ends) }); allocs > 0 {
		t.Errorf("%v allocations a call", allocs)
	}
}

// BenchmarkAppend is one record of 60 bytes a call. The backlog is let run over its bound: what is measured
// is the call, not the disk.
func BenchmarkAppend(b *testing.B) {
	l := onDisk(b, journal.Config{Policy: journal.No})
	body, ends := make([]byte, 60), []int{60}
	b.ReportAllocs()
	for b.Loop() {
		l.Append(1, body, ends)
	}
}

// BenchmarkAppend16 is sixteen records a call.
func BenchmarkAppend16(b *testing.B) {
	l := onDisk(b, journal.Config{Policy: journal.No})
	body := make([]byte, 16*60)
	var ends []int
	for i := range 16 {
		ends = append(ends, 60*(i+1))
	}
	b.ReportAllocs()
	for b.Loop() {
		l.Append(1, body, ends)
	}
}

// BenchmarkAppendTwo has two goroutines append.
func BenchmarkAppendTwo(b *testing.B) {
	l := onDisk(b, journal.Config{Policy: journal.No})
	b.ReportAllocs()
	b.SetParallelism(1)
	b.RunParallel(func(pb *testing.PB) {
		body, ends := make([]byte, 60), []int{60}
		for pb.Next() {
			l.Append(1, body, ends)
		}
	})
}

// BenchmarkReplay reads records of 60 bytes back.
func BenchmarkReplay(b *testing.B) {
	dir := b.TempDir()
	d, err := journal.OpenDir(journal.Disk, dir)
	if err != nil {
		b.Fatal(err)
	}
	l, err := d.Begin(journal.Config{Policy: journal.No})
	if err != nil {
		b.Fatal(err)
	}
	const records = 1_000_000
	body, ends := make([]byte, 60), []int{60}
	for range records {
		l.Append(1, body, ends)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		d, err := journal.OpenDir(journal.Disk, dir)
		if err != nil {
			b.Fatal(err)
		}
		report, err := d.Replay(0, func(journal.Record) error { return nil }, nil)
		if err != nil || report.Records != records {
			b.Fatal(report, err)
		}
		b.SetBytes(report.Bytes)
		d.Close()
	}
}
