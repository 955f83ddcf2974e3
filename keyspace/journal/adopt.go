package journal

import (
	"errors"
	"fmt"
	"path/filepath"
)

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
	// Writing ends the segment where the snapshot was cut. If that is not possible now, the snapshot may be
	// just what the log needs.
	err := w.mend()
	if err == nil {
		err = w.writeAll()
	}
	if err != nil && w.dir.unsettled {
		return err
	}
	m := w.dir.Manifest()
	if err := w.accepts(tmp, s, m); err != nil {
		return err
	}
	s.Name = snapshotName(m.Next, s.Version)
	m.Next++
	m.Snapshot = s
	m.Segments = m.after(s.Version)
	if err := w.dir.rename(tmp, s.Name); err != nil {
		w.unname(s.Name, tmp)
		return fmt.Errorf("naming the snapshot: %w", err)
	}
	if err := w.dir.store(m); err != nil {
		w.unname(s.Name, tmp)
		return err
	}
	w.sweep()
	return nil
}

// Temporary is Log.Temporary, for Import.
func (d *Dir) Temporary() string { return d.Path(snapshotTemp) }

// Import makes a finished snapshot the base of a directory that has neither a base nor a record yet: the
// log that Begin returns goes on from it. The file was written and synced under tmp, in the directory; s
// says its size and checksum. After an error the directory has that base or none, and Import may be called
// again, at the next start too.
func (d *Dir) Import(tmp string, s Snapshot) error {
	if m := d.Manifest(); m.Snapshot.Name != "" || m.last() != 0 || d.last != 0 {
		return errors.New("journal: Import into a directory that has data")
	}
	if err := d.prepare(); err != nil {
		return err
	}
	m := d.Manifest()
	s.Version, s.Name = 0, snapshotName(m.Next, 0)
	m.Next++
	m.Snapshot = s
	if err := d.rename(tmp, s.Name); err != nil {
		return fmt.Errorf("naming the snapshot: %w", err)
	}
	return d.store(m)
}

// accepts tells what is wrong with a snapshot that is to be adopted.
func (w *writer) accepts(tmp string, s Snapshot, m Manifest) error {
	if from, to := m.Snapshot.Version, w.log.Version(); s.Version < from || s.Version > to {
		return fmt.Errorf("journal: a snapshot of version %d, where one of %d to %d is due", s.Version, from, to)
	}
	size, err := w.dir.fs.Stat(tmp)
	if err == nil && size != s.Size {
		err = fmt.Errorf("%s has %d bytes and should have %d", filepath.Base(tmp), size, s.Size)
	}
	return err
}

// rename gives a file its name in the directory, on disk.
func (d *Dir) rename(from, name string) error {
	if err := d.fs.Rename(from, d.Path(name)); err != nil {
		return err
	}
	return d.fs.SyncDir(d.path)
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
