package script

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

const errReadonly = "Attempt to modify a readonly table"

// furnish puts Redis's sandbox into the state. What scripts see of libraries
// and of globals are empty tables that show what lies behind them and can't be
// changed.
func (m *machine) furnish() {
	l := m.state
	for _, open := range []lua.LGFunction{lua.OpenBase, lua.OpenTable, lua.OpenString, lua.OpenMath, lua.OpenCoroutine} {
		l.Push(l.NewFunction(open))
		l.Call(0, 0)
	}
	from := l.G.Global
	m.behind = l.NewTable()
	m.globals = m.show(m.behind)
	l.Env = m.globals
	l.SetMetatable(m.behind, m.table(map[string]lua.LGFunction{"__index": func(l *lua.LState) int {
		raisef(l, "Script attempted to access nonexistent global variable '%s'", text(l.Get(2)))
		return 0
	}}))
	for _, name := range strings.Fields("assert rawequal select type") {
		m.behind.RawSetString(name, from.RawGetString(name))
	}
	m.fill(m.behind, m.basics())
	m.behind.RawSetString("_G", m.globals)
	m.behind.RawSetString("_VERSION", lua.LString("Lua 5.1"))
	m.furnishLibraries(from)
	m.globals.RawSetString(joinName, l.NewFunction(m.join))
	m.brief = l.NewFunction(briefly)
	m.readyHands(m.redis)
}

// furnishLibraries are the tables of functions.
func (m *machine) furnishLibraries(from *lua.LTable) {
	libraries := map[string]*lua.LTable{"cjson": m.cjson(), "cmsgpack": m.cmsgpack(), "struct": m.table(structFunctions(m)), "bit": m.table(bitFunctions())}
	for name, functions := range map[string]map[string]lua.LGFunction{"string": m.texts(), "table": m.tables(), "math": m.maths(), "coroutine": nil} {
		t := from.RawGetString(name).(*lua.LTable)
		m.fill(t, functions)
		libraries[name] = t
	}
	libraries["string"].RawSetString("dump", m.state.NewFunction(func(l *lua.LState) int {
		raisef(l, "unable to dump given function")
		return 0
	}))
	libraries["math"].RawSetString("huge", lua.LNumber(math.Inf(1)))
	m.wrapCoroutines(libraries["coroutine"])
	m.redis = m.redisTable()
	libraries["redis"] = m.redis
	m.registering = m.registeringTable()
	for name, t := range libraries {
		m.behind.RawSetString(name, m.show(t))
	}
	meta := m.state.NewTable()
	meta.RawSetString("__index", m.behind.RawGetString("string"))
	m.state.SetMetatable(lua.LString(""), meta)
}

// fill adds functions to a table.
func (m *machine) fill(t *lua.LTable, functions map[string]lua.LGFunction) {
	for name, f := range functions {
		t.RawSetString(name, m.state.NewFunction(f))
	}
}

func (m *machine) table(functions map[string]lua.LGFunction) *lua.LTable {
	t := m.state.NewTable()
	m.fill(t, functions)
	return t
}

// show is a table that shows another one and can't be changed.
func (m *machine) show(t *lua.LTable) *lua.LTable {
	shown, meta := m.state.NewTable(), m.state.NewTable()
	meta.RawSetString("__index", t)
	meta.RawSetString("__newindex", m.state.NewFunction(refuseChange))
	meta.RawSetString(behindName, t)
	m.state.SetMetatable(shown, meta)
	return shown
}

// behindName is where a table that is only shown has the one behind it.
const behindName = " behind"

func refuseChange(l *lua.LState) int {
	raisef(l, errReadonly)
	return 0
}

// shownBy is the table that a table shows; nil if it is one of its own.
func shownBy(t *lua.LTable) *lua.LTable {
	meta, ok := t.Metatable.(*lua.LTable)
	if !ok {
		return nil
	}
	behind, _ := meta.RawGetString(behindName).(*lua.LTable)
	return behind
}

// changeable is the table that a function is to change.
func changeable(l *lua.LState, at int) *lua.LTable {
	t := l.CheckTable(at)
	if shownBy(t) != nil {
		l.Error(lua.LString(errReadonly), 0)
	}
	return t
}

