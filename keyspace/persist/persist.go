// Package persist owns what a server keeps on disk: it reads a data directory
// into the shards when the server starts, has their changes recorded in the
// journal, and writes snapshots while they go on serving.
//
// It promises that what was read is all that the directory holds, or that the
// server does not start and says why; that a snapshot is the state of one
// moment; and that nothing old is removed before what replaces it is safe.
//
// It runs goroutines of its own, which visit the shards as others do and never
// wait within a turn.
package persist

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/resp/command"
)

// Functions are the libraries of functions, which are kept beside the keys.
type Functions interface {
	// Libraries are the sources of all.
	Libraries() [][]byte
	// LoadLibrary loads one, in the place of one of that name.
	LoadLibrary(code []byte) error
	// Redo runs a command about libraries again.
	Redo(words [][]byte) error
}

// Config is what a Store is made of.
type Config struct {
	// FS is the disk; nil: the machine's.
	FS journal.FS
	// Dir is the data directory.
	Dir string
	// Journal says whether changes are recorded. If not, what the directory holds
	// is read from its RDB file, if there is one.
	Journal bool
	// Policy says when the journal is on disk.
	Policy journal.Policy
	// SegmentBytes and BacklogMax are as for journal.Config; 0 for their defaults.
	SegmentBytes, BacklogMax int64
	// ReadOnly: nothing in the directory is changed, and nothing recorded.
	ReadOnly bool
	// Redis says how redis-server's append-only files are called, which are read
	// if the journal has never had anything to say.
	Redis RedisFiles
	// Import are files to be read beside what the directory holds. Their keys take
	// the place of those of the same names, later ones that of earlier ones. Without
	// Merge the directory must hold no data.
	Import []Foreign
	Merge  bool
	// ReportEvery is how often the log tells how far loading has come; 0 for its
	// default.
	ReportEvery time.Duration
	// Node is what is kept.
	Node *keyspace.Node
	// Functions are kept too.
	Functions Functions
	// Spec finds the command that an effect calls for; nil if there is none.
	Spec func(words [][]byte) *command.Spec[*keyspace.Tx]
	// Version is the number of the last change of a node that keeps no journal.
	Version func() uint64
	// Condition is told whether writes can be kept (nil) or why not, and whether
	// more is on its way to the disk than may be, when that changes.
	Condition func(trouble error, full bool)
	// Release names the server's version, in the files that it writes.
	Release string
	Log     hclog.Logger
}

// Options are what may change while the server runs.
type Options struct {
	// FileName is the name of the RDB file; "" is dump.rdb.
	FileName string
	// SavePoints are when an RDB file is written by itself.
	SavePoints []SavePoint
	// RewritePercent and RewriteMin (bytes) are how much the journal has to have
	// grown since its snapshot, and how large it has to be, for a new one.
	RewritePercent, RewriteMin int64
	// Plain: texts in files are not compressed. Unchecked: files have no checksum.
	Plain, Unchecked bool
	// ServeUnsaved: writes are taken although the last RDB file could not be
	// written.
	ServeUnsaved bool
}

// SavePoint asks for a file after so many seconds with so many changes.
type SavePoint struct{ Seconds, Changes int64 }

// Store is a data directory in use.
type Store struct {
	Config
	options atomic.Pointer[Options]
	dir     *journal.Dir // nil without a journal
	begun   atomic.Pointer[journal.Log]
	lock    io.Closer // of a directory without a journal; nil before it is written to
	loaded  atomic.Pointer[Progress]
	last    uint64 // version of what was loaded
	sum     Loaded // while loading
	whole   atomic.Pointer[Loaded]
	over    bool // files of redis-server were read over what the journal had
	halt    chan struct{}
	halting sync.Once
	saver   saver
	stop    chan struct{}
	running sync.WaitGroup
	trouble atomic.Pointer[error] // the journal's
	telling sync.Mutex
	full    atomic.Bool // what Condition was told last, whoever told it
}

// ErrJournalLeft: there is a journal that the server would not read.
var ErrJournalLeft = errors.New("the directory holds a journal, which a server without one would leave behind")

// Open takes the directory for this process, and looks at what it holds.
func Open(c Config, o Options) (*Store, error) {
	if c.FS == nil {
		c.FS = journal.Disk
	}
	s := &Store{Config: c, stop: make(chan struct{}), halt: make(chan struct{})}
	s.options.Store(&o)
	s.saver.init(s)
	if !c.Journal {
		return s, s.openPlain()
	}
	open := journal.OpenDir
	if c.ReadOnly {
		open = journal.OpenToRead
	}
	dir, err := open(c.FS, c.Dir)
	if err != nil {
		return nil, err
	}
	s.dir = dir
	return s, nil
}

