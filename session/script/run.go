package script

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/acl"
	lua "github.com/yuin/gopher-lua"
)

// run is a script that runs.
type run struct {
	engine    *Engine
	machine   *machine
	server    *session.Server // nil in tests of the keyspace
	caller    keyspace.Caller
	tx        *keyspace.Tx
	name      string // a script's SHA-1, a function's name
	function  bool
	argv      [][]byte // the command that called it
	readOnly  bool
	allowsOOM bool // it said so
	resp3     bool // see redis.setresp
	loading   bool // FUNCTION LOAD
	first     int  // the database of the command
	db        int
	total     int // shards

	narrow   bool   // only the shards of its keys are at hand
	declared []bool // those shards, if all are at hand and it is to be seen
	strayed  bool   // it has used a key elsewhere
	checks   bool   // what it calls is to be admitted
	light    bool   // it may have to begin anew on a worker: see errLong
	most     int    // steps that it may take then
	steps    int
	spent    bool      // they were too many
	begun    time.Time // if it is to be seen whether it is quick
	undo     keyspace.Undo
	events   int
	effects  int
	inside   bool // a command of the keyspace is running

	start  time.Time // when it was first looked at
	listed bool      // among those that may be killed
	killed atomic.Bool
	wrote  atomic.Bool

	denials []acl.Denial // see denied
}

// errWide ends a script that is to run again over all shards.
var errWide = errors.New("a key of another shard")

// job is what a run is to do.
type job struct {
	name       string
	body       *body     // a script
	function   *function // or a function
	flags      flags
	readOnly   bool
	keys, args [][]byte
	reach      *reach
}

// run runs a script in the present command of the shards' turn.
func (t there) run(j *job, argv [][]byte) resp.Reply {
	t.place(j)
	m := t.take()
	r := m.newRun()
	r.engine, r.machine, r.tx, r.name, r.function, r.argv = t.Engine, m, t.tx, j.name, j.function != nil, argv
	r.allowsOOM = j.flags&needsNoRoom != 0
	r.readOnly, r.db, r.total, r.caller = j.readOnly || j.flags&noWrites != 0, t.tx.DB, t.tx.Shards(), t.tx.Caller
	if s, ok := r.caller.(*session.Session); ok {
		r.server = s.Server()
	}
	r.weighIn(j)
	r.look(j)
	m.begin(r)
	t.tx.Shield(true)
	reply := r.execute(j)
	t.tx.Shield(false)
	t.tx.DB = r.first
	if r.listed {
		t.unlist(r)
	}
	r.noteSteps(j)
	stop := m.stop
	if stop == errShutdown { // nobody will see the half that it has done
		t.tx.ForgetEffects(r.effects, &r.undo)
	}
	anew := stop == errWide || stop == errLong
	if !anew {
		r.noteDenials()
	}
	inside := r.inside
	if inside {
		panic(fmt.Sprintf("a command failed within a script: %s", reply.Str()))
	}
	if r.total > 1 && !r.narrow && !r.loading && !anew {
		state := confined
		if r.strayed {
			state = strays
		}
		j.reach.state.Store(state)
	}
	if !r.listed && !anew {
		m.spare = r // which is another's once the machine is given back
	}
	t.give(m)
	if anew {
		t.undo(r)
	}
	switch stop {
	case errWide:
		j.reach.state.Store(strays)
		t.tx.Everywhere()
	case errLong:
		t.tx.GiveUp()
	}
	return reply
}

// undo undoes what a run has changed.
func (t there) undo(r *run) {
	t.tx.ForgetEffects(r.effects, &r.undo)
	r.undo.Rewind(t.tx)
	t.tx.ForgetEvents(r.events)
}

// newRun is a run without anything. That of a script which nobody can have
// noticed is used again.
func (m *machine) newRun() *run {
	if r := m.spare; r != nil {
		m.spare = nil
		*r = run{}
		return r
	}
	return &run{}
}

