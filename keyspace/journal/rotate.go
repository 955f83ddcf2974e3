package journal

import (
	"errors"
	"fmt"
	"path/filepath"
)

// ErrClosed says that the log was closed.
var ErrClosed = errors.New("the journal is closed")

// rotate ends the segment, which is synced for it, and begins the next one.
func (w *writer) rotate() error {
	if err := w.sync(); err != nil {
		return err
	}
	old := w.segment
	m := w.dir.Manifest()
	m.close(old.last, old.size)
	s, err := createSegment(w.dir.fs, w.dir.path, w.dir.nextHead(&m, old.last+1))
	if err != nil {
		return fmt.Errorf("beginning a journal segment: %w", err)
	}
	err = w.dir.store(m)
	if err != nil && !w.dir.unsettled {
		s.discard(w.dir.fs, w.dir.path)
		return err
	}
	w.segment = s
	w.retire(old)
	w.log.wrote(0, s.size)
	return err
}

// raiseEpoch makes the next epoch durable once half of the numbers of the present one are used, so that
// versions may run into it.
func (w *writer) raiseEpoch() error {
	version := w.log.Version()
	epoch := (version + epochHalf) >> EpochShift
	m := w.dir.Manifest()
	if epoch <= m.Epoch {
		return nil
	}
	m.Epoch = epoch
	return w.dir.store(m)
}

// Cut has the segment end with the present version, which it returns: that of a snapshot that is taken now.
// It waits for nothing, so it may be called while all shards are held. Adopt can then remove all before it.
func (l *Log) Cut() (version uint64) {
	l.mu.Lock()
	version = l.version.Load()
	l.cut = version
	l.awake = true
	l.mu.Unlock()
	l.call()
	return version
}

// cutDone forgets a cut, unless a later one has taken its place.
func (l *Log) cutDone(cut uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut == cut {
		l.cut = 0
	}
}

// Temporary is the path under which a snapshot is written until it is adopted. One that a crash left is
// removed by Begin.
func (l *Log) Temporary() string { return l.dir.Path(snapshotTemp) }

// Adopt makes a finished snapshot the base of the data. The file was written and synced under tmp, in the
// log's directory; s says its version, size and checksum, and Adopt names it. Once the manifest on disk
// says so, the segments and the snapshot that are superfluous now are removed. After an error the data is
// whole, with the old base or the new one.
func (l *Log) Adopt(tmp string, s Snapshot) error {
	err := ErrClosed
	l.do(func(w *writer) { err = w.adopt(tmp, s) })
	return err
}

func (w *writer) adopt(tmp string, s Snapshot) error {
	m := w.dir.Manifest()
	if s.Version < m.Snapshot.Version || s.Version > w.log.Version() {
		return fmt.Errorf("journal: a snapshot of version %d, after one of %d and before any after %d", s.Version, m.Snapshot.Version, w.log.Version())
	}
	// Writing ends the segment where the snapshot was cut. If that is not possible now, the snapshot may be
	// just what the log needs.
	err := w.mend()
	if err == nil {
		err = w.writeAll()
	}
	if err != nil && w.dir.unsettled {
		return err
	}
	m = w.dir.Manifest()
	size, err := w.dir.fs.Stat(tmp)
	if err != nil {
		return err
	}
	if size != s.Size {
		return fmt.Errorf("%s has %d bytes and should have %d", filepath.Base(tmp), size, s.Size)
	}
	s.Name = snapshotName(m.Next, s.Version)
	m.Next++
	m.Snapshot = s
	m.Segments = m.after(s.Version)
	if err := w.dir.fs.Rename(tmp, w.dir.Path(s.Name)); err != nil {
		return fmt.Errorf("naming the snapshot: %w", err)
	}
	if err := w.dir.fs.SyncDir(w.dir.path); err != nil {
		return fmt.Errorf("naming the snapshot: %w", err)
	}
	if err := w.dir.store(m); err != nil {
		w.unname(s.Name, tmp)
		return err
	}
	w.sweep()
	return nil
}

// unname gives a snapshot its temporary name back if it certainly was not adopted. What can't be renamed is
// found at the next start.
func (w *writer) unname(name, tmp string) {
	if !w.dir.unsettled {
		_ = w.dir.fs.Rename(w.dir.Path(name), tmp)
	}
}

// after gives the segments that have, or may get, records after a version.
func (m Manifest) after(version uint64) []Segment {
	var rest []Segment
	for _, s := range m.Segments {
		if !s.Closed() || s.Last > version {
			rest = append(rest, s)
		}
	}
	return rest
}

// sweep removes what is superfluous, unless somebody still reads it.
func (w *writer) sweep() {
	w.log.mu.Lock()
	held := w.log.holds > 0
	w.log.mu.Unlock()
	if !held && !w.dir.unsettled {
		w.dir.sweep()
	}
}

// closeTries is how often Close tries to get on disk what is in memory.
const closeTries = 3

// Close gets all records on disk, ends the segment and lets the directory go. After an error what is
// lost is what Durable did not promise; nobody who waits for it is called.
func (l *Log) Close() error {
	err := error(nil)
	l.do(func(w *writer) { err = w.close() })
	<-l.done
	return err
}

func (w *writer) close() error {
	w.ending = true
	l := w.log
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	err := w.finish()
	for i := 1; i < closeTries && err != nil; i++ {
		w.attempts++
		err = w.finish()
	}
	w.segment.file.Close()
	return errors.Join(err, w.dir.Close())
}

// finish writes and syncs everything and notes in the manifest where the log ends, so that the next start
// knows damage at its end from a write cut short.
func (w *writer) finish() error {
	if err := w.mend(); err != nil {
		return err
	}
	if err := w.writeAll(); err != nil {
		return err
	}
	if err := w.sync(); err != nil {
		return err
	}
	m := w.dir.Manifest()
	m.close(w.segment.last, w.segment.size)
	if err := w.dir.store(m); err != nil {
		return err
	}
	w.sweep()
	return nil
}
