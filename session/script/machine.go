package script

import (
	"errors"
	"runtime/metrics"
	"time"

	"github.com/troupedb/troupe/resp/command"
	lua "github.com/yuin/gopher-lua"
)

// machine is a Lua state with Redis's sandbox in it. One script runs in it at a
// time; idle ones wait for the next.
//
// It is also the context of its state, whose Done the state calls before each
// instruction: that is where scripts are stopped which run for too long or take
// too much memory.
type machine struct {
	engine  *Engine
	state   *lua.LState
	globals *lua.LTable // what scripts see as _G, empty
	behind  *lua.LTable // what is found there
	random  random
	run     *run // the present one
	json    jsonSettings
	null    *lua.LUserData // cjson.null
	loaded  map[string]*loadedLibrary
	loading *registration  // FUNCTION LOAD
	failed  string         // why there is no function to call
	brief   *lua.LFunction // see briefly

	redis       *lua.LTable // the table redis
	registering *lua.LTable // the table redis while a library is loaded

	hands handing
	maker textMaker

	bytes []byte // of redis.call's words
	ends  []int
	argv  [][]byte
	keys  []command.KeyAt
	sites [sitesMax]site

	spare   *run  // to be used again
	fuel    int   // instructions until the next look around
	stop    error // what the script is to end with
	looked  time.Time
	base    uint64 // heap when the script was first looked at
	charged int    // bytes of long texts since the heap was last looked at
	heap    []metrics.Sample
}

// The bounds of a script. Redis has none but the machine's memory.
const (
	fuelMax      = 64               // instructions between two looks at the clock
	heapInterval = time.Millisecond // between two looks at the heap
	memoryMax    = 256 << 20        // bytes that the heap may grow while a script runs
	chargeMax    = 8 << 20          // bytes of new texts between two looks at the heap
	textMax      = 512 << 20        // bytes of a text
	callsMax     = 16000            // nested calls
	stackMax     = 1 << 20          // values on a stack
	listMax      = 4 << 20          // elements of a table that are kept in a row
)

func init() { lua.MaxArrayIndex = listMax }

var (
	errMemory = errors.New("not enough memory")
	closed    = make(chan struct{})
)

func init() { close(closed) }

func (e *Engine) newMachine() *machine {
	m := &machine{engine: e, loaded: map[string]*loadedLibrary{}, heap: []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}}
	m.state = lua.NewState(lua.Options{
		CallStackSize: callsMax, MinimizeStackMemory: true, SkipOpenLibs: true,
		RegistrySize: 256, RegistryMaxSize: stackMax, RegistryGrowStep: 1024,
	})
	m.furnish()
	m.state.SetContext(m)
	return m
}

// take is a machine for one run; give gives it back.
func (e *Engine) take() *machine {
	if m := e.spare.Swap(nil); m != nil {
		return m
	}
	e.mu.Lock()
	if n := len(e.idle); n > 0 {
		m := e.idle[n-1]
		e.idle = e.idle[:n-1]
		e.mu.Unlock()
		return m
	}
	e.mu.Unlock()
	return e.newMachine()
}

func (e *Engine) give(m *machine) {
	m.run, m.stop, m.json = nil, nil, jsonDefaults
	if e.spare.CompareAndSwap(nil, m) {
		return
	}
	e.mu.Lock()
	e.idle = append(e.idle, m)
	e.mu.Unlock()
}

// Done is called before each instruction. A channel that is nil lets it run.
func (m *machine) Done() <-chan struct{} {
	if m.fuel--; m.fuel > 0 {
		return nil
	}
	return m.lookAround()
}

// Err is why the script is stopped.
func (m *machine) Err() error { return m.stop }

// Deadline and Value make the machine a context.
func (m *machine) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value is nil.
func (m *machine) Value(any) any { return nil }

func (m *machine) lookAround() <-chan struct{} {
	if m.stop != nil {
		return closed // at every instruction from here on: pcall can't keep it
	}
	m.fuel = fuelMax
	m.state.Panic = panicBriefly
	if !m.toil(fuelMax) {
		return closed
	}
	now := time.Now()
	if m.run != nil {
		m.run.lookAround(now)
	}
	switch {
	case m.looked.IsZero():
		m.looked = now
	case m.stop == nil && now.Sub(m.looked) >= heapInterval:
		m.weigh(0)
		m.looked = now
	}
	if m.stop != nil {
		m.fuel = 0
		return closed
	}
	return nil
}

// halt stops the script at its next instruction.
func (m *machine) halt(why error) {
	if m.stop == nil {
		m.stop, m.fuel = why, 0
	}
}

// weigh stops the script if the heap has grown too much, or will with so many
// bytes more.
func (m *machine) weigh(more int) {
	metrics.Read(m.heap)
	now := m.heap[0].Value.Uint64()
	if m.base == 0 || now < m.base {
		m.base = now
	}
	m.charged = 0
	if now+uint64(more) > m.base+memoryMax {
		m.halt(errMemory)
	}
}

// textLight is the length, in bytes, of a text that is not worth weighing, and
// textStep how much of it is made in one step.
const (
	textLight = 1 << 12
	textStep  = 1 << 8
)

// charge is asked before a text of n bytes is made.
func (m *machine) charge(l *lua.LState, n int) {
	if n < textLight {
		return
	}
	m.toil(n / textStep)
	if m.charged += n; m.charged > chargeMax {
		m.weigh(n)
	}
	if n > textMax {
		m.halt(errMemory)
	}
	if m.stop != nil {
		raisef(l, "%s", m.stop.Error())
	}
}

// begin readies the machine for a run.
func (m *machine) begin(r *run) {
	m.run, m.stop, m.fuel, m.base, m.charged = r, nil, fuelMax, 0, 0
	m.looked = time.Time{}
}
