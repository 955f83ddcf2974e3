package journal

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Versions have an epoch in their high bits. A start makes a higher epoch durable before it gives out a
// version, so one that a crash may have lost is never given out again.
const (
	EpochShift = 40
	epochHalf  = 1 << (EpochShift - 1)
	epochMax   = 1<<(64-EpochShift) - 3 // leaves a start and a carry
)

// Log takes records and gets them on disk. Its methods may be called from any goroutine.
type Log struct {
	dir    *Dir
	config Config
	policy atomic.Int32
	most   atomic.Int64 // as Config.BacklogMax

	version  atomic.Uint64 // the last one given out; written under mu
	durable  atomic.Uint64
	full     atomic.Bool
	trouble  atomic.Pointer[error]
	began    time.Time
	calledAt atomic.Int64 // ns after began, when the disk was asked for what it has not answered yet; 0 if it owes nothing

	mu      sync.Mutex // of what follows
	backlog backlog
	awake   bool // the log's goroutine was told that there are records
	closed  bool
	cut     uint64 // a segment is to end with this version; 0 if none is
	waiting waiting
	stats   Stats
	// openBytes is the size of the segment that is being written.
	openBytes int64
	holds     int // of Held that were not released

	wake chan struct{}
	jobs chan func(*writer)
	done chan struct{} // closed when the log's goroutine has ended
}

// Append adds records: record i is bodies[ends[i-1]:ends[i]], may be empty, and gets version base+1+i. All
// have the same time, in Unix ms. It copies them and returns; it neither waits for the disk nor fails. What
// is appended while Full or Err say something is kept in memory without bound: holding back is the caller's.
// After Close versions are given out and nothing is kept.
func (l *Log) Append(time int64, bodies []byte, ends []int) (base uint64) {
	bytes := len(bodies) + len(ends)*recordHead
	var own *chunk
	if bytes > ownChunkFrom {
		own = ownChunk(bytes, time, bodies, ends)
	}
	base, taken := l.append(len(ends), bytes, func(base uint64) {
		if own != nil {
			own.renumber(base + 1)
			l.backlog.chunks = append(l.backlog.chunks, own)
		} else {
			l.backlog.room(bytes).fill(base+1, time, bodies, ends)
		}
	})
	if !taken && own != nil {
		own.drop()
	}
	return base
}

// append has so many records, of so many bytes, put into the backlog, of which the first gets version
// base+1; not if the log is closed.
func (l *Log) append(records, bytes int, put func(base uint64)) (base uint64, taken bool) {
	l.mu.Lock()
	base = l.version.Load()
	l.version.Store(base + uint64(records))
	if records == 0 || l.closed {
		l.mu.Unlock()
		return base, false
	}
	put(base)
	l.backlog.bytes += int64(bytes)
	if l.backlog.bytes >= l.most.Load() {
		l.full.Store(true)
	}
	call := !l.awake
	l.awake = true
	l.mu.Unlock()
	if call {
		l.call()
	}
	return base, true
}

// SetBacklogMax changes Config.BacklogMax.
func (l *Log) SetBacklogMax(bytes int64) {
	l.most.Store(bytes)
	l.call()
}

// ownChunk prepares the records of one large call.
func ownChunk(bytes int, time int64, bodies []byte, ends []int) *chunk {
	from := 0
	for _, end := range ends {
		if end-from > BodyBytesMax {
			panic(fmt.Sprintf("journal: a record of %d bytes; the most is %d", end-from, math.MaxUint32))
		}
		from = end
	}
	c := newChunk(bytes)
	c.fill(0, time, bodies, ends)
	return c
}

// call wakes the log's goroutine.
func (l *Log) call() {
	select {
	case l.wake <- struct{}{}:
	default: // it was called already
	}
}

// do has a function run by the log's goroutine and waits for it. It tells whether it ran: after Close
// nothing does.
func (l *Log) do(f func(*writer)) bool {
	ran := make(chan struct{})
	select {
	case l.jobs <- func(w *writer) { f(w); close(ran) }:
		<-ran
		return true
	case <-l.done:
		return false
	}
}

// Version is the last one given out.
func (l *Log) Version() uint64 { return l.version.Load() }

// Durable is the version up to which all records are on disk.
func (l *Log) Durable() uint64 { return l.durable.Load() }

// Err is the disk's present trouble, nil if there is none. While there is, what is appended stays in
// memory and waits for the disk to heal.
func (l *Log) Err() error {
	if err := l.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// Full tells whether as much is waiting for the disk as may be. It becomes false once half of that is done.
func (l *Log) Full() bool { return l.full.Load() }

// Policy is the one in force.
func (l *Log) Policy() Policy { return Policy(l.policy.Load()) }

// SetPolicy changes when the log is synced, from now on. Who waits for a sync gets one under any policy.
func (l *Log) SetPolicy(p Policy) {
	l.policy.Store(int32(p))
	l.mu.Lock()
	l.waiting.sync = len(l.waiting.durable) > 0
	for i := range l.waiting.durable {
		l.waiting.durable[i].sync = true
	}
	l.mu.Unlock()
	l.call()
}

// Manifest says which files make up the data now.
func (l *Log) Manifest() Manifest { return l.dir.Manifest() }
