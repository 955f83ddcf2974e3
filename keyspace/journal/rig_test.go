package journal_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
	"github.com/troupedb/troupe/keyspace/slab"
)

var (
	seedFlag = flag.Uint64("seed", 0, "the seed of the random tests; 0 for one that is new each time")
	programs = flag.Int("programs", 150, "how many random programs are run")
)

// newSeed gives the seed of a random test and has it printed if the test fails.
func newSeed(t *testing.T) uint64 {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again with: go test ./keyspace/journal -run %s -seed %d", t.Name(), seed)
		}
	})
	return seed
}

const dataDir = "/data"

// rig is a program that uses a journal, with a memory of all it was ever promised, over crashes.
type rig struct {
	t      *testing.T
	random *rand.Rand
	disk   *faultfs.Disk
	config journal.Config
	log    *journal.Log

	records   map[uint64]string // by version: all that were ever appended
	times     map[uint64]time.Time
	snapshots map[uint64]string // by version: all that were ever written
	given     uint64            // the highest version ever given out
	durable   uint64            // the highest that was said to be durable
	adopted   uint64            // the highest that was said to be the base
	excused   atomic.Bool       // the disk failed at some time, or the policy changed
}

func newRig(t *testing.T, seed uint64) *rig {
	return &rig{
		t: t, random: rand.New(rand.NewPCG(seed, 1)), disk: faultfs.New(seed),
		records: map[uint64]string{}, times: map[uint64]time.Time{}, snapshots: map[uint64]string{},
	}
}

// start opens the directory, holds that it has all that was promised, and begins a log. It returns the
// disk's error if it is one that the test made; damage fails the test.
func (r *rig) start() error {
	d, err := journal.OpenDir(r.disk, dataDir)
	if err != nil {
		return r.injected(err)
	}
	base, err := r.readBase(d)
	if err != nil {
		d.Close()
		return r.injected(err)
	}
	var got []journal.Record
	report, err := d.Replay(base, func(record journal.Record) error {
		record.Body = slices.Clone(record.Body)
		got = append(got, record)
		return nil
	}, nil)
	if err != nil {
		d.Close()
		return r.injected(err)
	}
	r.compare(base, got, report)
	log, err := d.Begin(r.config)
	if err != nil {
		d.Close()
		return r.injected(err)
	}
	if v := log.Version(); v < r.given {
		r.t.Fatalf("the log goes on from %d, and %d was given out before", v, r.given)
	}
	r.log = log
	r.durable = max(r.durable, report.Last)
	r.forget(report.Last)
	return nil
}

// forget drops the records that a crash took, so that they may not come back.
func (r *rig) forget(last uint64) {
	for version := range r.records {
		if version > last {
			delete(r.records, version)
		}
	}
}

// injected fails the test unless an error is one that the test gave the disk.
func (r *rig) injected(err error) error {
	r.t.Helper()
	var damage *journal.Damage
	if errors.As(err, &damage) || !errors.Is(err, faultfs.ErrCrash) && !errors.Is(err, errInjected) {
		r.t.Fatalf("the directory is not opened: %v\n%s", err, r.listing())
	}
	return err
}

var errInjected = errors.New("injected")

// readBase reads the snapshot, which must be one that was written.
func (r *rig) readBase(d *journal.Dir) (version uint64, err error) {
	s := d.Manifest().Snapshot
	if s.Version < r.adopted {
		r.t.Fatalf("the base is of version %d, and %d was adopted", s.Version, r.adopted)
	}
	if s.Name == "" {
		return 0, nil
	}
	reader, err := d.OpenSnapshot()
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	var text strings.Builder
	buf := make([]byte, 100)
	for err == nil {
		n := 0
		n, err = reader.Read(buf)
		text.Write(buf[:n])
	}
	if err.Error() != "EOF" {
		return 0, err
	}
	if want, known := r.snapshots[s.Version]; !known || text.String() != want {
		r.t.Fatalf("the snapshot of %d reads %.60q, want %.60q", s.Version, text.String(), want)
	}
	return s.Version, nil
}

