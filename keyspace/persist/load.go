package persist

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/rdb"
)

// Progress is how far loading has come.
type Progress struct {
	File        string
	Done, Total int64 // bytes
	Keys        int64 // that were read, and records
	Began       time.Time
}

// Loading is how far loading has come, nil when it is over.
func (s *Store) Loading() *Progress { return s.loaded.Load() }

// Load reads all that the directory holds into the node, which holds nothing.
// An error names the file and the place, and what is to be done. What had to be
// cut off is logged.
func (s *Store) Load() error {
	s.Node.StartLoading()
	began := time.Now()
	l := newLoader(s, s.Node, s.Functions)
	last, err := s.loadAll(l)
	err = errors.Join(err, l.close())
	s.loaded.Store(nil)
	if err != nil {
		return err
	}
	if broken := s.Node.Loaded(last); broken != nil {
		return fmt.Errorf("loading: %v", broken.Reason)
	}
	if l.keys+l.records > 0 {
		s.Log.Info("data loaded", "keys", l.keys, "records", l.records, "took", time.Since(began))
	}
	if l.refused > 0 {
		s.Log.Warn("recorded commands were answered by errors", "commands", l.refused, "first", l.refusal)
	}
	return nil
}

func (s *Store) loadAll(l *loader) (last uint64, err error) {
	if s.dir == nil {
		return 0, s.loadPlain(l)
	}
	m := s.dir.Manifest()
	if m.Snapshot.Name != "" {
		if err := s.loadSnapshot(l, m.Snapshot); err != nil {
			return 0, err
		}
	}
	last, err = s.replay(l, m.Snapshot.Version)
	if err != nil || m.Snapshot.Name != "" || last > 0 {
		return last, err
	}
	// The journal has never had anything to say, so what else there is may be an
	// RDB file that somebody begins with.
	err = s.loadPlain(l)
	s.foreign = l.keys > 0 || len(s.Functions.Libraries()) > 0
	return 0, err
}

// loadPlain reads the RDB file, if there is one.
func (s *Store) loadPlain(l *loader) error {
	name := s.path(s.fileName())
	if _, err := s.FS.Stat(name); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return s.loadRDB(l, name)
}

// loadSnapshot reads the journal's base.
func (s *Store) loadSnapshot(l *loader, snapshot journal.Snapshot) error {
	return s.loadRDB(l, s.path(snapshot.Name))
}

func (s *Store) loadRDB(l *loader, name string) error {
	file, err := s.FS.Open(name)
	if err != nil {
		return fmt.Errorf("opening a snapshot: %w", err)
	}
	defer file.Close()
	size, err := file.Size()
	if err != nil {
		return fmt.Errorf("opening a snapshot: %w", err)
	}
	l.begin(name, size)
	if err := l.readRDB(file); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readRDB puts into the shards what a file holds.
func (l *loader) readRDB(file io.Reader) error {
	r := rdb.NewFileReader(file, rdb.ReadOptions{Unchecked: l.store.options.Load().Unchecked})
	for {
		item, err := r.Next()
		if errors.Is(err, io.EOF) {
			return l.settle()
		}
		if err != nil {
			return err
		}
		l.reached(r.Offset())
		if err := l.item(&item); err != nil {
			return err
		}
		if err := r.Err(); err != nil { // in elements that were read on the way
			return err
		}
	}
}

func (l *loader) item(item *rdb.Item) error {
	switch item.Kind {
	case rdb.FunctionItem:
		if l.functions == nil {
			return nil
		}
		return l.functions.LoadLibrary(item.Raw)
	case rdb.SizeItem:
		return l.reserve(item)
	case rdb.KeyItem:
		if item.DB >= l.databases {
			return item.Error(fmt.Errorf("it is of database %d, and there are %d: start with --databases %d", item.DB, l.databases, item.DB+1))
		}
		l.keys++
		return l.key(item)
	}
	return nil
}

// replay redoes what the journal holds after the snapshot.
func (s *Store) replay(l *loader, after uint64) (last uint64, err error) {
	l.begin(s.path("journal"), 0)
	report, err := s.dir.Replay(after, l.record, func(done, all int64) {
		l.progress.Total = all
		l.reached(done)
	})
	if err != nil {
		return 0, err
	}
	if report.Tail != nil {
		s.Log.Warn("the journal's end was not whole, as after a crash; it was cut", "where", report.Tail.String())
	}
	return report.Last, l.settle()
}
