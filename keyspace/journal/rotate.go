package journal

import "fmt"

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