// compare holds what was replayed against what was appended and promised.
func (r *rig) compare(base uint64, got []journal.Record, report journal.Report) {
	r.t.Helper()
	last := base
	for _, record := range got {
		want, known := r.records[record.Version]
		if !known {
			r.t.Fatalf("record %d, %.40q, was never appended", record.Version, record.Body)
		}
		if string(record.Body) != want || record.Time != int64(record.Version) {
			r.t.Fatalf("record %d of time %d reads %.40q, want %.40q", record.Version, record.Time, record.Body, want)
		}
		last = record.Version
	}
	expected := 0
	for v := range r.records {
		if v > base && v <= last {
			expected++
		}
		if v > last && v <= r.durable {
			r.t.Fatalf("the last record is %d, and %d was durable\n%s", last, v, r.listing())
		}
	}
	if expected != len(got) {
		r.t.Fatalf("%d records were read from %d to %d, and %d appended", len(got), base, last, expected)
	}
	if report.Last != last && len(got) > 0 || int(report.Records) != len(got) {
		r.t.Fatalf("reported %+v, read %d records up to %d", report, len(got), last)
	}
}

func (r *rig) listing() string {
	names, err := r.disk.ReadDir(dataDir)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, name := range names {
		size, _ := r.disk.Stat(dataDir + "/" + name)
		fmt.Fprintf(&b, "%s %d\n", name, size)
	}
	if file, err := r.disk.Open(dataDir + "/manifest"); err == nil {
		text := make([]byte, 4096)
		n, _ := file.Read(text)
		b.Write(text[:n])
	}
	return b.String()
}

// add appends records of the given sizes and keeps them in mind.
func (r *rig) add(sizes ...int) (last uint64) {
	var bodies []byte
	var ends []int
	for _, size := range sizes {
		for i := range size {
			bodies = append(bodies, byte('a'+(i+len(r.records))%26))
		}
		ends = append(ends, len(bodies))
	}
	// The time of a record is its version; what it will be is known, as there is one writer.
	base := r.log.Version()
	from := 0
	for i, end := range ends {
		if got := r.append(int64(base)+1+int64(i), bodies[from:end]); got != base+uint64(i) {
			r.t.Fatalf("record got %d, want %d", got+1, base+1+uint64(i))
		}
		version := base + 1 + uint64(i)
		if _, known := r.records[version]; known || version <= r.given {
			r.t.Fatalf("version %d is given out twice", version)
		}
		r.records[version], r.times[version] = string(bodies[from:end]), time.Now()
		r.given = version
		from = end
	}
	return r.given
}

// append appends a record, now and then in pieces.
func (r *rig) append(time int64, body []byte) (base uint64) {
	if len(body) < 2 || r.random == nil || r.random.IntN(8) != 0 {
		return r.log.Append(time, body, []int{len(body)})
	}
	from := 1 + r.random.IntN(len(body)-1)
	to := from + 1 + r.random.IntN(len(body)-from)
	left := append(slices.Clone(body[:from]), body[to:]...)
	return r.log.AppendPieces(time, left, []slab.Piece{pieceOf(body[from:to], from)}, []int{len(left)})
}

// pieceOf is bytes in a Buffer of their own.
func pieceOf(bytes []byte, at int) slab.Piece {
	in := slab.NewBuffer(len(bytes))
	copied := in.Bytes()[:copy(in.Bytes(), bytes)]
	in.Use(len(copied))
	return slab.Piece{At: at, Bytes: copied, In: in}
}

// seen takes note of what the log promises now.
func (r *rig) seen() {
	r.durable = max(r.durable, r.log.Durable())
}

// wait lets time pass, and with it whatever the log has to do.
func (r *rig) wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
	r.seen()
}

// save takes a snapshot and has it adopted.
func (r *rig) save() error { return r.snapshotAt(r.log.Cut()) }

// snapshotAt writes the snapshot of a version that was cut.
func (r *rig) snapshotAt(version uint64) error {
	r.given = max(r.given, version)
	text := fmt.Sprintf("the state at %d %s", version, strings.Repeat("s", int(version*version%2000)))
	r.snapshots[version] = text
	file, err := r.disk.Create(r.log.Temporary())
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write([]byte(text)); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	err = r.log.Adopt(r.log.Temporary(), journal.Snapshot{
		Version: version, Size: int64(len(text)), Checksum: journal.Checksum(0, []byte(text)),
	})
	if err == nil {
		r.adopted = version
		r.durable = max(r.durable, version)
	}
	return err
}

// crash ends the program: by a power cut, or by a kill that leaves all that was written.
func (r *rig) crash(power bool) {
	if r.log != nil {
		r.seen()
	}
	var next *faultfs.Disk
	if power {
		next = r.disk.Crash()
	} else {
		next = r.disk.Kill()
	}
	if r.log != nil {
		r.log.Close() // of a dead disk: it only ends the goroutine
		r.log = nil
	}
	r.disk = next
	if found, err := journal.Check(r.disk, dataDir); err == nil && !found.OK() {
		r.t.Fatalf("after a crash Check finds %v", found.List)
	}
}
