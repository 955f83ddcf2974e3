package journal

import "errors"

// ErrClosed says that the log was closed.
var ErrClosed = errors.New("the journal is closed")

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
