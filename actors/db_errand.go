package actors

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/session"
)

// errand is a batch of commands on its way from the goroutine that asks to the
// shards and back, with all the memory that this takes. Errands are used again.
//
// An errand that a context has given up belongs to the shards until they are done
// with it; so the words of its commands are copies.
type errand struct {
	captured
	words
	x     keyspace.Execute
	tally session.Tally
	db    *DB
	busy  atomic.Bool // somebody uses it
	state atomic.Int32
	told  chan struct{} // that the batch is done, if its asker has parked
}

// The states of an errand that was posted and not done at once.
const (
	asked int32 = iota
	parked
	answered
	abandoned // its asker has gone
)

// keepBytes is how much memory, of each kind, an errand keeps for the next use.
const keepBytes = 64 << 10

// errandPool is the errands that are not in use. All that were ever made are listed,
// as many as were in use at one time, so that Close can wait for them; the pool
// that finds a free one fast may forget some, and hold others twice.
type errandPool struct {
	free sync.Pool
	mu   sync.Mutex
	all  []*errand
}

// get takes an errand for a DB. It must be asked afterwards whether the database has
// ended: drain waits for errands that were taken before.
func (p *errandPool) get(db *DB) *errand {
	c, _ := p.free.Get().(*errand)
	if c == nil || !c.busy.CompareAndSwap(false, true) {
		c = p.find()
	}
	c.db = db
	return c
}

// find takes any errand that is free, or makes one.
func (p *errandPool) find() *errand {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.all {
		if !c.busy.Load() && c.busy.CompareAndSwap(false, true) {
			return c
		}
	}
	c := &errand{told: make(chan struct{}, 1)}
	c.busy.Store(true)
	p.all = append(p.all, c)
	return c
}

// put gives an errand back.
func (p *errandPool) put(c *errand) {
	c.clear()
	c.busy.Store(false)
	p.free.Put(c)
}

// drain waits until no errand is in use, or those that are may never come back:
// what they are to show waits for a disk that fails. The database must have ended.
func (p *errandPool) drain(hopeless func() bool) {
	ticker := time.NewTicker(drainInterval)
	defer ticker.Stop()
	for !p.isIdle() && !hopeless() {
		<-ticker.C
	}
}

// isIdle reports whether no errand is in use.
func (p *errandPool) isIdle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !slices.ContainsFunc(p.all, func(c *errand) bool { return c.busy.Load() })
}

// flush has all errands' commands counted.
func (p *errandPool) flush(server *session.Server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.all {
		server.Flush(&c.tally)
	}
}

func (c *errand) clear() {
	c.x.Reset()
	c.words.clear()
	c.captured.clear()
	c.db = nil
}

// begin takes an errand, unless nothing can be asked now.
func (db *DB) begin(ctx context.Context) (*errand, error) {
	c := db.errands.get(db)
	if err := db.may(ctx); err != nil {
		db.errands.put(c)
		return nil, err
	}
	return c, nil
}

// end gives the errand back. What was taken from it is the caller's.
func (c *errand) end() { c.db.errands.put(c) }

// post sends the batch to its shards, and reports whether it is done. Most run
// here and now. For the others, await is to be called.
func (c *errand) post() (isDone bool) {
	c.state.Store(asked)
	return c.db.system.Node.Post(&c.x, c)
}

// account counts the commands of the batch, which is done.
func (c *errand) account() { c.db.local.Account(&c.x, &c.tally) }

// run is post and await, as often as it takes: a script that comes to need other
// shards than it was thought to, or more time, begins anew with all of them.
func (c *errand) run(ctx context.Context) error {
	for {
		if !c.post() {
			if err := c.await(ctx); err != nil {
				return err
			}
		}
		c.account()
		if c.x.Refused || c.x.Ran == len(c.x.Requests) {
			return nil
		}
		c.x.Again()
	}
}

// spins is how often an errand looks whether it is done before its goroutine parks:
// for about a microsecond. The shard is mostly at work for another goroutine
// then, whose turn takes less, and parking takes more.
const spins = 400

// await waits until the batch is done. If the context, or the database, ends before, the errand is not
// the caller's any more: the shards have it, and it goes back when they are done.
func (c *errand) await(ctx context.Context) error {
	if runtime.GOMAXPROCS(0) > 1 {
		for range spins {
			if c.state.Load() == answered {
				return nil
			}
		}
	}
	if !c.state.CompareAndSwap(asked, parked) {
		return nil
	}
	select {
	case <-c.told:
		return nil
	case <-ctx.Done():
	case <-c.db.closed: // with a disk that fails, and what was to be shown waits for that
	}
	if c.state.CompareAndSwap(parked, abandoned) {
		return cmp.Or(ctx.Err(), ErrClosed)
	}
	<-c.told
	return nil
}

// Executed is called by a shard, or by the journal, when the batch is done.
func (c *errand) Executed(*keyspace.Execute) {
	switch {
	case c.state.CompareAndSwap(asked, answered):
	case c.state.CompareAndSwap(parked, answered):
		c.told <- struct{}{}
	default:
		c.end()
	}
}
