package actors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// Tx is a transaction while it is being made: it reads at once and writes at the
// end. Its reading methods are those of DB; a write through one of these is
// refused with ErrQueue. It is good until the function returns that it was made
// for.
type Tx struct {
	*DB
	batch *Batch
}

// Queue adds a command that is run if the transaction succeeds: see Batch.Queue.
func (tx *Tx) Queue(command string, args ...any) *Queued { return tx.batch.Queue(command, args...) }

// ErrQueue is what a write through the methods of a Tx returns that would take
// effect at once.
var ErrQueue = errors.New("troupe: a transaction's writes are queued: see Tx.Queue")

// errChanged tells that a key has changed which a transaction depends on.
var errChanged = errors.New("troupe: a key has changed")

// readsOf is what a DB that belongs to a Tx keeps in mind of what it has read.
type readsOf struct{ lock *session.Lock }

// Update makes a transaction: what do has queued in tx when it returns is run as one
// change, if none of the keys has changed that do has read through tx, and none of
// those in keys. If one has, do is called again, until it works or the context ends;
// so it should do nothing else that matters. If do returns an error, nothing is run,
// and Update returns it. The error that a queued command is answered with is
// returned as by Batch.Commit.
//
// Reads that name no keys (SCAN, KEYS, DBSIZE) are not kept in mind.
func (db *DB) Update(ctx context.Context, do func(tx *Tx) error, keys ...string) error {
	for try := 0; ; try++ {
		err := db.try(ctx, do, keys)
		if !errors.Is(err, errChanged) {
			return err
		}
		if err := db.pause(ctx, try); err != nil {
			return err
		}
	}
}

// try is one try of an Update.
func (db *DB) try(ctx context.Context, do func(tx *Tx) error, keys []string) error {
	lock := db.local.NewLock()
	view := &DB{embedded: db.embedded, number: db.number, local: db.local, wrong: db.wrong, reads: &readsOf{lock}}
	tx := &Tx{view, db.Batch()}
	err := tx.make(ctx, do, keys)
	if err == nil {
		err = tx.batch.runAtOnce(ctx, lock)
		if err == nil || err == errChanged { // the lock has ended
			return cmp.Or(err, tx.batch.failure())
		}
	}
	db.unlock(lock)
	return err
}

// make has the transaction made.
func (tx *Tx) make(ctx context.Context, do func(tx *Tx) error, keys []string) error {
	var named words
	named.texts(keys)
	if err := tx.watch(ctx, named.list(0, len(keys))); err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return err
	}
	tx.batch.look()
	return tx.batch.wrong
}

// watch adds keys to the lock of the transaction.
func (db *DB) watch(ctx context.Context, keys [][]byte) error {
	if len(keys) == 0 {
		return db.may(ctx)
	}
	c, err := db.begin(ctx)
	if err != nil {
		return err
	}
	c.x.Encoder = &c.captured
	db.local.Watch(&c.x, db.reads.lock, keys)
	if err := c.run(ctx); err != nil {
		return err
	}
	c.end()
	return nil
}

// unlock ends a lock, unless the database has ended.
func (db *DB) unlock(lock *session.Lock) {
	if c, err := db.begin(context.Background()); err == nil {
		db.local.Unwatch(lock)
		c.end()
	}
}

// mayRead is asked before a command of a transaction runs: it must not write, and
// its keys are watched from before it reads them.
func (db *DB) mayRead(ctx context.Context, row *session.Command, argv [][]byte) error {
	if row == nil || !row.ArityOK(len(argv)) {
		return nil // it will be refused
	}
	if row.Flags&(command.Write|command.MayReplicate) != 0 {
		return fmt.Errorf("%w: %s", ErrQueue, row.Name)
	}
	var few [8]command.KeyAt
	places, _ := row.AppendKeys(few[:0], argv)
	keys := make([][]byte, len(places))
	for i, place := range places {
		keys[i] = argv[place.Pos]
	}
	return db.watch(ctx, keys)
}

// pauseMax is the longest time between two tries of an Update.
const pauseMax = time.Millisecond

// pause waits before another try: not at all at first, then the longer the more
// there have been, so that of many that are in each other's way some get through.
func (db *DB) pause(ctx context.Context, try int) error {
	if try < 4 {
		return db.may(ctx)
	}
	timer := time.NewTimer(min(time.Duration(try)*10*time.Microsecond, pauseMax))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-db.done:
	}
	return db.may(ctx)
}
