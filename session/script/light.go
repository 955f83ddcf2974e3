package script

import (
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/session"
	lua "github.com/yuin/gopher-lua"
)

// A script may run for ever, so that it needs a worker. But most are over long
// before a worker is awake. One that has been quick several times therefore
// begins wherever its batch happens to run, be it an event loop. There it may
// take so many steps, and must remain such that it can be undone. If it comes to
// be more than that, it is undone and begins anew on a worker, and for a while
// goes there at once: nobody has seen anything of it, since it all happens in
// one turn.

// errLong ends a script that is to begin anew on a worker.
var errLong = errors.New("a script for a worker")

const (
	// A script is quick if it takes no more than so many steps and so much time;
	// quickRuns are how often it must have been so.
	quickRuns  = 3
	quickSteps = 4096
	quickTime  = 200 * time.Microsecond
	// slowRuns is how often one that was given up goes to a worker then.
	slowRuns = 64
	// callSteps are the steps of a call of a command, besides wordSteps for each
	// of its words.
	callSteps = 10
	wordSteps = 2
	// lightTime is after what time a light run is given up, whatever its steps.
	lightTime = 4 * time.Millisecond
	// undoMax bounds what is noted so as to undo a script: see Undo.Weight.
	undoMax = 64 << 10
)

// trust is how often a script was quick on a worker, at most quickRuns; less than
// none after it was given up.
type trust struct{ runs atomic.Int32 }

func (t *trust) isQuick() bool { return t.runs.Load() >= quickRuns }

// place makes sure that a script that is to go to a worker does: then it does
// not return.
func (t there) place(j *job) {
	if t.tx.Light() && (t.tx.Toil(0) <= 0 || !j.reach.isQuick()) {
		t.tx.GiveUp()
	}
}

// weighIn notes how a run is to be counted.
func (r *run) weighIn(j *job) {
	if r.light = r.tx.Light(); r.light {
		r.most = r.tx.Toil(0)
	} else if !j.reach.isQuick() {
		r.begun = time.Now()
	}
}

// noteSteps ends the count of the steps of a run, and draws conclusions.
func (r *run) noteSteps(j *job) {
	m := r.machine
	if m.stop == nil {
		r.steps += fuelMax - m.fuel
	}
	switch trust := &j.reach.trust; {
	case r.light:
		r.tx.Toil(r.steps)
		if m.stop == errLong && (!r.spent || r.steps > quickSteps) {
			trust.runs.Store(-slowRuns)
		}
	case r.begun.IsZero():
	case r.steps <= quickSteps && time.Since(r.begun) <= quickTime:
		trust.runs.Add(1)
	default:
		trust.runs.Store(min(trust.runs.Load(), 0))
	}
}

// toil counts steps of the present run. It reports false, and stops the script,
// if these are more than it may take.
func (m *machine) toil(steps int) bool {
	r := m.run
	if r == nil {
		return true
	}
	r.steps += steps
	if !r.light || r.steps <= r.most {
		return true
	}
	r.spent = true
	m.halt(errLong)
	return false
}

// labour is toil for functions, which it leaves.
func (m *machine) labour(l *lua.LState, steps int) {
	if !m.toil(steps) {
		raisef(l, "%s", errLong.Error())
	}
}

// soberly leaves a light run before something that can't be undone.
func (m *machine) soberly(l *lua.LState) {
	if m.run != nil && m.run.light {
		m.halt(errLong)
		raisef(l, "%s", errLong.Error())
	}
}

// leavesDatabase reports whether a command changes another database than the
// selected one, which can't be undone.
func leavesDatabase(row *session.Command) bool { return row.Name == "MOVE" || row.Name == "COPY" }

// matching makes a function that looks for a pattern count its steps.
func (m *machine) matching(f lua.LGFunction) lua.LGFunction {
	return func(l *lua.LState) int {
		if m.run != nil && m.run.light {
			m.labour(l, patternSteps(len(l.CheckString(1)), l.CheckString(2)))
		}
		return f(l)
	}
}

// patternSteps bounds the steps that it takes to look for a pattern in a text
// of so many bytes: to every repetition there may be a way back.
func patternSteps(size int, pattern string) int {
	const bytesStep = 8 // that are looked at in one step
	most := size + len(pattern)
	if strings.HasPrefix(pattern, "^") {
		most = len(pattern)
	}
	for i := 0; i < len(pattern); i++ {
		back := 1
		switch c := pattern[i]; {
		case c == '%' && i+1 < len(pattern):
			if i++; pattern[i] == 'b' {
				back = size
			}
		case c == '*' || c == '+' || c == '-':
			if strings.Trim(pattern[i+1:], ")") != "" || c == '-' {
				back = size
			} else {
				most += size
			}
		}
		if most *= max(back, 1); most > 1<<32 {
			break
		}
	}
	return most / bytesStep
}
