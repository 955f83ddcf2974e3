package journal

import "time"

// Policy says when the log is synced.
type Policy int32

const (
	// EverySecond syncs within a second of a record, and more often if much is written: a crash of the
	// system loses at most what came in the last second.
	EverySecond Policy = iota
	// Always syncs at once. All records that come during a sync share the next one.
	Always
	// No leaves it to the system, but for the end of a segment and for WaitSync.
	No
)

// String is the policy's name as appendfsync has it.
func (p Policy) String() string { return [...]string{"everysec", "always", "no"}[p] }

// The log's times.
const (
	// coalesceTime is how long records wait for company before they are written, unless they are to be
	// synced at once.
	coalesceTime = 3 * time.Millisecond
	// syncPeriod leaves a tenth of the second to the sync itself.
	syncPeriod = 900 * time.Millisecond
	// The pause before a disk that failed is tried again grows from the first to the second.
	retryPauseMin = 50 * time.Millisecond
	retryPauseMax = time.Second
)

// Config is what a Log is told at its beginning. The zero Config is a good one.
type Config struct {
	Policy       Policy
	SegmentBytes int64 // a segment that has as many is closed and the next one begun; default 64 MB
	BacklogMax   int64 // bytes kept in memory at which Full says so; default 64 MB

	// Report, which may be nil, is told when the disk begins to fail, when it fails in another way, and,
	// with nil, when it has healed. It is called from the log's goroutine and must not wait for the log.
	Report func(error)
}

const (
	segmentBytesDefault = 64 << 20
	backlogMaxDefault   = 64 << 20
)

func (c Config) withDefaults() Config {
	if c.SegmentBytes <= 0 {
		c.SegmentBytes = segmentBytesDefault
	}
	if c.BacklogMax <= 0 {
		c.BacklogMax = backlogMaxDefault
	}
	if c.Report == nil {
		c.Report = func(error) {}
	}
	return c
}
