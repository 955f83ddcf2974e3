package tier

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/hashicorp/go-hclog"
)

// health is whether the disk takes what is written.
type health struct {
	trouble atomic.Pointer[error] // nil: it does
	disk    atomic.Int64          // bytes there, as of looked
	looked  atomic.Int64          // Unix milliseconds

	failing atomic.Bool   // what is in memory can't be written to the disk
	flushed chan struct{} // told when some of it was, or can't be
}

// Errors of a store that takes nothing more.
var (
	// ErrFull: as much is on disk as may be.
	ErrFull = errors.New("the tier is as large as it may be (tier-max-bytes)")
	// ErrLow: there is hardly any room left on the disk.
	ErrLow = errors.New("there is hardly any room left on the tier's disk")
)

// trouble notes an error of the disk, and returns it.
func (s *Store) trouble(err error) error {
	s.counts.fails.Add(1)
	if s.health.trouble.Swap(&err) == nil {
		s.config.Log.Error("values can't be spilled", "error", err)
	}
	return err
}

func (s *Store) healed() {
	if s.health.trouble.Swap(nil) != nil {
		s.config.Log.Info("values can be spilled again")
	}
}

// lookEvery is how often the room on disk is looked at, roomMin how much of it
// is not to be used, in bytes.
const (
	lookEvery = 500 * time.Millisecond
	roomMin   = 128 << 20
)

// toldFlush wakes the writer if it waits for a flush.
func (s *Store) toldFlush() {
	select {
	case s.health.flushed <- struct{}{}:
	default:
	}
}

// mayWrite says why nothing is to be written now, or nil.
func (s *Store) mayWrite() error {
	now := time.Now().UnixMilli()
	last := s.health.looked.Load()
	if now-last >= lookEvery.Milliseconds() && s.health.looked.CompareAndSwap(last, now) {
		s.look()
	}
	if why := s.health.trouble.Load(); why != nil {
		return *why
	}
	return nil
}

// look notes how much room is taken, and left.
func (s *Store) look() {
	used := int64(s.db.Metrics().DiskSpaceUsage())
	s.health.disk.Store(used)
	usage, err := s.config.FS.GetDiskUsage(s.config.Dir)
	switch {
	case s.config.MaxBytes > 0 && used >= s.config.MaxBytes:
		_ = s.trouble(ErrFull)
	case err == nil && usage.AvailBytes < roomMin:
		_ = s.trouble(ErrLow)
	case !s.health.failing.Load():
		s.healed() // or what is written next finds the disk in the same state
	}
}

// listener hears of the store's work in the background. None of what fails there
// is the end of the process.
func (s *Store) listener() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: func(err error) {
			_ = s.trouble(err)
			s.toldFlush()
			time.Sleep(backOff) // Pebble tries again at once
		},
		FlushEnd: func(info pebble.FlushInfo) {
			if s.health.failing.Store(info.Err != nil); info.Err == nil {
				s.healed()
			}
			s.toldFlush()
		},
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			s.config.Log.Error("the tier's disk has damaged values", "what", info.String())
		},
	}
}

// backOff is how long after a failure Pebble tries again.
const backOff = 100 * time.Millisecond

// Status is what a Store tells of itself.
type Status struct {
	// DiskBytes is what its files take, MemoryBytes its caches and what is not yet on
	// disk.
	DiskBytes, MemoryBytes int64
	// Values is how many were written and not deleted.
	Values int64
	// Reads, Writes and Written count values, and bytes before compression.
	Reads, Writes, Written int64
	// ReadErrors and WriteErrors count what failed.
	ReadErrors, WriteErrors int64
	// Forgotten is how many numbers wait to be deleted.
	Forgotten int
	// Trouble is why nothing is spilled now, nil if it is.
	Trouble error
}

// Status is how it stands now.
func (s *Store) Status() Status {
	m := s.db.Metrics()
	c := &s.counts
	st := Status{
		DiskBytes: int64(m.DiskSpaceUsage()), MemoryBytes: m.BlockCache.Size + int64(m.MemTable.Size),
		Values: c.writes.Load() - c.deletes.Load(), Reads: c.reads.Load(), Writes: c.writes.Load(), Written: c.written.Load(),
		ReadErrors: c.readErrors.Load(), WriteErrors: c.fails.Load(),
	}
	s.writer.mu.Lock()
	st.Forgotten = len(s.writer.dead)
	s.writer.mu.Unlock()
	if why := s.health.trouble.Load(); why != nil {
		st.Trouble = *why
	}
	return st
}

// logger has Pebble say what it says where the server does.
type logger struct{ log hclog.Logger }

// Infof implements pebble.Logger.
func (l logger) Infof(format string, args ...any) {
	if l.log.IsTrace() {
		l.log.Trace("pebble: " + fmt.Sprintf(format, args...))
	}
}

// Errorf implements pebble.Logger.
func (l logger) Errorf(format string, args ...any) {
	l.log.Error("pebble: " + fmt.Sprintf(format, args...))
}

// Fatalf implements pebble.Logger: the store is no longer what it should be, and
// Pebble can't go on. All that it holds is in the journal too.
func (l logger) Fatalf(format string, args ...any) {
	panic("the tier has failed: " + fmt.Sprintf(format, args...))
}