// look notes which shards are at hand.
func (r *run) look(j *job) {
	r.first = r.db
	r.narrow, r.events, r.effects = !r.tx.HoldsAll(), r.tx.EventMark(), r.tx.EffectMark()
	r.checks = r.anew()
	if r.total == 1 || r.narrow {
		return
	}
	state := j.reach.state.Load()
	if r.strayed = state == strays; state != unknown {
		return
	}
	r.checks, r.declared = true, make([]bool, r.total)
	for _, key := range j.keys {
		r.declared[keyspace.ShardOf(key, r.total)] = true
	}
}

// anew reports whether it may come to be undone and to begin anew.
func (r *run) anew() bool { return r.narrow || r.light }

// execute calls the function and answers what it returns.
func (r *run) execute(j *job) resp.Reply {
	l := r.machine.state
	n := r.machine.push(r, j)
	if n < 0 {
		return resp.Error(r.machine.failed)
	}
	err := l.PCall(n, 1, nil)
	if stop := r.machine.stop; stop != nil && stop != errWide && stop != errLong {
		l.SetTop(0)
		return r.ended(r.machine.stop.Error(), err)
	}
	if err != nil {
		l.SetTop(0)
		return r.failed(err)
	}
	reply := r.reply(l.Get(-1), 0)
	l.SetTop(0)
	return reply
}

// ended is the answer of a script that was stopped.
func (r *run) ended(why string, err error) resp.Reply {
	_, _, line := uncaught(err)
	return resp.Error("ERR " + why + r.place("@"+r.chunk(), line))
}

func (r *run) chunk() string {
	if r.function {
		return functionChunk
	}
	return scriptChunk
}

// place is how errors say where they happened.
func (r *run) place(source string, line int) string {
	if line <= 0 {
		return " script: " + r.name + ", on " + source + "."
	}
	return " script: " + r.name + ", on " + source + ":" + strconv.Itoa(line) + "."
}

// saidLine finds a place at the head of an error, tracedLine in a trace of the stack.
var (
	saidLine   = regexp.MustCompile(`^(\w+):(\d+): `)
	tracedLine = regexp.MustCompile(`\n\t(\w+):(\d+): in `)
)

// uncaught is an error that nobody has caught: its text, and where it happened, as
// far as that is known.
func uncaught(err error) (said, source string, line int) {
	api, ok := err.(*lua.ApiError)
	if !ok {
		if err != nil {
			said = err.Error()
		}
		return said, "", 0
	}
	place := tracedLine.FindStringSubmatch(api.StackTrace)
	switch v := api.Object.(type) {
	case *lua.LTable:
		text, isText := v.RawGetString("err").(lua.LString)
		if said = string(text); !isText {
			said = "ERR unknown error"
		}
		if text, isText := v.RawGetString("source").(lua.LString); isText {
			return said, string(text), int(lua.LVAsNumber(v.RawGetString("line")))
		}
	case nil:
		said = "ERR nil"
	default:
		words := inLuasWords(text(v))
		if place == nil {
			place = saidLine.FindStringSubmatch(words)
		} else if words == errOverflow {
			words = place[1] + ":" + place[2] + ": " + words
		}
		said = "ERR " + words
	}
	if place == nil {
		return said, "", 0
	}
	line, _ = strconv.Atoi(place[2])
	return said, "@" + place[1], line
}

const errOverflow = "stack overflow"

// failed is the answer to an error that the script has not caught.
func (r *run) failed(err error) resp.Reply {
	said, source, line := uncaught(err)
	if source == "" {
		source = "@" + r.chunk()
	}
	return resp.Error(said + r.place(source, line))
}

// located says in an error where the script stands.
func located(l *lua.LState, t *lua.LTable) {
	for level := 0; ; level++ {
		frame, ok := l.GetStack(level)
		if !ok {
			return
		}
		if _, err := l.GetInfo("Sl", frame, lua.LNil); err != nil || frame.CurrentLine <= 0 {
			continue
		}
		t.RawSetString("source", lua.LString("@"+frame.Source))
		t.RawSetString("line", lua.LNumber(frame.CurrentLine))
		return
	}
}
