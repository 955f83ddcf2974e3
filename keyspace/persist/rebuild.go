package persist

import (
	"errors"
	"fmt"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
)

// ErrNotKept: there is nothing to put a shard together from.
var ErrNotKept = errors.New("nothing is recorded that the shard could be rebuilt from")

// Rebuild puts shards that have failed together again, from the snapshot and the
// journal, while the others serve. For that all shards are put together beside
// the present ones, as what was recorded may lead from one to another; so it
// takes as much memory again while it lasts.
func (s *Store) Rebuild(shards []int) error {
	if s.log() == nil {
		return ErrNotKept
	}
	began := time.Now()
	held, err := s.log().Hold()
	if err != nil {
		return err
	}
	defer held.Release()
	shadow := s.Node.Shadow()
	defer shadow.Close()
	l := newLoader(s, shadow, nil)
	err = errors.Join(s.reload(l, held), l.close())
	s.loaded.Store(nil)
	if err != nil {
		return fmt.Errorf("rebuilding: %w", err)
	}
	for _, shard := range shards {
		s.Node.Adopt(shadow, shard)
	}
	s.Log.Warn("shards were rebuilt from the journal", "shards", fmt.Sprint(shards), "took", time.Since(began))
	return nil
}

// reload reads what is on disk into the loader's place.
func (s *Store) reload(l *loader, held *journal.Held) error {
	base := held.Manifest().Snapshot
	if base.Name != "" {
		if err := s.loadRDB(l, held.Path(base.Name)); err != nil {
			return err
		}
	}
	if err := held.Replay(base.Version, l.record); err != nil {
		return err
	}
	return l.settle()
}