// text is a value in words, as tostring tells it without metatables.
func text(v lua.LValue) string {
	if n, ok := v.(lua.LNumber); ok {
		return formatNumber(float64(n))
	}
	return v.String()
}

// basics are the global functions that differ from those of the library.
func (m *machine) basics() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"pairs": func(l *lua.LState) int {
			t := l.CheckTable(1)
			l.Push(m.behind.RawGetString("next"))
			l.Push(t)
			l.Push(lua.LNil)
			return 3
		},
		"next": next, "ipairs": m.ipairs, "rawget": rawget, "rawset": rawset, "setmetatable": setMetatable,
		"getmetatable": m.getMetatable,
		"tostring":     toString, "tonumber": toNumber, "unpack": unpack, "error": raiseError, "pcall": m.protectedCall, "xpcall": m.handledCall, "load": m.load, "loadstring": m.loadString,
		"collectgarbage": func(l *lua.LState) int { l.Push(lua.LNumber(0)); return 1 },
		"gcinfo":         func(l *lua.LState) int { l.Push(lua.LNumber(0)); return 1 },
	}
}

func next(l *lua.LState) int {
	t := l.CheckTable(1)
	if behind := shownBy(t); behind != nil {
		t = behind
	}
	var key lua.LValue = lua.LNil
	if l.GetTop() >= 2 {
		key = l.Get(2)
	}
	key, value := t.Next(key)
	l.Push(key)
	if key == lua.LNil {
		return 1
	}
	l.Push(value)
	return 2
}

func (m *machine) ipairs(l *lua.LState) int {
	t := l.CheckTable(1)
	l.Push(l.NewFunction(func(l *lua.LState) int {
		t, i := l.CheckTable(1), l.CheckInt(2)+1
		if v := t.RawGetInt(i); v != lua.LNil {
			l.Push(lua.LNumber(i))
			l.Push(v)
			return 2
		}
		l.Push(lua.LNil)
		return 1
	}))
	l.Push(t)
	l.Push(lua.LNumber(0))
	return 3
}

func rawget(l *lua.LState) int {
	t := l.CheckTable(1)
	if behind := shownBy(t); behind != nil {
		t = behind
	}
	l.Push(t.RawGet(l.CheckAny(2)))
	return 1
}

func rawset(l *lua.LState) int {
	t := changeable(l, 1)
	key := l.CheckAny(2)
	if key == lua.LNil {
		raisef(l, "table index is nil")
	}
	t.RawSet(key, l.CheckAny(3))
	l.Push(t)
	return 1
}

func setMetatable(l *lua.LState) int {
	t := changeable(l, 1)
	meta := l.Get(2)
	if meta != lua.LNil && meta.Type() != lua.LTTable || l.GetTop() < 2 {
		l.ArgError(2, "nil or table expected")
	}
	if l.GetMetaField(t, "__metatable") != lua.LNil {
		raisef(l, "cannot change a protected metatable")
	}
	l.SetMetatable(t, meta)
	l.Push(t)
	return 1
}

// getMetatable shows the metatables of the sandbox without letting them be changed.
func (m *machine) getMetatable(l *lua.LState) int {
	v := l.CheckAny(1)
	if own := l.GetMetaField(v, "__metatable"); own != lua.LNil {
		l.Push(own)
		return 1
	}
	meta := l.GetMetatable(v)
	t, ok := meta.(*lua.LTable)
	if shared := ok && (v.Type() == lua.LTString || t.RawGetString(behindName) != lua.LNil); shared {
		meta = m.show(m.state.NewTable())
	}
	l.Push(meta)
	return 1
}

func toString(l *lua.LState) int {
	v := l.CheckAny(1)
	if n, ok := v.(lua.LNumber); ok {
		l.Push(lua.LString(formatNumber(float64(n))))
		return 1
	}
	l.Push(l.ToStringMeta(v))
	return 1
}

func unpack(l *lua.LState) int {
	t, from := l.CheckTable(1), l.OptInt(2, 1)
	to := l.OptInt(3, t.Len())
	if from > to {
		return 0
	}
	if n := to - from + 1; n <= 0 || n > unpackMax {
		raisef(l, "too many results to unpack")
	}
	for i := from; i <= to; i++ {
		l.Push(t.RawGetInt(i))
	}
	return to - from + 1
}

