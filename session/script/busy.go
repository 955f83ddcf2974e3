package script

import (
	"errors"
	"slices"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
)

// killableAfter is how long a script has to run before it can be killed: what
// ends by itself at once needs no killing, and may be somebody else's.
const killableAfter = 20 * time.Millisecond

var (
	errKilled      = errors.New("Script killed by user with SCRIPT KILL...")
	errLoadTimeout = errors.New("FUNCTION LOAD timeout")
	errShutdown    = errors.New("Script killed by SHUTDOWN.")

	errNotBusy    = resp.Error("NOTBUSY No scripts in execution right now.")
	errUnkillable = resp.Error("UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.")

	errBusyScript   = resp.Error("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.")
	errBusyFunction = resp.Error("BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.")
)

// lookAround is called by the machine now and then.
func (r *run) lookAround(now time.Time) {
	if r.start.IsZero() {
		r.start = now
	}
	if r.killed.Load() {
		r.machine.halt(errKilled)
		return
	}
	if r.engine.closing.Load() == endAll {
		r.machine.halt(errShutdown)
		return
	}
	took := now.Sub(r.start)
	if r.light && took >= r.engine.patience {
		r.machine.halt(errLong)
		return
	}
	if r.loading {
		if took >= loadTimeout {
			r.machine.halt(errLoadTimeout)
		}
		return
	}
	if took < killableAfter {
		return
	}
	r.engine.steps.Add(1)
	if !r.listed {
		r.engine.list(r)
	}
	if limit := r.engine.threshold.Load(); limit > 0 && took >= time.Duration(limit) && r.server != nil {
		busy := errBusyScript
		if r.function {
			busy = errBusyFunction
		}
		if r.engine.closing.Load() == endBusy {
			r.machine.halt(errShutdown)
			return
		}
		if r.server.Condition().Busy.Kind() == resp.None {
			r.server.SetCondition(func(c *session.Condition) { c.Busy = busy })
		}
	}
}

// list makes a run one that may be killed.
func (e *Engine) list(r *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r.listed = true
	e.running = append(e.running, r)
}

func (e *Engine) unlist(r *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = slices.DeleteFunc(e.running, func(other *run) bool { return other == r })
	if len(e.running) == 0 && r.server != nil {
		r.server.SetCondition(func(c *session.Condition) { c.Busy = resp.Nothing })
	}
}

// kill ends the script, or the function, that has run for the longest time.
func (e *Engine) kill(functions bool) resp.Reply {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.running) == 0 {
		return errNotBusy
	}
	for _, r := range e.running {
		if r.function != functions {
			continue
		}
		if r.wrote.Load() {
			return errUnkillable
		}
		r.killed.Store(true)
		return resp.OK
	}
	if functions {
		return errBusyScript
	}
	return errBusyFunction
}

// What the engine is to end.
const (
	endBusy int32 = 1 + iota
	endAll
)

// EndBusy ends the scripts that are busy, and those that come to be; Close ends
// all. What they have written stays.
func (e *Engine) EndBusy() { e.closing.Store(endBusy) }

// Close ends all scripts.
func (e *Engine) Close() { e.closing.Store(endAll) }
