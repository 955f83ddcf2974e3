package journal

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// failed notes that the disk did not do what was due, and returns how long to leave it alone.
func (w *writer) failed(err error) time.Duration {
	pause := min(retryPauseMin<<min(w.attempts, 8), retryPauseMax)
	w.attempts++
	w.retryAt = time.Now().Add(pause)
	w.log.fail(err)
	return pause
}

// worked notes that all that was due is done.
func (w *writer) worked() {
	if w.attempts > 0 {
		w.attempts, w.retryAt = 0, time.Time{}
		w.log.heal()
	}
}

// about says what was being done to the segment when the disk failed.
func (w *writer) about(doing string, err error) error {
	return fmt.Errorf("%s %s: %w", doing, segmentName(w.segment.number), err)
}

// attemptsBeforeMove is how often a write is tried in one file before another one is.
const attemptsBeforeMove = 3

// mend undoes what went wrong before anything is written again. A write that failed is cut off, so that
// the next one stands where it stood. If that does not help, or if a sync failed, the records that are not
// known to be on disk move to a new segment.
func (w *writer) mend() error {
	if w.dir.unsettled {
		if err := w.settle(); err != nil {
			return err
		}
	}
	if w.cutBack && !w.doubtful {
		w.doubtful = w.attempts >= attemptsBeforeMove || w.segment.file.Truncate(w.segment.size) != nil
		w.cutBack = w.doubtful
	}
	if !w.doubtful {
		return nil
	}
	if err := w.move(); err != nil {
		return fmt.Errorf("moving on from %s: %w", segmentName(w.segment.number), err)
	}
	return nil
}

// settle writes the manifest again, of which nobody knows whether it is the one on disk. What had to wait
// for that is told then.
func (w *writer) settle() error {
	if err := w.dir.store(w.dir.Manifest()); err != nil {
		return err
	}
	if w.segment.synced == w.segment.end() {
		w.safe()
	}
	return nil
}

// move begins a new segment with all that is not known to be on disk, and ends the present one with what
// is. The records are on disk in the new file before the manifest names it: if this process is killed
// meanwhile, the system may still write them in the old one.
func (w *writer) move() error {
	old := w.segment
	m := w.dir.Manifest()
	m.close(old.synced.version, old.synced.offset)
	from := old.synced
	if covered := m.Snapshot.Version >= old.freed.version; covered {
		from = old.freed
	}
	h := w.dir.nextHead(&m, from.version+1)
	h.kind = rescue
	s, err := createSegment(w.dir.fs, w.dir.path, h)
	if err != nil {
		return err
	}
	w.segment = s
	if err = w.refill(old, from); err == nil {
		err = w.fsync(s.file)
	}
	if err == nil {
		err = w.dir.store(m)
	}
	if err != nil && !w.dir.unsettled {
		w.segment = old
		w.log.rewind()
		s.discard(w.dir.fs, w.dir.path)
		return err
	}
	s.synced = s.end()
	w.cutBack, w.doubtful = false, false
	w.retire(old)
	if err != nil {
		return err
	}
	w.safe()
	w.sweep()
	return nil
}

// refill writes into the new segment what the old one has behind a place: first what is no longer in
// memory, which is read back, then what is.
func (w *writer) refill(old *segment, from mark) error {
	if err := w.readBack(old, from); err != nil {
		return err
	}
	w.segment.freed = w.segment.end()
	w.log.rewind()
	w.collect()
	for _, s := range w.spans {
		if err := w.writeSpan(s); err != nil {
			return err
		}
	}
	return nil
}

// rewind says of all that is kept in memory that it is in no file that counts.
func (l *Log) rewind() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.backlog.rewind()
}

// readBack copies records out of a file whose sync failed. Most systems still have them in memory. If
// they don't, only a snapshot of a later version helps, and the trouble lasts until there is one.
func (w *writer) readBack(old *segment, from mark) error {
	scan := &scanner{file: old.file, end: old.freed.offset, seed: old.sum, at: from.offset, expect: from.version + 1}
	for {
		record, err := scan.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("records %d to %d can't be read back, a snapshot is needed: %w", scan.expect, old.freed.version, err)
		}
		b := make([]byte, recordHead, recordHead+len(record.Body))
		putHead(b, len(record.Body), record.Version, record.Time)
		c := &chunk{buf: append(b, record.Body...)}
		if err := w.writeSpan(span{c, c.buf}); err != nil {
			return err
		}
	}
}

// retire lets go of a segment that nothing more is written to. What it has behind its last sound record is
// cut off if the disk lets us; the manifest says where it ends in any case.
func (w *writer) retire(old *segment) {
	if old.size > old.synced.offset {
		_ = old.file.Truncate(old.synced.offset)
	}
	old.file.Close()
}
