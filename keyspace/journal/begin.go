package journal

import (
	"errors"
	"fmt"
	"time"
)

// Begin ends the last segment where Replay found its end, makes a higher epoch and a new segment durable,
// takes away what a crash left behind, and returns the running log. The first version that it gives out is
// the epoch's first, higher than all that were ever given out in this directory. After an error, as on a
// full disk, Begin may be called again. The directory is the log's from then on.
func (d *Dir) Begin(c Config) (*Log, error) {
	if d.readOnly {
		return nil, errors.New("journal: Begin of a directory that is only read")
	}
	if !d.replayed && len(d.manifest.Segments) > 0 {
		return nil, errors.New("journal: Begin before Replay")
	}
	if err := d.prepare(); err != nil {
		return nil, fmt.Errorf("beginning the journal: %w", err)
	}
	d.clear()
	if err := d.secure(); err != nil {
		return nil, fmt.Errorf("securing the journal's end: %w", err)
	}
	m := d.Manifest()
	m.close(d.end.version, d.end.offset)
	m.Epoch = max(m.Epoch, d.last>>EpochShift, m.Snapshot.Version>>EpochShift) + 1
	s, err := createSegment(d.fs, d.path, d.nextHead(&m, m.Epoch<<EpochShift+1))
	if err != nil {
		return nil, fmt.Errorf("beginning a journal segment: %w", err)
	}
	if err := d.store(m); err != nil {
		d.abandon(s)
		return nil, err
	}
	d.sweep()
	return d.start(c.withDefaults(), s), nil
}

// prepare makes sure that there is a manifest, and that it is the one on disk: a segment without one would
// be taken for what is left of lost data.
func (d *Dir) prepare() error {
	m := d.Manifest()
	if m.Identity == (Identity{}) {
		m.Identity, m.Next = newIdentity(), 1
	} else if !d.unsettled {
		return nil
	}
	return d.store(m)
}

// nextHead adds a segment to a manifest and gives its head.
func (d *Dir) nextHead(m *Manifest, first uint64) head {
	h := head{identity: m.Identity, number: m.Next, after: min(m.last(), first-1), first: first}
	m.Segments = append(m.Segments, Segment{Number: h.number, After: h.after, First: h.first})
	m.Next++
	return h
}

// last gives the last version that the files of a manifest have.
func (m Manifest) last() uint64 {
	if n := len(m.Segments); n > 0 {
		return max(m.Segments[n-1].Last, m.Snapshot.Version)
	}
	return m.Snapshot.Version
}

// abandon gives up a segment that the manifest on disk does not name, or leaves it to the next try if that
// is not certain.
func (d *Dir) abandon(s *segment) {
	if d.unsettled {
		s.file.Close()
		d.end = s.end()
		return
	}
	s.discard(d.fs, d.path)
}

// start makes the log and its goroutine.
func (d *Dir) start(c Config, s *segment) *Log {
	l := &Log{
		dir: d, config: c, began: time.Now(),
		wake: make(chan struct{}, 1), jobs: make(chan func(*writer)), done: make(chan struct{}),
	}
	l.policy.Store(int32(c.Policy))
	l.most.Store(c.BacklogMax)
	l.version.Store(s.last)
	l.durable.Store(s.last)
	l.openBytes = s.size
	w := &writer{log: l, dir: d, segment: s}
	go w.run()
	return l
}
