package journal

import "time"

// writer is the log's goroutine: it alone touches the files.
type writer struct {
	log     *Log
	dir     *Dir
	segment *segment
	spans   []span

	ending   bool      // Close was called
	first    time.Time // when the oldest record not written came, if it waits for company
	lastSync time.Time

	// What the disk has done to us; see trouble.go.
	cutBack  bool // a write failed: the file may be longer than segment.size
	doubtful bool // a sync failed: what is behind segment.synced may be lost
	attempts int  // that failed in a row
	retryAt  time.Time
}

// run works until Close.
func (w *writer) run() {
	defer close(w.log.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !w.ending {
		timer.Reset(w.turn(time.Now()))
		select {
		case <-w.log.wake:
		case job := <-w.log.jobs:
			job(w)
		case <-timer.C:
		}
	}
}

// idle is how long the writer waits when nothing is due: until it is called.
const idle = time.Hour

// turn does what is due and returns how long it may wait for the next turn.
func (w *writer) turn(now time.Time) (wait time.Duration) {
	if w.retryAt.After(now) {
		return w.retryAt.Sub(now)
	}
	if w.attempts == 0 && w.gathers(now) {
		return coalesceTime - now.Sub(w.first)
	}
	if err := w.advance(now); err != nil {
		return w.failed(err)
	}
	w.worked()
	return w.untilSync(now)
}

// gathers tells whether records wait for company: a write costs the same for one as for a hundred.
func (w *writer) gathers(now time.Time) bool {
	if w.log.Policy() == Always || !w.log.isAwake() {
		w.first = time.Time{}
		return false
	}
	if w.first.IsZero() {
		w.first = now
	}
	if now.Sub(w.first) < coalesceTime {
		return true
	}
	w.first = time.Time{}
	return false
}

func (l *Log) isAwake() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.awake
}

// advance brings the disk up to date. After an error the same is due again.
func (w *writer) advance(now time.Time) error {
	if err := w.mend(); err != nil {
		return err
	}
	err := w.writeAll()
	clear(w.spans) // their chunks may be freed
	if err != nil {
		return err
	}
	if err := w.raiseEpoch(); err != nil {
		return err
	}
	if w.syncIsDue(now) {
		return w.sync()
	}
	return nil
}

// writeAll writes what was appended, in the segments that it belongs in.
func (w *writer) writeAll() error {
	cut := w.collect()
	for _, s := range w.spans {
		for len(s.records) > 0 {
			if w.segment.size >= w.log.config.SegmentBytes || w.reached(cut) {
				if err := w.rotate(); err != nil {
					return err
				}
			}
			written, err := w.write(s, cut)
			if err != nil {
				return err
			}
			s.records = s.records[written:]
		}
	}
	if cut == 0 || w.segment.last < cut {
		return nil
	}
	if w.reached(cut) {
		if err := w.rotate(); err != nil {
			return err
		}
	}
	w.log.cutDone(cut)
	return nil
}

// collect takes note of what is to be written, and of the version that a segment is to end with.
func (w *writer) collect() (cut uint64) {
	l := w.log
	l.mu.Lock()
	defer l.mu.Unlock()
	w.spans = l.backlog.unwritten(w.spans[:0])
	l.awake = false
	return l.cut
}

// reached tells whether the segment has records and ends with the version.
func (w *writer) reached(cut uint64) bool {
	return cut != 0 && w.segment.last == cut && w.segment.size > segmentHead
}

// write writes the records of a span, or as many as the segment is to have. What no sync is planned for
// need not be kept.
func (w *writer) write(s span, cut uint64) (bytes int, err error) {
	room, last := w.log.config.SegmentBytes-w.segment.size, w.segment.last
	if s.chunk.pieces != nil {
		bytes, last = len(s.records), cut
	}
	for bytes < len(s.records) && (bytes == 0 || int64(bytes) < room && last != cut) {
		head := s.records[bytes:]
		last = recordVersion(head)
		bytes += recordHead + bodyLength(head)
	}
	if err := w.writeSpan(span{s.chunk, s.records[:bytes]}); err != nil {
		return 0, err
	}
	if w.log.Policy() == No {
		w.segment.freed = w.segment.end()
		w.log.free()
	}
	return bytes, nil
}

// writeSpan writes all records of a span in the segment.
func (w *writer) writeSpan(s span) error {
	if s.chunk.pieces != nil {
		return w.writePieces(s.chunk)
	}
	seg, b := w.segment, s.records
	offset, last := seg.size, seg.last
	for at := 0; at < len(b); {
		record := b[at : at+recordHead+bodyLength(b[at:])]
		stamp(record, seg.sum, offset, seg.synced.offset)
		last = recordVersion(record)
		at += len(record)
		offset += int64(len(record))
	}
	if err := w.put(b); err != nil {
		return err
	}
	s.chunk.written += len(b)
	seg.size, seg.last = offset, last
	w.log.wrote(len(b), seg.size)
	return nil
}

// put writes bytes behind the segment's last record.
func (w *writer) put(b []byte) error {
	w.cutBack = true
	w.asking()
	_, err := w.segment.file.Write(b)
	w.answered()
	if err != nil {
		return w.about("writing", err)
	}
	w.cutBack = false
	return nil
}

// wrote counts bytes that were written, and notes the size of the segment with them.
func (l *Log) wrote(bytes int, size int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Written += int64(bytes)
	l.openBytes = size
}

// syncIsDue tells whether the policy, or somebody who waits, wants what is written on disk now.
func (w *writer) syncIsDue(now time.Time) bool {
	unsynced := w.segment.size - w.segment.synced.offset
	if unsynced == 0 {
		return false
	}
	switch w.log.Policy() {
	case Always:
		return true
	case EverySecond:
		// What is not synced is kept in memory, so a sync is also due before that becomes much. After
		// trouble what is left to do has waited long enough.
		return w.attempts > 0 || now.Sub(w.lastSync) >= syncPeriod || unsynced >= w.log.most.Load()/4 || w.log.isAsked()
	}
	return w.log.isAsked()
}

func (l *Log) isAsked() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting.sync
}

// untilSync gives the time until the next sync is due by itself.
func (w *writer) untilSync(now time.Time) time.Duration {
	if w.log.Policy() != EverySecond || w.segment.size == w.segment.synced.offset {
		return idle
	}
	return max(syncPeriod-now.Sub(w.lastSync), 0)
}

// sync has all that is written on disk, and tells who waits for it.
func (w *writer) sync() error {
	if w.segment.size == w.segment.synced.offset {
		return nil
	}
	w.lastSync = time.Now()
	if err := w.fsync(w.segment.file); err != nil {
		w.doubtful = true
		return err
	}
	w.safe()
	return nil
}

// safe notes that all that is written is on disk.
func (w *writer) safe() {
	w.segment.synced, w.segment.freed = w.segment.end(), w.segment.end()
	w.log.publish(w.segment.last)
	w.log.free()
}

// fsync syncs a segment's file and counts.
func (w *writer) fsync(file File) error {
	began := time.Now()
	w.asking()
	err := file.Sync()
	w.answered()
	if err != nil {
		return w.about("syncing", err)
	}
	took := time.Since(began)
	l := w.log
	l.mu.Lock()
	l.stats.Fsyncs++
	l.stats.LastFsync = took
	l.stats.FsyncsTook += took
	l.stats.LongestFsync = max(l.stats.LongestFsync, took)
	l.mu.Unlock()
	return nil
}

func (w *writer) asking() { w.log.calledAt.Store(max(int64(time.Since(w.log.began)), 1)) }

func (w *writer) answered() { w.log.calledAt.Store(0) }