func toNumber(l *lua.LState) int {
	v := l.CheckAny(1)
	base := l.OptInt(2, 10)
	s, isText := v.(lua.LString)
	word := strings.Trim(string(s), " \t\n\v\f\r")
	result := lua.LValue(lua.LNil)
	switch {
	case base < 2 || base > 36:
		l.ArgError(2, "base out of range")
	case base != 10:
		if n, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(l.CheckString(1)), "0x"), base, 64); err == nil {
			result = lua.LNumber(n)
		}
	case v.Type() == lua.LTNumber:
		result = v
	case isText && word != "" && numberLength(word) == len(word):
		result = parseNumber(word)
	}
	l.Push(result)
	return 1
}

// thrown is the value of an error as pcall returns it.
func thrown(err error) lua.LValue {
	api, ok := err.(*lua.ApiError)
	if !ok {
		return lua.LString(err.Error())
	}
	switch v := api.Object.(type) {
	case lua.LString:
		return lua.LString(inLuasWords(string(v)))
	case *lua.LTable:
		if said, ok := v.RawGetString("err").(lua.LString); ok {
			return said
		}
	case nil:
		return lua.LString(err.Error())
	}
	return api.Object
}

// loadString is loadstring; the chunk sees the sandbox.
func (m *machine) loadString(l *lua.LState) int {
	source := l.CheckString(1)
	return m.pushChunk(l, source, l.OptString(2, source))
}

func (m *machine) load(l *lua.LState) int {
	reader, name := l.CheckFunction(1), l.OptString(2, "=(load)")
	var source strings.Builder
	for {
		l.Push(reader)
		l.Call(0, 1)
		part := l.Get(-1)
		l.Pop(1)
		piece, ok := part.(lua.LString)
		if part != lua.LNil && !ok {
			l.Push(lua.LNil)
			l.Push(lua.LString("reader function must return a string"))
			return 2
		}
		if piece == "" {
			return m.pushChunk(l, source.String(), name)
		}
		m.charge(l, source.Len()+len(piece))
		source.WriteString(string(piece))
	}
}

// compileSteps are the steps in which a byte is compiled.
const compileSteps = 8

// pushChunk compiles a text.
func (m *machine) pushChunk(l *lua.LState, source, name string) int {
	chunk := chunkName(name)
	m.charge(l, len(source)*16)
	m.labour(l, len(source)*compileSteps)
	proto, err := compile(source, chunk)
	if err != nil {
		l.Push(lua.LNil)
		l.Push(lua.LString(err.Error()))
		return 2
	}
	f := m.state.NewFunctionFromProto(proto)
	f.Env = m.globals
	l.Push(f)
	return 1
}

// chunkName is how a chunk is called in errors.
func chunkName(name string) string {
	if rest, ok := strings.CutPrefix(name, "="); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(name, "@"); ok {
		return rest
	}
	line, _, more := strings.Cut(name, "\n")
	if len(line) > 40 {
		line, more = line[:40], true
	}
	if more {
		line += "..."
	}
	return `[string "` + line + `"]`
}

// wrapCoroutines makes coroutines obey the machine too.
func (m *machine) wrapCoroutines(t *lua.LTable) {
	create := t.RawGetString("create").(*lua.LFunction)
	m.fill(t, map[string]lua.LGFunction{"create": func(l *lua.LState) int {
		l.CheckFunction(1)
		if create.GFunction(l) == 1 {
			made := l.Get(-1).(*lua.LState)
			made.SetContext(m)
			made.Panic = panicBriefly
		}
		m.charge(l, 1<<14)
		return 1
	}})
	wrapped, err := compile("local create, resume, check = ... return function(f) local co = create(f) return function(...) return check(resume(co, ...)) end end", "coroutine")
	if err != nil {
		panic(err)
	}
	m.state.Push(m.state.NewFunctionFromProto(wrapped))
	m.state.Push(t.RawGetString("create"))
	m.state.Push(t.RawGetString("resume"))
	m.state.Push(m.state.NewFunction(func(l *lua.LState) int {
		if l.ToBool(1) {
			return l.GetTop() - 1
		}
		l.Error(l.Get(2), 0)
		return 0
	}))
	m.state.Call(3, 1)
	t.RawSetString("wrap", m.state.Get(-1))
	m.state.Pop(1)
}
