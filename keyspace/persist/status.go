package persist

import (
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
)

// Status is what there is to tell of a Store.
type Status struct {
	// Loading is how far loading has come, nil if it is over.
	Loading *Progress
	// Changes is how many there were since the last RDB file.
	Changes int64
	// Saved is when that was written, or the server started; SaveError why the
	// last try failed; SaveTook how long it took, -1 if there was none; Saves how
	// many there were.
	Saved     time.Time
	SaveError error
	SaveTook  time.Duration
	Saves     int
	// Saving and Rewriting say what is being written, and for how long.
	Saving, Rewriting bool
	For               time.Duration
	// Walked of Total keys are in the snapshot that is being written. For what has
	// changed before its turn came, the shards keep Early bytes now and have kept
	// Peak; for the last RDB file and the journal's last base SaveEarly and
	// RewriteEarly at most.
	Walked, Total           int64
	Early, Peak             int64
	SaveEarly, RewriteEarly int
	// LastLoad is what was read when the server started.
	LastLoad Loaded
	// Next says that the journal is to be rewritten after that.
	Next         bool
	RewriteError error
	RewriteTook  time.Duration
	Rewrites     int
	// RewriteFailures is how many tries have failed since the last that has not.
	RewriteFailures int
	// Journal is what the journal says, nil if there is none; Policy when it is
	// on disk, and Trouble why it is not.
	Journal *journal.Stats
	Policy  journal.Policy
	Trouble error
	// Version is that of the newest change.
	Version uint64
}

// Status tells how the Store is.
func (s *Store) Status() Status {
	st := Status{Loading: s.Loading(), Changes: s.saver.changes(), Version: s.version(), LastLoad: s.Loaded()}
	s.saver.tell(&st)
	if s.log() != nil {
		stats := s.log().Stats()
		st.Journal, st.Policy, st.Trouble = &stats, s.log().Policy(), s.log().Err()
	}
	return st
}

// tell fills in what the saver knows.
func (s *saver) tell(st *Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Saved, st.SaveError, st.SaveTook, st.Saves = s.saved.at, s.saved.err, s.saved.took, s.count[save]
	st.RewriteError, st.RewriteTook, st.Rewrites = s.rewritten.err, s.rewritten.took, s.count[rewrite]
	st.RewriteFailures = s.rewritten.failures
	st.SaveEarly, st.RewriteEarly = s.early[save], s.early[rewrite]
	st.Saving, st.Rewriting, st.Next = s.now == save, s.now == rewrite, s.next == rewrite
	if s.now != none {
		st.For = time.Since(s.began)
		st.Walked, st.Total, st.Peak = s.walked.Load(), s.total.Load(), s.peak.Load()
		st.Early = int64(s.store.Node.EarlyBytes())
	}
}

// Saved is when the RDB file was last written, or the server started.
func (s *Store) Saved() time.Time {
	s.saver.mu.Lock()
	defer s.saver.mu.Unlock()
	return s.saver.saved.at
}

// SaveNow writes the RDB file and returns when that is done.
func (s *Store) SaveNow() error {
	done := make(chan error, 1)
	if err := s.Save(true, func(err error) { done <- err }); err != nil {
		return err
	}
	return <-done
}

// SavesAtEnd reports whether the RDB file is to be written when the server stops.
func (s *Store) SavesAtEnd() bool { return len(s.options.Load().SavePoints) > 0 }

// Records reports whether changes are recorded.
func (s *Store) Records() bool { return s.log() != nil }

// WhenSynced calls f when all that has changed by now is on disk. Changes must
// be recorded.
func (s *Store) WhenSynced(f func()) { s.log().WaitSync(s.log().Version(), f) }

// SyncedAt notes what has changed by now, and reports when asked whether that is
// on disk. Changes must be recorded.
func (s *Store) SyncedAt() func() bool {
	version := s.log().Version()
	return func() bool { return s.log().Durable() >= version }
}

// Busy reports whether a snapshot is being written.
func (st Status) Busy() bool { return st.Saving || st.Rewriting }
