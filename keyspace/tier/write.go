package tier

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/troupedb/troupe/keyspace"
)

// One goroutine writes, in the order of the calls: so that the deletion of a
// number comes after its value. Its queue is bounded by those who spill, each of
// whom has a few batches under way; deletions are 8 bytes each, and wait while
// somebody holds the store (a snapshot), or the disk is in trouble.

// writer is the store's.
type writer struct {
	store *Store

	mu    sync.Mutex // guards what follows
	ready sync.Cond
	queue []task
	dead  []uint64 // numbers to be deleted when nobody holds the store
	drops []uint64 // owners, likewise
	holds int
	ended bool
	over  sync.WaitGroup
}

// task is something to be written.
type task struct {
	batch *keyspace.Spilled
	done  func(error)
}

func (w *writer) start(s *Store) {
	w.store = s
	w.ready.L = &w.mu
	w.over.Go(w.run)
}

func (w *writer) stop() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.ready.Signal()
	w.over.Wait()
}

// Write implements keyspace.Tier.
func (s *Store) Write(b *keyspace.Spilled, done func(error)) {
	if err := s.enter(); err != nil {
		done(err)
		return
	}
	w := &s.writer
	w.mu.Lock()
	w.queue = append(w.queue, task{b, func(err error) {
		done(err)
		s.fetching.Done()
	}})
	w.mu.Unlock()
	w.ready.Signal()
}

// WriteNow implements keyspace.Tier.
func (s *Store) WriteNow(b *keyspace.Spilled) error {
	done := make(chan error, 1)
	s.Write(b, func(err error) { done <- err })
	return <-done
}

// Forget implements keyspace.Tier.
func (s *Store) Forget(numbers []uint64) {
	w := &s.writer
	w.mu.Lock()
	w.dead = append(w.dead, numbers...)
	due := len(w.dead) >= forgetMin
	w.mu.Unlock()
	if due {
		w.ready.Signal()
	}
}

// forgetMin is how many numbers are deleted together, if there are so many.
const forgetMin = 256

// Drop implements keyspace.Tier.
func (s *Store) Drop(first uint64) {
	w := &s.writer
	w.mu.Lock()
	w.drops = append(w.drops, first)
	w.mu.Unlock()
	w.ready.Signal()
}

// Hold implements keyspace.Tier.
func (s *Store) Hold() {
	s.writer.mu.Lock()
	s.writer.holds++
	s.writer.mu.Unlock()
}

// Release implements keyspace.Tier.
func (s *Store) Release() {
	s.writer.mu.Lock()
	s.writer.holds--
	s.writer.mu.Unlock()
	s.writer.ready.Signal()
}

// next waits for something to do.
func (w *writer) next() (tasks []task, dead, drops []uint64, goOn bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if w.holds == 0 && !w.store.health.failing.Load() && (len(w.dead) >= forgetMin || len(w.drops) > 0) {
			dead, drops = w.dead, w.drops
			w.dead, w.drops = nil, nil
		}
		if tasks = w.queue; len(tasks)+len(dead)+len(drops) > 0 {
			w.queue = nil
			return tasks, dead, drops, true
		}
		if w.ended {
			return nil, nil, nil, false
		}
		w.ready.Wait()
	}
}

func (w *writer) run() {
	for {
		tasks, dead, drops, goOn := w.next()
		if !goOn {
			return
		}
		for _, t := range tasks {
			t.done(w.write(t.batch))
		}
		w.remove(dead, drops)
	}
}

// write stores a batch.
func (w *writer) write(spilled *keyspace.Spilled) error {
	if err := w.awaitRoom(); err != nil {
		return err
	}
	b := w.store.db.NewBatchWithSize(len(spilled.Bytes) + 32*spilled.Len())
	defer b.Close()
	for i, number := range spilled.Numbers {
		key := keyOf(number)
		if err := b.Set(key[:], spilled.Value(i), nil); err != nil {
			return w.store.trouble(err)
		}
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		return w.store.trouble(err)
	}
	c := &w.store.counts
	c.writes.Add(int64(spilled.Len()))
	c.written.Add(int64(len(spilled.Bytes)))
	return nil
}

// awaitRoom waits until little enough is on its way to the disk, and says why
// nothing is to be written now, or nil. Pebble would wait as well, but with a disk
// that fails for ever.
func (w *writer) awaitRoom() error {
	s := w.store
	patience := time.NewTicker(lookEvery)
	defer patience.Stop()
	for {
		if err := s.mayWrite(); err != nil {
			return err
		}
		if s.db.Metrics().MemTable.Size < 2*uint64(s.config.MemTableBytes) {
			return nil
		}
		select {
		case <-s.health.flushed:
		case <-patience.C:
		}
	}
}

// removeMost is how many numbers are deleted in one batch.
const removeMost = 4096

// remove deletes numbers, each of which was written once, and all of some owners.
func (w *writer) remove(dead, owners []uint64) {
	for len(dead) > 0 {
		part := dead[:min(removeMost, len(dead))]
		dead = dead[len(part):]
		w.apply(func(b *pebble.Batch) error {
			for _, number := range part {
				key := keyOf(number)
				if err := b.SingleDelete(key[:], nil); err != nil {
					return err
				}
			}
			return nil
		})
		w.store.counts.deletes.Add(int64(len(part)))
	}
	for _, first := range owners {
		from, to := keyOf(first), keyOf(first+keyspace.OwnerNumbers)
		w.apply(func(b *pebble.Batch) error { return b.DeleteRange(from[:], to[:], nil) })
	}
}

// apply commits what is put into a batch. What fails stays on disk, which is no
// more than a loss of room.
func (w *writer) apply(fill func(*pebble.Batch) error) {
	b := w.store.db.NewBatch()
	defer b.Close()
	err := fill(b)
	if err == nil {
		err = b.Commit(pebble.NoSync)
	}
	if err != nil {
		_ = w.store.trouble(err)
	}
}

// counts are what a store has done.
type counts struct {
	reads, readErrors               atomic.Int64
	writes, written, deletes, fails atomic.Int64
}