// openPlain looks at a directory that gets no journal. It is made, and locked,
// when something is written.
func (s *Store) openPlain() error {
	names, err := s.FS.ReadDir(s.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking into the data directory: %w", err)
	}
	for _, name := range names {
		if name == journal.ManifestName {
			return fmt.Errorf("%s: %w: start with --appendonly yes, name another --dir, or move it away", s.Dir, ErrJournalLeft)
		}
	}
	return nil
}

// log is the journal's, nil before Start and without a journal.
func (s *Store) log() *journal.Log { return s.begun.Load() }

// SetOptions puts other options in force.
func (s *Store) SetOptions(o Options) {
	s.options.Store(&o)
	s.tellCondition() // whether a file that was not written matters
}

// SetPolicy says when the journal is on disk, from now on.
func (s *Store) SetPolicy(p journal.Policy) {
	if s.log() == nil {
		return
	}
	s.log().SetPolicy(p)
	s.Node.Record(s.log(), p == journal.Always)
}

// SetBacklogMax says how much of the journal may wait in memory for the disk.
func (s *Store) SetBacklogMax(bytes int64) {
	if s.log() != nil {
		s.log().SetBacklogMax(bytes)
	}
}

// fileName is the name of the RDB file.
func (s *Store) fileName() string { return cmp.Or(s.options.Load().FileName, "dump.rdb") }

// path is that of a file in the directory.
func (s *Store) path(name string) string { return filepath.Join(s.Dir, name) }

// Start begins to record, and to look after the files. What was there must have
// been loaded. If the directory is only read, that is all: loading is over.
func (s *Store) Start() error {
	if s.Journal && !s.ReadOnly {
		if err := s.startJournal(); err != nil {
			return err
		}
	}
	loaded := s.last
	if log := s.log(); log != nil {
		loaded = log.Version() // above all that were given out before, those that a crash has lost too
	}
	if broken := s.Node.Loaded(loaded); broken != nil {
		return fmt.Errorf("loading: %v", broken.Reason)
	}
	s.loaded.Store(nil)
	s.saver.started()
	if !s.ReadOnly {
		s.running.Go(s.keepWatch)
	}
	return nil
}

func (s *Store) startJournal() error {
	if len(s.sum.Files) > 0 && !s.over {
		if err := s.adoptForeign(s.importLoaded); err != nil {
			return err
		}
	}
	log, err := s.dir.Begin(journal.Config{
		Policy: s.Policy, SegmentBytes: s.SegmentBytes, BacklogMax: s.BacklogMax, Report: s.reportTrouble,
	})
	if err != nil {
		return fmt.Errorf("beginning the journal: %w", err)
	}
	s.begun.Store(log)
	s.Node.Record(log, s.Policy == journal.Always)
	if len(s.sum.Files) > 0 && s.over {
		return s.adoptForeign(func() (written, error) { return s.rewriteJournal(s.halt) })
	}
	return nil
}

// reportTrouble is told by the journal what is wrong with its disk, nil when it
// is well again.
func (s *Store) reportTrouble(err error) {
	if err != nil {
		s.Log.Error("the journal cannot be written, so no writes are taken", "error", err)
		s.trouble.Store(&err)
	} else {
		s.Log.Info("the journal can be written again")
		s.trouble.Store(nil)
	}
	s.tellCondition()
}

// Close writes what is left, and lets the directory go. No shard may be at work.
func (s *Store) Close() error {
	close(s.stop)
	s.saver.cancel()
	s.running.Wait()
	if s.log() != nil {
		return s.log().Close()
	}
	if s.dir != nil {
		return s.dir.Close()
	}
	if s.lock != nil {
		return s.lock.Close()
	}
	return nil
}

// watchInterval is how often the files are looked after.
const watchInterval = 20 * time.Millisecond

// keepWatch tells of full buffers, and writes files when it is time.
func (s *Store) keepWatch() {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for n := 0; ; n++ {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
		}
		if s.isFull() != s.full.Load() {
			s.tellCondition()
		}
		if n%int(time.Second/watchInterval) == 0 {
			s.saver.maySave()
			s.saver.mayRewrite()
		}
	}
}

// isFull reports whether more is on its way to the disk than may be.
func (s *Store) isFull() bool { return s.log() != nil && s.log().Full() || s.saver.isBehind() }

// tellCondition tells what keeps writes from being taken.
func (s *Store) tellCondition() {
	s.telling.Lock() // so that what was found last is told last
	defer s.telling.Unlock()
	var err error
	if e := s.trouble.Load(); e != nil {
		err = *e
	}
	if err == nil {
		err = s.saver.trouble()
	}
	full := s.isFull()
	s.full.Store(full)
	s.Condition(err, full)
}

// version is that of the newest change.
func (s *Store) version() uint64 {
	if s.log() != nil {
		return s.log().Version()
	}
	return s.Version()
}
