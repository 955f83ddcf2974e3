package script

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

const (
	// functionsMax is how many functions a machine keeps that it has made of
	// scripts, wordsKept how many words a table may have to be used again.
	functionsMax = 512
	wordsKept    = 256
)

// handing is what a machine has to hand to scripts.
type handing struct {
	values [handKinds]lua.LValue
	tables [handKinds]wordTable // KEYS and ARGV for scripts that do not keep them
	made   map[*lua.FunctionProto]*lua.LFunction
	shown  bool // KEYS and ARGV are among the globals
}

// wordTable is a table of words, of which there were so many last time.
type wordTable struct {
	*lua.LTable
	words int
}

func (m *machine) readyHands(redis *lua.LTable) {
	h := &m.hands
	h.made = map[*lua.FunctionProto]*lua.LFunction{}
	for name, kind := range calls {
		h.values[kind] = redis.RawGetString(name)
	}
	for _, kind := range handedWords {
		h.tables[kind].LTable = m.state.NewTable()
	}
}

// push puts the function of a job on the stack, with its arguments, and says how
// many these are; less than none if it has failed.
func (m *machine) push(r *run, j *job) (arguments int) {
	if j.function != nil {
		return m.pushFunction(r, j)
	}
	w := &j.body.wants
	values := m.hands.values
	switch {
	case w.keeps:
		keys, args := m.tableOf(j.keys), m.tableOf(j.args)
		values[handKeys], values[handArgv] = keys, args
		if w.globals {
			m.showWords(keys, args)
		}
	default:
		for _, kind := range w.arguments {
			switch kind {
			case handKeys:
				values[kind] = m.tableAgain(kind, j.keys)
			case handArgv:
				values[kind] = m.tableAgain(kind, j.args)
			}
		}
	}
	m.state.Push(m.functionOf(j.body.proto))
	for _, kind := range w.arguments {
		m.state.Push(values[kind])
	}
	return len(w.arguments)
}

// pushFunction is push for a function of a library.
func (m *machine) pushFunction(r *run, j *job) (arguments int) {
	callback, mistake := m.functionIn(j.function, r)
	if mistake != "" {
		m.failed = mistake
		return -1
	}
	if m.hands.shown {
		m.showWords(lua.LNil, lua.LNil)
		m.hands.shown = false
	}
	m.state.Push(callback)
	m.state.Push(m.tableOf(j.keys))
	m.state.Push(m.tableOf(j.args))
	return 2
}

// showWords sets the globals KEYS and ARGV.
func (m *machine) showWords(keys, args lua.LValue) {
	m.behind.RawSetString("KEYS", keys)
	m.behind.RawSetString("ARGV", args)
	m.hands.shown = true
}

// functionOf is a script as a function. It has no variables that could outlive
// a run, and so it is made once.
func (m *machine) functionOf(proto *lua.FunctionProto) *lua.LFunction {
	if f := m.hands.made[proto]; f != nil {
		return f
	}
	if len(m.hands.made) >= functionsMax {
		clear(m.hands.made)
	}
	f := m.state.NewFunctionFromProto(proto)
	m.hands.made[proto] = f
	return f
}

// tableOf is a table of words.
func (m *machine) tableOf(words [][]byte) *lua.LTable {
	t := m.state.CreateTable(len(words), 0)
	for i, word := range words {
		t.RawSetInt(i+1, m.maker.of(unsafe.String(unsafe.SliceData(word), len(word))))
	}
	return t
}

// tableAgain is the same for a script that does not keep it.
func (m *machine) tableAgain(kind handed, words [][]byte) *lua.LTable {
	if len(words) > wordsKept {
		return m.tableOf(words)
	}
	t := &m.hands.tables[kind]
	for i, word := range words {
		t.RawSetInt(i+1, m.maker.of(unsafe.String(unsafe.SliceData(word), len(word))))
	}
	for i := len(words); i < t.words; i++ {
		t.RawSetInt(i+1, lua.LNil)
	}
	t.words = len(words)
	return t.LTable
}
