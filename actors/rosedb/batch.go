package rosedb

import (
	"bytes"
	"time"

	"github.com/troupedb/troupe/actors"
)

// BatchOptions are those of rosedb. Sync is the database's own: see Options.
type BatchOptions struct{ ReadOnly bool }

// DefaultBatchOptions are those of a batch that writes.
var DefaultBatchOptions = BatchOptions{}

// Batch is writes that become one change at Commit, and are seen by its own reads
// before. One goroutine at a time may use it.
type Batch struct {
	db      *DB
	options BatchOptions
	writes  *actors.Batch
	pending map[string]pending
	over    error // committed or rolled back
}

// pending is what a key will be.
type pending struct {
	value []byte
	ttl   time.Duration // 0: for ever
	gone  bool
}

// NewBatch begins a batch.
func (d *DB) NewBatch(o BatchOptions) *Batch {
	return &Batch{db: d, options: o, writes: d.db.Batch(), pending: map[string]pending{}}
}

// mayWrite says why a key can't be written, if it can't.
func (b *Batch) mayWrite(key []byte) error {
	switch {
	case b.over != nil:
		return b.over
	case b.options.ReadOnly:
		return ErrReadOnlyBatch
	}
	return check(key)
}

// Put sets a key.
func (b *Batch) Put(key, value []byte) error { return b.put(key, pending{value: bytes.Clone(value)}) }

// PutWithTTL sets a key that goes after ttl.
func (b *Batch) PutWithTTL(key, value []byte, ttl time.Duration) error {
	return b.put(key, pending{value: bytes.Clone(value), ttl: ttl})
}

func (b *Batch) put(key []byte, p pending) error {
	if err := b.mayWrite(key); err != nil {
		return err
	}
	b.pending[string(key)] = p
	if p.ttl > 0 {
		b.writes.Set(string(key), p.value, actors.For(p.ttl))
	} else {
		b.writes.Set(string(key), p.value)
	}
	return nil
}

// Delete removes a key.
func (b *Batch) Delete(key []byte) error {
	if err := b.mayWrite(key); err != nil {
		return err
	}
	b.pending[string(key)] = pending{gone: true}
	b.writes.Del(string(key))
	return nil
}

// Get is a key's value as the batch leaves it.
func (b *Batch) Get(key []byte) ([]byte, error) {
	p, err := b.look(key)
	return p.value, err
}

// Exist reports whether there is such a key.
func (b *Batch) Exist(key []byte) (bool, error) {
	_, err := b.look(key)
	if err == ErrKeyNotFound {
		return false, nil
	}
	return err == nil, err
}

// TTL is how long a key has to live; -1 is for ever.
func (b *Batch) TTL(key []byte) (time.Duration, error) {
	p, err := b.look(key)
	if err == nil && p.ttl == 0 {
		p.ttl = actors.Forever
	}
	return p.ttl, err
}

// look is what a key will be.
func (b *Batch) look(key []byte) (p pending, err error) {
	if b.over != nil {
		return p, b.over
	}
	if err := check(key); err != nil {
		return p, err
	}
	p, ours := b.pending[string(key)]
	switch {
	case p.gone:
		return pending{}, ErrKeyNotFound
	case ours:
		return p, nil
	}
	if p.value, err = b.db.Get(key); err != nil {
		return p, err
	}
	if p.ttl, err = b.db.TTL(key); p.ttl == actors.Forever {
		p.ttl = 0
	}
	return p, err
}

// Expire makes a key go after ttl.
func (b *Batch) Expire(key []byte, ttl time.Duration) error { return b.retime(key, ttl) }

// Persist takes a key's time to live away.
func (b *Batch) Persist(key []byte) error { return b.retime(key, 0) }

func (b *Batch) retime(key []byte, ttl time.Duration) error {
	if err := b.mayWrite(key); err != nil {
		return err
	}
	p, err := b.look(key)
	if err != nil {
		return err
	}
	p.ttl = ttl
	b.pending[string(key)] = p
	if ttl > 0 {
		b.writes.Queue("PEXPIRE", key, ttl)
	} else {
		b.writes.Queue("PERSIST", key)
	}
	return nil
}

// Commit makes the writes, all at once.
func (b *Batch) Commit() error {
	if b.over != nil {
		return b.over
	}
	b.over = ErrBatchCommitted
	_, err := b.writes.Commit(always)
	return err
}

// Rollback forgets the writes.
func (b *Batch) Rollback() error {
	if b.over != nil {
		return b.over
	}
	b.over = ErrBatchRollbacked
	return nil
}
