// Package script runs Lua: scripts and libraries of functions, in the turn of
// the shards that hold their keys. It owns the scripts that are known, the
// libraries, and the Lua states that they run in.
//
// It promises Redis's sandbox and conversions; that a script is seen whole or
// not at all; and that none takes the server down, neither by running for ever
// nor by what it allocates: see machine.
package script

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// Engine is what a server knows of scripts. Any goroutine may use it.
type Engine struct {
	catalogue *session.Catalogue
	threshold atomic.Int64  // nanoseconds after which a script is busy
	closing   atomic.Int32  // see EndBusy
	steps     atomic.Uint64 // of scripts that take long
	patience  time.Duration // after which a light run is given up, whatever its steps
	// latest is the script that was asked for last, spare an idle machine: what
	// most look-ups find without mu.
	latest atomic.Pointer[body]
	spare  atomic.Pointer[machine]

	mu        sync.Mutex // guards what follows
	bodies    map[string]*body
	oldest    evictable
	libraries map[string]*library
	functions map[string]*function
	idle      []*machine
	running   []*run // those that may be killed, the oldest first
}

// thresholdDefault is Redis's busy-reply-threshold.
const thresholdDefault = 5 * time.Second

// NewEngine makes the engine of a server whose commands are in the catalogue.
func NewEngine(c *session.Catalogue) *Engine {
	e := &Engine{catalogue: c, patience: lightTime, bodies: map[string]*body{}, libraries: map[string]*library{}, functions: map[string]*function{}}
	e.threshold.Store(int64(thresholdDefault))
	return e
}

// SetThreshold sets after how long a script counts as busy; 0 or less: never.
func (e *Engine) SetThreshold(d time.Duration) { e.threshold.Store(int64(d)) }

// Steps counts how often scripts that take long have looked around so far: while one
// runs, it rises.
func (e *Engine) Steps() uint64 { return e.steps.Load() }

// here is where a command about scripts runs: in a session.
type here struct {
	*Engine
	session *session.Session
}

// there is where a script runs: in the shards.
type there struct {
	*Engine
	tx *keyspace.Tx
}

// Runs are the commands that run scripts, Tells those about scripts.
var (
	Runs  command.Table[there]
	Tells command.Table[here]
)

// AddTo adds the commands of the family to a catalogue, which the scripts call
// commands of.
func AddTo(c *session.Catalogue) *Engine {
	e := NewEngine(c)
	var runs command.Table[*keyspace.Tx]
	for _, spec := range Runs.Specs() {
		meta, run := spec.Meta, spec.Run
		meta.Reaches = e.reaches
		runs.Add(command.Spec[*keyspace.Tx]{Meta: meta, Run: func(tx *keyspace.Tx, a *command.Args) resp.Reply {
			return run(there{e, tx}, a)
		}})
	}
	c.AddData(&runs)
	session.AddFor(c, &Tells, func(s *session.Session) here { return here{e, s} })
	return e
}
