package persist

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
)

var (
	errGivenUp = errors.New("it was given up")
	// ErrSaving: one snapshot is written at a time.
	ErrSaving = errors.New("Background save already in progress")
	// ErrNoJournal: there is no journal to rewrite.
	ErrNoJournal = errors.New("the server keeps no journal (appendonly no)")
)

// job is what a snapshot is written for.
type job uint8

const (
	none    job = iota
	save        // the RDB file
	rewrite     // the journal's next base
)

// saver writes snapshots, one at a time.
type saver struct {
	store *Store

	mu      sync.Mutex // guards what follows
	now     job
	next    job // to be done when that is over
	began   time.Time
	halt    chan struct{}
	waiting []func(error) // those who want to hear of the present one
	after   []func(error) // and of the next one
	cut     []func()      // those who want to hear that its moment has come
	isCut   bool          // it has
	saved   struct {
		at      time.Time
		changes int64 // of the node, those in the file
		err     error
		took    time.Duration
		tried   time.Time
	}
	rewritten struct {
		err      error
		took     time.Duration
		failures int // one after the other
	}
	count [3]int // of those that were written, by job
	early [3]int // the most that shards kept for the last of them, in bytes

	total, walked atomic.Int64 // keys of the present one
	peak          atomic.Int64 // the most that shards kept for it, in bytes
}

func (s *saver) init(store *Store) {
	s.store = store
	s.saved.at, s.saved.took, s.rewritten.took = time.Now(), -1, -1
}

// started says that what has changed so far was loaded.
func (s *saver) started() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved.changes = s.store.Node.Changes()
}

// Save has the RDB file written. done, unless nil, is told how that went; the
// error says that it can't begin, as another snapshot is being written: then
// with later it is written after that one.
func (s *Store) Save(later bool, done func(error)) error { return s.saver.begin(save, later, done) }

// Rewrite has a new base written for the journal, likewise.
func (s *Store) Rewrite(later bool) error {
	if s.log() == nil {
		return ErrNoJournal
	}
	return s.saver.begin(rewrite, later, nil)
}

func (s *saver) begin(j job, later bool, done func(error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != none {
		if later {
			s.next = j
			if done != nil {
				s.after = append(s.after, done)
			}
			return nil
		}
		return ErrSaving
	}
	select {
	case <-s.store.stop:
		return errGivenUp
	default:
	}
	s.start(j)
	if done != nil {
		s.waiting = append(s.waiting, done)
	}
	return nil
}

// start begins a job. The lock is held.
func (s *saver) start(j job) {
	s.now, s.began, s.halt, s.isCut = j, time.Now(), make(chan struct{}), false
	s.total.Store(0)
	s.walked.Store(0)
	s.peak.Store(0)
	s.saved.tried = s.began
	halt := s.halt
	s.store.running.Go(func() { s.run(j, halt) })
}

func (s *saver) run(j job, halt chan struct{}) {
	var w written
	var err error
	if j == save {
		w, err = s.store.saveFile(halt)
	} else {
		w, err = s.store.rewriteJournal(halt)
	}
	if err != nil {
		s.store.Log.Error("snapshot not written", "error", err)
	} else {
		s.store.Log.Info("snapshot written", "keys", w.keys, "bytes", w.size, "version", w.version, "took", w.took)
	}
	s.ended(j, w, err)
	s.store.tellCondition()
}

func (s *saver) ended(j job, w written, err error) {
	s.mu.Lock()
	s.note(j, w, err)
	told, next := s.waiting, s.next
	s.now, s.next, s.waiting, s.after = none, none, s.after, nil
	if next != none && !errors.Is(err, errGivenUp) {
		s.start(next)
	}
	s.mu.Unlock()
	s.atCut() // it may have failed before
	for _, tell := range told {
		tell(err)
	}
}

// atCut tells that the moment of the present snapshot has come: what changes from
// now on is not in it.
func (s *saver) atCut() {
	s.mu.Lock()
	told := s.cut
	s.cut, s.isCut = nil, true
	s.mu.Unlock()
	for _, tell := range told {
		tell()
	}
}

// WhenCut calls f once the moment of the snapshot has come that is being written:
// what changes from then on is not in it.
func (s *Store) WhenCut(f func()) {
	s.saver.mu.Lock()
	passed := s.saver.now == none || s.saver.isCut
	if !passed {
		s.saver.cut = append(s.saver.cut, f)
	}
	s.saver.mu.Unlock()
	if passed {
		f()
	}
}

// note keeps what INFO tells.
func (s *saver) note(j job, w written, err error) {
	if err == nil {
		s.count[j]++
	}
	s.early[j] = int(s.peak.Load())
	if j == rewrite {
		s.rewritten.err, s.rewritten.took = err, time.Since(s.began)
		if s.rewritten.failures++; err == nil {
			s.rewritten.failures = 0
		}
		return
	}
	if s.saved.err, s.saved.took = err, time.Since(s.began); err == nil {
		s.saved.at, s.saved.changes = time.Now(), w.changes
	}
}

// cancel gives up what is being written.
func (s *saver) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = none
	if s.now != none {
		close(s.halt)
	}
}

