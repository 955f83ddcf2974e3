package script

import (
	lua "github.com/yuin/gopher-lua"
)

// The library cjson, Mark Pulford's lua-cjson 2.1 as Redis has it. What a
// script sets holds until it ends.

// jsonSettings are what cjson's functions of that name set.
type jsonSettings struct {
	sparseConvert           bool
	sparseRatio, sparseSafe int
	encodeDepth             int
	decodeDepth             int
	precision               int
	keepBuffer              bool
	encodeInvalid           int // 0: refused, 1: written, 2: written as null
	decodeInvalid           bool
}

var jsonDefaults = jsonSettings{sparseRatio: 2, sparseSafe: 10, encodeDepth: 1000, decodeDepth: 1000, precision: 14, keepBuffer: true, decodeInvalid: true}

func (m *machine) cjson() *lua.LTable {
	m.json = jsonDefaults
	m.null = m.state.NewUserData()
	meta := m.state.NewTable()
	meta.RawSetString("__tostring", m.state.NewFunction(func(l *lua.LState) int {
		l.Push(lua.LString("userdata: (nil)"))
		return 1
	}))
	m.null.Metatable = meta
	t := m.table(map[string]lua.LGFunction{
		"encode": m.jsonEncode, "decode": m.jsonDecode,
		"encode_sparse_array": func(l *lua.LState) int {
			s := &m.json
			n := settingBool(l, 1, &s.sparseConvert, 3)
			n += settingInt(l, 2, &s.sparseRatio, within{0, 1<<31 - 1})
			return n + settingInt(l, 3, &s.sparseSafe, within{0, 1<<31 - 1})
		},
		"encode_max_depth":        func(l *lua.LState) int { return settingInt1(l, &m.json.encodeDepth, within{1, 1<<31 - 1}) },
		"decode_max_depth":        func(l *lua.LState) int { return settingInt1(l, &m.json.decodeDepth, within{1, 1<<31 - 1}) },
		"encode_number_precision": func(l *lua.LState) int { return settingInt1(l, &m.json.precision, within{1, 14}) },
		"encode_keep_buffer":      func(l *lua.LState) int { return settingBool(l, 1, &m.json.keepBuffer, 1) },
		"decode_invalid_numbers":  func(l *lua.LState) int { return settingBool(l, 1, &m.json.decodeInvalid, 1) },
		"encode_invalid_numbers":  m.encodeInvalidNumbers,
		"new": func(l *lua.LState) int {
			l.Push(m.cjson())
			return 1
		},
	})
	t.RawSetString("null", m.null)
	t.RawSetString("_NAME", lua.LString("cjson"))
	t.RawSetString("_VERSION", lua.LString("2.1.0"))
	return t
}

// settingArgs checks that there are no more than most arguments.
func settingArgs(l *lua.LState, most int) {
	if l.GetTop() > most {
		l.ArgError(most+1, "found too many arguments")
	}
}

// within bounds a setting.
type within struct{ low, high int }

func settingInt1(l *lua.LState, setting *int, bounds within) int {
	settingArgs(l, 1)
	return settingInt(l, 1, setting, bounds)
}

func settingInt(l *lua.LState, at int, setting *int, bounds within) int {
	if l.Get(at) != lua.LNil {
		n := l.CheckInt(at)
		if n < bounds.low || n > bounds.high {
			l.ArgError(at, "expected integer between "+formatNumber(float64(bounds.low))+" and "+formatNumber(float64(bounds.high)))
		}
		*setting = n
	}
	l.Push(lua.LNumber(*setting))
	return 1
}

func settingBool(l *lua.LState, at int, setting *bool, most int) int {
	settingArgs(l, most)
	switch v := l.Get(at).(type) {
	case lua.LBool:
		*setting = bool(v)
	case lua.LString:
		if v != "on" && v != "off" {
			l.ArgError(at, "invalid option '"+string(v)+"'")
		}
		*setting = v == "on"
	case *lua.LNilType:
	default:
		l.ArgError(at, "string expected, got "+v.Type().String())
	}
	l.Push(lua.LBool(*setting))
	return 1
}

func (m *machine) encodeInvalidNumbers(l *lua.LState) int {
	settingArgs(l, 1)
	switch v := l.Get(1); {
	case v == lua.LTrue, v == lua.LString("on"):
		m.json.encodeInvalid = 1
	case v == lua.LFalse, v == lua.LString("off"):
		m.json.encodeInvalid = 0
	case v == lua.LString("null"):
		m.json.encodeInvalid = 2
	case v != lua.LNil:
		l.ArgError(1, "invalid option '"+text(v)+"'")
	}
	switch m.json.encodeInvalid {
	case 2:
		l.Push(lua.LString("null"))
	default:
		l.Push(lua.LBool(m.json.encodeInvalid == 1))
	}
	return 1
}
