package persist

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/aof"
	"github.com/troupedb/troupe/keyspace/rdb"
)

// Form says what an exported file is.
type Form struct {
	// Commands makes it an append-only file, else an RDB file.
	Commands bool
	// Untimed leaves the deadlines of hashes' fields out, which redis-server has
	// from 7.4 on.
	Untimed bool
}

// Exported is what a file has.
type Exported struct {
	Keys, Commands, Bytes int64
	// Left is how many deadlines of fields were left out.
	Left int64
	// Version is that of an RDB file: 10, or 12 for redis-server 7.4.
	Version int
}

// Export writes all keys and libraries to a file of that path, in the place of one
// that is there, when it is whole. The node is one that serves nobody.
func (s *Store) Export(path string, form Form) (done Exported, err error) {
	temp := filepath.Join(filepath.Dir(path), "temp-"+filepath.Base(path))
	if form.Commands {
		done, err = s.exportCommands(temp, form.Untimed)
	} else {
		var w written
		w, err = s.writeAs(&snapshot{Store: s, options: *s.options.Load(), untimed: form.Untimed}, temp, s.version, nil)
		done = Exported{Keys: int64(w.keys), Bytes: w.size, Left: int64(w.left), Version: w.format}
	}
	if err != nil {
		return done, err
	}
	if err = s.FS.Rename(temp, path); err == nil {
		err = s.FS.SyncDir(filepath.Dir(path))
	}
	return done, err
}

// exportCommands writes an append-only file.
func (s *Store) exportCommands(path string, untimed bool) (done Exported, err error) {
	file, err := s.FS.Create(path)
	if err != nil {
		return done, err
	}
	w := &exporter{Writer: aof.NewWriter(file), image: newImage(false)}
	w.image.untimed = untimed
	err = w.all(s)
	if err == nil {
		err = file.Sync()
	}
	if size, failed := file.Size(); failed == nil {
		done = Exported{Keys: w.keys, Commands: w.Commands(), Bytes: size, Left: int64(w.image.left)}
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = s.FS.Remove(path)
	}
	return done, err
}

// exporter writes what shards hold as commands.
type exporter struct {
	*aof.Writer
	image *image // counts what is left out
	keys  int64
}

func (e *exporter) all(s *Store) error {
	for _, code := range s.Functions.Libraries() {
		e.Library(code)
	}
	for shard := range s.Node.Len() {
		broken := s.Node.Visit([]int{shard}, func(tx *keyspace.Tx) {
			tx.Load(func() {
				for tx.DB = 0; tx.DB < s.Node.Databases(); tx.DB++ {
					tx.EachWhole(func(v keyspace.Value) bool { e.key(tx, v); return true })
				}
			})
		})
		if broken != nil {
			return fmt.Errorf("%v", broken.Reason)
		}
	}
	return e.Flush()
}

func (e *exporter) key(tx *keyspace.Tx, v keyspace.Value) {
	value, ok := rdb.ValueOf(tx, v)
	if !ok {
		panic("a value of type " + v.Type().String() + " cannot be exported")
	}
	if e.image.untimed && v.Is(keyspace.Hash) {
		value = e.image.without(value)
	}
	e.keys++
	e.Key(tx.DB, v.Key(), tx.Deadline(v), value)
}