// saveFile writes the RDB file, in the place of the one before.
func (s *Store) saveFile(halt <-chan struct{}) (written, error) {
	if err := s.own(); err != nil {
		return written{}, err
	}
	temp := s.path("temp-" + s.fileName())
	w, err := s.write(temp, s.version, halt)
	if err != nil {
		return w, err
	}
	if err = s.FS.Rename(temp, s.path(s.fileName())); err == nil {
		err = s.FS.SyncDir(s.Dir)
	}
	return w, err
}

// own makes the directory and takes it for this process, if that has not been
// done.
func (s *Store) own() (err error) {
	if s.dir != nil || s.lock != nil {
		return nil
	}
	if err := s.FS.MkdirAll(s.Dir); err != nil {
		return fmt.Errorf("making the data directory: %w", err)
	}
	if s.lock, err = s.FS.Lock(s.path(journal.LockName)); err != nil {
		return fmt.Errorf("taking the data directory: %w", err)
	}
	return nil
}

// rewriteJournal gives the journal a new base.
func (s *Store) rewriteJournal(halt <-chan struct{}) (written, error) {
	temp := s.log().Temporary()
	w, err := s.write(temp, s.log().Cut, halt)
	if err != nil {
		return w, err
	}
	return w, s.log().Adopt(temp, journal.Snapshot{Version: w.version, Size: w.size, Checksum: w.checksum})
}

// importLoaded makes what was loaded, and is in no journal, the base of one that
// has yet to begin: a record without what it changes would be worth nothing.
func (s *Store) importLoaded() (written, error) {
	temp := s.dir.Temporary()
	w, err := s.write(temp, func() uint64 { return 0 }, s.halt)
	if err != nil {
		return w, err
	}
	return w, s.dir.Import(temp, journal.Snapshot{Size: w.size, Checksum: w.checksum})
}

// maySave writes the RDB file if it is time.
func (s *saver) maySave() {
	changes := s.changes()
	s.mu.Lock()
	since, busy := time.Since(s.saved.at), s.now != none
	wait := s.saved.err != nil && time.Since(s.saved.tried) < retryAfter
	s.mu.Unlock()
	if busy || wait {
		return
	}
	for _, p := range s.store.options.Load().SavePoints {
		if changes >= p.Changes && since >= time.Duration(p.Seconds)*time.Second {
			s.store.Log.Info("saving", "changes", changes, "seconds", p.Seconds)
			_ = s.store.Save(false, nil)
			return
		}
	}
}

// retryAfter is how long after a failure a save is not tried again by itself.
const retryAfter = 5 * time.Second

// changes is how many there have been since the last file.
func (s *saver) changes() int64 {
	now := s.store.Node.Changes()
	s.mu.Lock()
	defer s.mu.Unlock()
	return now - s.saved.changes
}

// mayRewrite rewrites the journal if it has outgrown its base.
func (s *saver) mayRewrite() {
	o := s.store.options.Load()
	if s.store.log() == nil || o.RewritePercent == 0 {
		return
	}
	st := s.store.log().Stats()
	size := st.BaseSize + st.SinceSnapshot
	if size < o.RewriteMin || st.SinceSnapshot*100 < max(st.BaseSize, 1)*o.RewritePercent {
		return
	}
	s.mu.Lock()
	wait := s.rewritten.err != nil && time.Since(s.saved.tried) < retryAfter
	s.mu.Unlock()
	if !wait {
		_ = s.store.Rewrite(false)
	}
}

// isBehind reports whether more is saved ahead of its time than may be.
func (s *saver) isBehind() bool {
	early := s.store.Node.EarlyBytes()
	s.peak.Store(max(s.peak.Load(), int64(early)))
	return early > earlyMax
}

// earlyMax bounds, in bytes, what the shards keep for a snapshot that does not
// get written as fast as they change.
const earlyMax = 64 << 20

// trouble is why writes are not taken, nil if they are.
func (s *saver) trouble() error {
	o := s.store.options.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saved.err == nil || o.ServeUnsaved || len(o.SavePoints) == 0 || errors.Is(s.saved.err, errGivenUp) {
		return nil
	}
	return &UnsavedError{s.saved.err}
}

// UnsavedError says that the RDB file could not be written.
type UnsavedError struct{ Err error }

func (e *UnsavedError) Error() string { return "the snapshot was not written: " + e.Err.Error() }
func (e *UnsavedError) Unwrap() error { return e.Err }
