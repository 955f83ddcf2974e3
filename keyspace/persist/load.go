package persist

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp/command"
)

// ErrNotNew: files were to be imported into a directory that holds data, and not
// into what it holds.
var ErrNotNew = errors.New("the directory holds data already")

// Load reads all that the directory holds into the node, which holds nothing.
// Until Start nothing of it ends at its deadline. An error names the file and the
// place, and what is to be done. What had to be cut off is logged.
func (s *Store) Load() error {
	s.Node.StartLoading()
	began := time.Now()
	end := s.reportLoading()
	defer end()
	l := newLoader(s, s.Node, s.Functions)
	last, err := s.loadAll(l)
	if err = errors.Join(err, l.close()); err != nil {
		s.loaded.Store(nil)
		return cmp.Or(s.halted(), err)
	}
	s.last = last
	s.sum.Keys, s.sum.Commands, s.sum.Refused, s.sum.Refusal = l.keys, l.records, l.refused, l.refusal
	sum := s.sum
	s.whole.Store(&sum)
	if l.keys+l.records > 0 {
		s.Log.Info("data loaded", "keys", l.keys, "records", l.records, "took", time.Since(began))
	}
	if l.refused > 0 {
		s.Log.Warn("recorded commands were answered by errors", "commands", l.refused, "first", l.refusal)
	}
	return nil
}

// loadAll reads what the journal has, and files of redis-server that were asked
// for; or that are there, if the journal has never had anything to say.
func (s *Store) loadAll(l *loader) (last uint64, err error) {
	some := false
	if s.dir != nil {
		base := s.dir.Manifest().Snapshot
		some = base.Name != ""
		if some && len(s.Import) > 0 && !s.Merge {
			return 0, fmt.Errorf("%s: %w", s.Dir, ErrNotNew)
		}
		if some {
			if err := s.loadSnapshot(l, base); err != nil {
				return 0, err
			}
		}
		if last, err = s.replay(l, base.Version); err != nil {
			return 0, err
		}
		some = some || l.records > 0
	}
	s.over = some
	files := s.Import
	switch {
	case len(files) > 0 && some && !s.Merge:
		return 0, fmt.Errorf("%s: %w", s.Dir, ErrNotNew)
	case len(files) == 0 && !some:
		if files, err = s.foreign(); err != nil {
			return 0, err
		}
	}
	return last, s.loadForeign(l, files, some)
}

// loadSnapshot reads the journal's base. What is wrong with it is told as damage
// of the journal.
func (s *Store) loadSnapshot(l *loader, base journal.Snapshot) error {
	file, err := s.dir.OpenSnapshot()
	if err != nil {
		return fmt.Errorf("opening a snapshot: %w", err)
	}
	defer file.Close()
	l.begin(s.path(base.Name), base.Size)
	in := counted{file, l}
	err = l.readRDB(in, rdb.ReadOptions{Unchecked: true}) // all is checked by the sum that the manifest has
	var damage *journal.Damage
	var mistake *rdb.FileError
	switch {
	case errors.Is(err, ErrHalted):
		return err
	case errors.As(err, &damage):
		return damage
	case errors.As(err, &mistake):
		return &journal.Damage{Dir: s.Dir, File: base.Name, Offset: mistake.Offset, What: mistake.Error(), Fatal: errors.Is(err, rdb.ErrVersion)}
	case err != nil:
		return fmt.Errorf("%s: %w", s.path(base.Name), err)
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

// loadRDB reads a file of RDB.
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
	if err := l.readRDB(counted{file, l}, rdb.ReadOptions{Unchecked: s.options.Load().Unchecked}); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readRDB puts into the shards what a file holds.
func (l *loader) readRDB(file io.Reader, o rdb.ReadOptions) error {
	r := rdb.NewFileReader(file, o)
	for {
		item, err := r.Next()
		if errors.Is(err, io.EOF) {
			return l.settle()
		}
		if err != nil {
			return err
		}
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
	case rdb.AuxItem:
		if n, ok := command.ParseInt(item.Raw); ok && string(item.Key) == "used-mem" {
			l.progress.Memory = n
		}
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
