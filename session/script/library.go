package script

import (
	"slices"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
	lua "github.com/yuin/gopher-lua"
)

// library is a library of functions. It is never changed: FUNCTION LOAD REPLACE
// puts another one in its place.
type library struct {
	name, code string
	proto      *lua.FunctionProto
	functions  []*function
}

// function is a function that FCALL can call.
type function struct {
	library           *library
	name, description string
	described         bool
	flags             flags
	reach             reach
}

// loadedLibrary is a library as one machine has loaded it: its functions there.
// What a library keeps in variables of its own, each machine has for itself.
type loadedLibrary struct {
	library   *library
	functions map[string]*lua.LFunction
}

// registration is a library that is being loaded.
type registration struct {
	library *library
	found   map[string]*lua.LFunction
}

// loadTimeout is how long a library may take to load.
const loadTimeout = 500 * time.Millisecond

const badName = "Library names can only contain letters, numbers, or underscores(_) and must be at least one character long"

func goodName(name string) bool {
	for _, c := range []byte(name) {
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return name != ""
}

// newLibrary reads a library's first line, compiles the rest, and runs it once to
// see which functions it has.
func (e *Engine) newLibrary(code string, known func(name string) bool) (lib *library, mistake string) {
	line, rest, ok := strings.Cut(code, "\n")
	if !strings.HasPrefix(code, "#!") {
		return nil, "Missing library metadata"
	}
	if !ok {
		return nil, "Invalid library metadata"
	}
	lib = &library{code: code}
	words := strings.Fields(line)
	for _, word := range words[1:] {
		name, isName := strings.CutPrefix(word, "name=")
		switch {
		case !isName:
			return nil, "Invalid metadata value given: " + word
		case lib.name != "":
			return nil, "Invalid metadata value, name argument was given multiple times"
		}
		lib.name = name
	}
	switch engine := words[0][2:]; {
	case lib.name == "":
		return nil, "Library name was not given"
	case !goodName(lib.name):
		return nil, badName
	case !strings.EqualFold(engine, "lua"):
		return nil, "Engine '" + engine + "' not found"
	case known(lib.name):
		return nil, "Library '" + lib.name + "' already exists"
	}
	proto, err := compile("\n"+rest, functionChunk)
	if err != nil {
		return nil, "Error compiling function: " + err.Error()
	}
	lib.proto = proto
	m := e.take()
	defer e.give(m)
	found, mistake := m.register(lib, &run{engine: e, machine: m, start: time.Now(), loading: true})
	switch {
	case mistake != "":
		return nil, "Error registering functions: " + mistake
	case len(found) == 0:
		return nil, "No functions registered"
	}
	m.loaded[lib.name] = &loadedLibrary{lib, found}
	return lib, ""
}

// register runs a library's code in the machine.
func (m *machine) register(lib *library, r *run) (found map[string]*lua.LFunction, mistake string) {
	m.begin(r)
	m.loading = &registration{library: lib, found: map[string]*lua.LFunction{}}
	all := m.behind.RawGetString("redis")
	m.behind.RawSetString("redis", m.registering)
	defer func() {
		m.loading = nil
		m.behind.RawSetString("redis", all)
	}()
	fresh := len(lib.functions) == 0
	m.state.Push(m.state.NewFunctionFromProto(lib.proto))
	err := m.state.PCall(0, 0, nil)
	if m.stop != nil {
		m.state.SetTop(0)
		return nil, "ERR " + m.stop.Error()
	}
	if err == nil {
		return m.loading.found, ""
	}
	if fresh {
		lib.functions = nil
	}
	said, _, _ := uncaught(err)
	return nil, said
}

// functionIn is a function in the machine, where its library may have to be loaded
// first.
func (m *machine) functionIn(f *function, r *run) (*lua.LFunction, string) {
	have := m.loaded[f.library.name]
	if have == nil || have.library != f.library {
		found, mistake := m.register(f.library, r)
		if mistake != "" {
			return nil, "ERR Error registering functions: " + mistake
		}
		have = &loadedLibrary{f.library, found}
		m.loaded[f.library.name] = have
	}
	if have.functions[f.name] == nil {
		return nil, "ERR Function not found"
	}
	return have.functions[f.name], ""
}

// registeringTable is the table redis while a library is loaded.
func (m *machine) registeringTable() *lua.LTable {
	t := m.table(map[string]lua.LGFunction{"register_function": m.registerFunction, "log": m.log})
	constants(t)
	shown := m.show(t)
	m.state.SetMetatable(t, m.table(map[string]lua.LGFunction{"__index": func(l *lua.LState) int {
		raisef(l, "Script attempted to access nonexistent global variable '%s'", text(l.Get(2)))
		return 0
	}}))
	return shown
}

func (m *machine) registerFunction(l *lua.LState) int {
	if m.loading == nil {
		return raise(l, "redis.register_function can only be called on FUNCTION LOAD command")
	}
	f := &function{library: m.loading.library}
	var callback *lua.LFunction
	switch l.GetTop() {
	case 1:
		t, ok := l.Get(1).(*lua.LTable)
		if !ok {
			return raise(l, "calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).")
		}
		callback = f.named(l, t)
	case 2:
		name, isText := luaText(l.Get(1))
		if !isText {
			return raise(l, "first argument to redis.register_function must be a string")
		}
		f.name = name
		var ok bool
		if callback, ok = l.Get(2).(*lua.LFunction); !ok {
			return raise(l, "second argument to redis.register_function must be a function")
		}
	default:
		return raise(l, "wrong number of arguments to redis.register_function")
	}
	return m.registered(l, f, callback)
}

func (m *machine) registered(l *lua.LState, f *function, callback *lua.LFunction) int {
	if !goodName(f.name) {
		return raise(l, badName)
	}
	if m.loading.found[f.name] != nil {
		return raise(l, "Function already exists in the library")
	}
	m.loading.found[f.name] = callback
	lib := m.loading.library
	if !slices.ContainsFunc(lib.functions, func(have *function) bool { return have.name == f.name }) && m.run.loading {
		lib.functions = append(lib.functions, f)
	}
	return 0
}

// named reads the arguments of register_function from a table.
func (f *function) named(l *lua.LState, t *lua.LTable) (callback *lua.LFunction) {
	named := false
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		key, ok := k.(lua.LString)
		if !ok {
			raise(l, "named argument key given to redis.register_function is not a string")
		}
		var good bool
		switch key {
		case "function_name":
			f.name, good = luaText(v)
			named = true
		case "description":
			f.description, good = luaText(v)
			f.described = true
		case "callback":
			if callback, good = v.(*lua.LFunction); !good {
				raise(l, "callback argument given to redis.register_function must be a function")
			}
		case "flags":
			flags, isTable := v.(*lua.LTable)
			if !isTable {
				raise(l, "flags argument to redis.register_function must be a table representing function flags")
			}
			good = f.flagged(l, flags)
		default:
			raise(l, "unknown argument given to redis.register_function")
		}
		if !good {
			raise(l, string(key)+" argument given to redis.register_function must be a string")
		}
	}
	switch {
	case !named:
		raise(l, "redis.register_function must get a function name argument")
	case callback == nil:
		raise(l, "redis.register_function must get a callback argument")
	}
	return callback
}

func luaText(v lua.LValue) (string, bool) {
	return textOrNothing(v), isText(v)
}

func (f *function) flagged(l *lua.LState, t *lua.LTable) bool {
	for i := 1; t.RawGetInt(i) != lua.LNil; i++ {
		name, _ := t.RawGetInt(i).(lua.LString)
		flag, known := flagOf(string(name))
		if !known {
			raise(l, "unknown flag given")
		}
		f.flags |= flag
	}
	return true
}

// add adds libraries to those that are there; the names in replaced may be taken.
func (e *Engine) add(libraries []*library, flush, replace bool) (mistake resp.Reply) {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := map[string]*library{}
	if !flush {
		for name, lib := range e.libraries {
			all[name] = lib
		}
	}
	for _, lib := range libraries {
		if all[lib.name] != nil && !replace {
			return resp.Error("ERR Library " + lib.name + " already exists")
		}
		all[lib.name] = lib
	}
	functions := map[string]*function{}
	for _, lib := range all {
		for _, f := range lib.functions {
			if functions[f.name] != nil {
				return resp.Error("ERR Function " + f.name + " already exists")
			}
			functions[f.name] = f
		}
	}
	e.libraries, e.functions = all, functions
	return resp.Nothing
}
