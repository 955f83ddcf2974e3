// Package tier owns the values that have gone cold, on disk, in a Pebble store.
// It is a keyspace.Tier: an extension of memory and no more durable than that,
// since journal and snapshots hold all that is here. So it writes no log, waits
// for no disk, and begins empty.
//
// It promises that what it returns for a number is what was written under it, or
// an error (Pebble's blocks have checksums); that no call but those that say so
// waits for the disk; and that its folder is its own: one that holds anything
// else is refused and left alone.
//
//	DIR/TROUPE-TIER   marks the folder as a tier's; locked by its server
//	DIR/values        the store's tables: number, big-endian → value
//
// Numbers rise, are never used twice, and are deleted once. So the store's files
// do not overlap when they are written, a value is looked for in one file, and
// compaction has to do with deletions alone.
package tier

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/keyspace"
)

// Config is what a Store is opened with.
type Config struct {
	// Dir is its folder, which is made if it is missing.
	Dir string
	// FS is the disk; nil: the machine's.
	FS vfs.FS
	// MaxBytes bounds what may be on disk: above it nothing more is written. 0: no
	// bound.
	MaxBytes int64
	// Readers is how many values are read at a time; 0: 32.
	Readers int
	// CacheBytes is the memory for blocks of the store; 0: 32 MB. The values that are
	// written and not yet on disk take up to twice MemTableBytes; 0: 16 MB.
	CacheBytes, MemTableBytes int64
	Log                       hclog.Logger
}

const (
	readersDefault  = 32
	cacheDefault    = 32 << 20
	memTableDefault = 16 << 20
)

func (c Config) withDefaults() Config {
	if c.FS == nil {
		c.FS = vfs.Default
	}
	if c.Readers <= 0 {
		c.Readers = readersDefault
	}
	if c.CacheBytes <= 0 {
		c.CacheBytes = cacheDefault
	}
	if c.MemTableBytes <= 0 {
		c.MemTableBytes = memTableDefault
	}
	if c.Log == nil {
		c.Log = hclog.NewNullLogger()
	}
	return c
}

// Store is a tier.
type Store struct {
	config Config
	lock   io.Closer
	db     *pebble.DB
	owners atomic.Uint64
	health health
	counts counts

	jobs     chan job // values to be read
	readers  sync.WaitGroup
	mu       sync.Mutex // guards what follows
	closed   bool
	fetching sync.WaitGroup // fetches and writes that have not called back
	writer   writer
}

// ErrClosed is what is answered once a Store is closed.
var ErrClosed = errors.New("the tier is closed")

// Open takes a folder, empties it and makes a store there. An error names it.
func Open(c Config) (*Store, error) {
	c = c.withDefaults()
	s := &Store{config: c, jobs: make(chan job, jobsMax)}
	s.health.flushed = make(chan struct{}, 1)
	if err := s.open(); err != nil {
		return nil, fmt.Errorf("opening the tier in %s: %w", c.Dir, err)
	}
	for range c.Readers {
		s.readers.Go(s.read)
	}
	s.writer.start(s)
	return s, nil
}

func (s *Store) open() (err error) {
	if s.lock, err = take(s.config.FS, s.config.Dir); err != nil {
		return err
	}
	if s.db, err = pebble.Open(s.config.FS.PathJoin(s.config.Dir, valuesName), s.options()); err != nil {
		return errors.Join(err, s.lock.Close())
	}
	return nil
}

// blockBytes is how much is compressed, read and looked through together, indexBytes
// how much of an index is: more would be read for nothing where the cache is
// small.
const (
	blockBytes = 4 << 10
	indexBytes = 16 << 10
)

func (s *Store) options() *pebble.Options {
	// Pebble takes the tables in memory from its cache, and would have none left.
	cache := s.config.CacheBytes + 2*s.config.MemTableBytes
	o := &pebble.Options{
		FS: newHalves(s.config.FS), DisableWAL: true, MaxManifestFileSize: manifestBytes, CacheSize: cache,
		MemTableSize: uint64(s.config.MemTableBytes), MemTableStopWritesThreshold: neverStop,
		FormatMajorVersion: pebble.FormatNewest, MaxOpenFiles: openFiles,
		L0CompactionThreshold: 4, L0StopWritesThreshold: 1000, LBaseMaxBytes: 256 << 20,
		Logger: logger{s.config.Log}, EventListener: s.listener(),
	}
	for i := range o.Levels {
		o.Levels[i].BlockSize = blockBytes
		o.Levels[i].IndexBlockSize = indexBytes
		o.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.SnappyCompression }
	}
	for i := range o.TargetFileSizes {
		o.TargetFileSizes[i] = 32 << 20
	}
	return o
}

// openFiles is how many files of the store are kept open, manifestBytes how long
// what tells of them gets before it is written anew. Pebble's own bound on what
// waits to be written is out of reach: see writer.awaitRoom.
const (
	openFiles     = 1000
	manifestBytes = 1 << 20
	neverStop     = 1 << 16
)

// Close waits for what is under way and closes the store. What is asked from then
// on is answered with ErrClosed. The folder keeps what is in it until a tier is
// opened there again.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.fetching.Wait()
	close(s.jobs)
	s.readers.Wait()
	s.writer.stop()
	return errors.Join(s.db.Close(), s.lock.Close())
}

// enter notes something that is to call back, unless the store is closed.
func (s *Store) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.fetching.Add(1)
	return nil
}

// Owner implements keyspace.Tier.
func (s *Store) Owner() (first uint64) { return s.owners.Add(1) * keyspace.OwnerNumbers }

var _ keyspace.Tier = (*Store)(nil)

// keyOf is the key of a number.
func keyOf(number uint64) (key [8]byte) {
	binary.BigEndian.PutUint64(key[:], number)
	return key
}
