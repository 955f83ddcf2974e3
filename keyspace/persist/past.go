package persist

import (
	"errors"
	"slices"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/journal"
)

// pastRecords is how many records are looked through at most for what has changed
// since a version; of what is older, nothing is known.
const pastRecords = 1 << 20

// errEnough ends a look through the journal.
var errEnough = errors.New("enough is known")

// ChangedSince looks through the journal for changes of keys, whatever their
// database, since a version that this server, or one before it on the same data,
// has given out. known is false if the journal does not reach back to it, or if it
// was given out and then lost by a crash. It reads files and takes its time.
func (s *Store) ChangedSince(version uint64, keys [][]byte) (changed, known bool) {
	if s.log() == nil {
		return false, false
	}
	held, err := s.log().Hold()
	if err != nil {
		return false, false
	}
	defer held.Release()
	if !reaches(held.Manifest(), version) {
		return false, false
	}
	look := past{store: s, keys: map[string]bool{}}
	for _, key := range keys {
		look.keys[string(key)] = true
	}
	err = held.Replay(version, look.record)
	return look.changed, err == nil || look.changed
}

// reaches reports whether a version is one that the journal's records lead on from: of
// a record, or the one that a server begins with, before the first of its records.
func reaches(m journal.Manifest, version uint64) bool {
	if version == m.Snapshot.Version {
		return true
	}
	return slices.ContainsFunc(m.Segments, func(s journal.Segment) bool {
		return version == s.After || version >= s.First-1 && version <= s.Last
	})
}

// past is a look through the journal.
type past struct {
	store   *Store
	keys    map[string]bool
	records int
	changed bool
}

func (p *past) record(r journal.Record) error {
	if p.records++; p.records > pastRecords {
		return errEnough
	}
	err := keyspace.EachEffect(r.Body, func(e keyspace.Effect) error {
		p.changed = p.changed || p.touches(e.Words)
		return nil
	})
	if p.changed {
		return errEnough
	}
	return err
}

// touches reports whether an effect may have changed one of the keys.
func (p *past) touches(words [][]byte) bool {
	spec := p.store.Spec(words)
	if spec == nil {
		return false // scripts and functions
	}
	keys, ok := spec.AppendKeys(nil, words)
	if spec.NeedsAll(words) || !ok || len(keys) == 0 {
		return true
	}
	for _, key := range keys {
		if p.keys[string(words[key.Pos])] {
			return true
		}
	}
	return false
}
