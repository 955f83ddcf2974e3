package script

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"
)

func (m *machine) jsonEncode(l *lua.LState) int {
	if l.GetTop() != 1 {
		l.ArgError(1, "expected 1 argument")
	}
	e := jsonEncoder{machine: m, state: l}
	e.value(l.Get(1), 0)
	l.Push(lua.LString(e.out))
	return 1
}

type jsonEncoder struct {
	*machine
	state *lua.LState
	out   []byte
	next  int // length at which the text is weighed again
}

func (e *jsonEncoder) refuse(v lua.LValue, why string) {
	raisef(e.state, "Cannot serialise %s: %s", v.Type().String(), why)
}

func (e *jsonEncoder) value(v lua.LValue, depth int) {
	if len(e.out) >= e.next {
		e.charge(e.state, len(e.out))
		e.next = max(2*len(e.out), textLight)
	}
	switch v := v.(type) {
	case lua.LString:
		e.text(string(v))
	case lua.LNumber:
		e.number(float64(v), v)
	case lua.LBool:
		e.out = fmt.Append(e.out, bool(v))
	case *lua.LTable:
		e.table(v, depth+1)
	case *lua.LNilType:
		e.out = append(e.out, "null"...)
	case *lua.LUserData:
		if v != e.null {
			e.refuse(v, "type not supported")
		}
		e.out = append(e.out, "null"...)
	default:
		e.refuse(v, "type not supported")
	}
}

func (e *jsonEncoder) number(f float64, v lua.LValue) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		switch e.json.encodeInvalid {
		case 0:
			e.refuse(v, "must not be NaN or Inf")
		case 2:
			e.out = append(e.out, "null"...)
			return
		}
		if math.IsNaN(f) {
			e.out = append(e.out, "nan"...)
			return
		}
	}
	e.out = append(e.out, formatG(f, e.json.precision)...)
}

// jsonEscapes are the characters that are not written as they are.
var jsonEscapes = func() (all [256]string) {
	for c := range 32 {
		all[c] = fmt.Sprintf(`\u%04x`, c)
	}
	for c, s := range map[byte]string{'"': `\"`, '\\': `\\`, '/': `\/`, 127: `\u007f`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`} {
		all[c] = s
	}
	return all
}()

func (e *jsonEncoder) text(s string) {
	e.charge(e.state, len(s))
	e.out = append(e.out, '"')
	for i := 0; i < len(s); i++ {
		if escaped := jsonEscapes[s[i]]; escaped != "" {
			e.out = append(e.out, escaped...)
		} else {
			e.out = append(e.out, s[i])
		}
	}
	e.out = append(e.out, '"')
}

func (e *jsonEncoder) table(t *lua.LTable, depth int) {
	if depth > e.json.encodeDepth {
		raisef(e.state, "Cannot serialise, excessive nesting (%d)", depth)
	}
	if behind := shownBy(t); behind != nil {
		t = behind
	}
	if n := e.arrayLength(t); n > 0 {
		e.array(t, n, depth)
		return
	}
	e.object(t, depth)
}

// arrayLength is how many elements a table has that is an array, 0 for one that
// is none.
func (e *jsonEncoder) arrayLength(t *lua.LTable) (highest int) {
	items := 0
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		n, ok := k.(lua.LNumber)
		if !ok || n <= 0 || float64(n) != math.Floor(float64(n)) || n > math.MaxInt32 {
			return 0
		}
		highest = max(highest, int(n))
		items++
	}
	s := &e.json
	if s.sparseRatio > 0 && highest > items*s.sparseRatio && highest > s.sparseSafe {
		if !s.sparseConvert {
			e.refuse(t, "excessively sparse array")
		}
		return 0
	}
	return highest
}

func (e *jsonEncoder) array(t *lua.LTable, n, depth int) {
	e.out = append(e.out, '[')
	for i := 1; i <= n; i++ {
		if i > 1 {
			e.out = append(e.out, ',')
		}
		e.value(t.RawGetInt(i), depth)
	}
	e.out = append(e.out, ']')
}

func (e *jsonEncoder) object(t *lua.LTable, depth int) {
	e.out = append(e.out, '{')
	first := true
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if !first {
			e.out = append(e.out, ',')
		}
		first = false
		switch k := k.(type) {
		case lua.LString:
			e.text(string(k))
		case lua.LNumber:
			e.out = append(e.out, '"')
			e.number(float64(k), k)
			e.out = append(e.out, '"')
		default:
			e.refuse(k, "table key must be a number or string")
		}
		e.out = append(e.out, ':')
		e.value(v, depth)
	}
	e.out = append(e.out, '}')
}
