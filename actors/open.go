package actors

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/persist"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/transport"
)

// ErrClosed is what calls return once the database is closed.
var ErrClosed = errors.New("troupe: the database is closed")

// ErrNotFound is what the typed methods return for a key, field, member or
// element that is not there.
var ErrNotFound = errors.New("troupe: not found")

// ErrCondition is what a write returns that was to happen only under a condition,
// such as IfMissing, which did not hold: nothing has changed.
var ErrCondition = errors.New("troupe: the condition of the write does not hold")

// DB is a server in this process, as Go code uses it. Any number of goroutines
// may use one at once; the calls of each take effect in their order. See the
// package's documentation.
type DB struct {
	*embedded
	number int
	local  *session.Local
	wrong  error    // there is no such database
	reads  *readsOf // of the transaction that it reads for, if any
}

// embedded is what the DBs of all databases of one server share.
type embedded struct {
	system  *System
	dbs     []*DB // by number
	rows    rowTable
	errands errandPool
	links   linkPool
	pipes   *transport.Pipes
	ended   atomic.Pointer[error] // why nothing can be asked any more
	done    chan struct{}         // closed with ended
	close   sync.Once
	closed  chan struct{}  // closed when Close has done its work
	unsaved error          // what went wrong with that
	group   sync.WaitGroup // goroutines that serve watches and subscriptions
}

// Open starts a server in this process and returns its database 0. Without Binds
// and Unix it listens nowhere, and is there for this process alone; with them it
// serves others as well.
//
// Dir is where it keeps its data; without it, what it holds ends with Close. If
// Storage does not say otherwise, every change is recorded there and on disk
// within a second (Policy: journal.Always waits for the disk each time). Open
// returns when all has been read. A directory has one server at a time.
//
// The commands for operators (INFO, CONFIG, DEBUG and the like) are families of
// their own, see Options.Families.
func Open(o Options) (*DB, error) {
	if len(o.Binds)+len(o.TLSBinds) == 0 && o.Unix == "" {
		o.Goroutines = true // event loops for no links would be idle threads
	}
	if o.Dir != "" && reflect.ValueOf(o.Storage).IsZero() {
		o.Storage = recorded
	}
	system, err := Start(o)
	if err != nil {
		return nil, fmt.Errorf("troupe: opening the database: %w", err)
	}
	return embed(system), nil
}

// recorded is a Storage that records changes, with Redis's settings for when the
// journal is written anew.
var recorded = Storage{Journal: true, Options: persist.Options{RewritePercent: 100, RewriteMin: 64 << 20}}

// embed makes the DBs of a system.
func embed(system *System) *DB {
	e := &embedded{system: system, done: make(chan struct{}), closed: make(chan struct{})}
	for n := range system.Server.Databases {
		e.dbs = append(e.dbs, &DB{embedded: e, number: n, local: system.Server.NewLocal(n)})
	}
	e.rows.find(system.Server.Catalogue)
	e.pipes = transport.NewPipes(transport.Config{
		Accept: system.Server.AcceptLocal, FirstLoop: system.Loops(), Loops: runtime.GOMAXPROCS(0),
	})
	e.group.Go(e.tend)
	return e.dbs[0]
}

// tend has commands counted once a second, and ends the database when one has
// failed by a mistake of the program and its shard can't be made anew from disk.
func (e *embedded) tend() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for e.failure() == nil {
		select {
		case <-e.done:
		case <-ticker.C:
			e.errands.flush(e.system.Server)
		case b := <-e.system.Broken:
			e.breakDown(b)
		}
	}
}

func (e *embedded) breakDown(b *keyspace.Broken) {
	e.end(fmt.Errorf("troupe: the command %s has failed by a mistake of the program, the database cannot go on: %v", b.Command, b.Reason))
	e.system.options.Log.Error("a command failed by a mistake of the program", "command", b.Command, "reason", b.Reason, "stack", string(b.Stack))
}

// end says why nothing can be asked from now on, unless that is said already.
func (e *embedded) end(why error) {
	if e.ended.CompareAndSwap(nil, &why) {
		close(e.done)
	}
}

// failure is why nothing can be asked, or nil.
func (e *embedded) failure() error {
	if why := e.ended.Load(); why != nil {
		return *why
	}
	return nil
}

// DB is the database with that number, of the same server. It needs not be
// closed. If there is none, its calls return an error.
func (db *DB) DB(number int) *DB {
	if number < 0 || number >= len(db.dbs) {
		return &DB{embedded: db.embedded, number: number, local: db.local, wrong: commandError(resp.ErrDBIndex.Str())}
	}
	return db.dbs[number]
}

// Number is the database's number.
func (db *DB) Number() int { return db.number }

// System is the server, for what concerns it as a whole: its addresses, its
// counters, a client's wish that it stop (Asked).
func (db *DB) System() *System { return db.system }

// Close stops the server. Commands that wait for something are given up, others
// that are under way come to their end; all of these, and all calls from then on,
// return ErrClosed. The channels of watches and subscriptions are closed. When
// Close returns, what is kept is on disk and no goroutine is left; an error says
// that the RDB file, if one was to be written, was not. Closing it again only
// returns the same.
func (db *DB) Close() error {
	e := db.embedded
	e.end(ErrClosed)
	e.close.Do(func() {
		e.pipes.Close()
		e.links.close()
		e.errands.drain(e.system.isStuck)
		e.group.Wait()
		e.unsaved = e.system.SaveAtEnd(Stop{})
		e.system.Close()
		close(e.closed)
	})
	<-e.closed
	return e.unsaved
}

// may reports why a call can't be made now, or nil.
func (db *DB) may(ctx context.Context) error {
	if why := db.ended.Load(); why != nil {
		return *why
	}
	if db.wrong != nil {
		return db.wrong
	}
	return ctx.Err()
}
