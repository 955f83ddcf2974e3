package journal

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// Held is the data on disk as it was at one moment of a running log, for somebody who reads it: nothing of
// it is removed until Release.
type Held struct {
	log      *Log
	manifest Manifest
	release  sync.Once
}

// Hold writes what was appended, without waiting for a sync, and holds what is on disk then: a snapshot
// and records up to Last. The error is the disk's trouble, or ErrClosed.
func (l *Log) Hold() (*Held, error) {
	h, err := &Held{log: l}, ErrClosed
	l.do(func(w *writer) { err = w.hold(h) })
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (w *writer) hold(h *Held) error {
	if err := w.mend(); err != nil {
		return err
	}
	if err := w.writeAll(); err != nil {
		return err
	}
	h.manifest = w.dir.Manifest()
	h.manifest.close(w.segment.last, w.segment.size)
	w.log.mu.Lock()
	w.log.holds++
	w.log.mu.Unlock()
	return nil
}

// Manifest says which files are held. All segments in it have an end.
func (h *Held) Manifest() Manifest { return h.manifest.clone() }

// Path gives the whole path of a file that is held.
func (h *Held) Path(name string) string { return h.log.dir.Path(name) }

// Last is the version of the last record that is held.
func (h *Held) Last() uint64 { return h.manifest.last() }

// Replay visits all records held with a version above after, in order.
func (h *Held) Replay(after uint64, visit func(Record) error) error {
	for _, s := range h.manifest.Segments {
		if s.Last <= after {
			continue
		}
		if err := h.segment(s, after, visit); err != nil {
			return err
		}
	}
	return nil
}

func (h *Held) segment(s Segment, after uint64, visit func(Record) error) error {
	d := h.log.dir
	file, err := d.fs.Open(d.Path(s.Name()))
	if err != nil {
		return err
	}
	defer file.Close()
	scan, _, err := d.scan(file, s)
	if err != nil {
		return err
	}
	for {
		record, err := scan.next()
		var wrong flaw
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &wrong):
			return d.damageAt(s.Name(), scan.at, "%s", wrong)
		case err != nil:
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
		if record.Version > after {
			if err := visit(record); err != nil {
				return err
			}
		}
	}
}

// Release lets what was held go. Superfluous files are removed then.
func (h *Held) Release() {
	h.release.Do(func() {
		h.log.mu.Lock()
		h.log.holds--
		h.log.mu.Unlock()
		h.log.do(func(w *writer) { w.sweep() })
	})
}
