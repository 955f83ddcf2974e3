package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// formatNumber is a number as Lua writes it: "%.14g".
func formatNumber(f float64) string { return formatG(f, 14) }

// formatG is C's "%.*g".
func formatG(f float64, digits int) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f) && math.Signbit(f):
		return "-nan"
	case math.IsNaN(f):
		return "nan"
	}
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// join is what a .. b .. c calls.
func (m *machine) join(l *lua.LState) int {
	n := l.GetTop()
	for at := n; at > 0; {
		from := at
		size := 0
		for from > 0 && isText(l.Get(from)) {
			if s, ok := l.Get(from).(lua.LString); ok {
				size += len(s)
			}
			from--
		}
		if at-from >= 2 || at-from == 1 && n == 1 {
			m.charge(l, size)
			var b strings.Builder
			b.Grow(size + 8)
			for i := from + 1; i <= at; i++ {
				b.WriteString(text(l.Get(i)))
			}
			l.SetTop(from)
			l.Push(lua.LString(b.String()))
			at = from + 1
			if at == 1 {
				return 1
			}
		}
		m.joinByMetatable(l, at)
		at--
		if at == 1 {
			return 1
		}
	}
	return 1
}

// joinByMetatable joins the two last operands, of which one is no text.
func (m *machine) joinByMetatable(l *lua.LState, at int) {
	a, b := l.Get(at-1), l.Get(at)
	f := l.GetMetaField(a, "__concat")
	if f == lua.LNil {
		f = l.GetMetaField(b, "__concat")
	}
	if f == lua.LNil {
		if isText(a) {
			a = b
		}
		raisef(l, "attempt to concatenate a %s value", a.Type().String())
	}
	l.SetTop(at - 2)
	l.Push(f)
	l.Push(a)
	l.Push(b)
	l.Call(2, 1)
}

func isText(v lua.LValue) bool {
	switch v.(type) {
	case lua.LString, lua.LNumber:
		return true
	}
	return false
}

// texts are the functions of string that differ from those of the library.
func (m *machine) texts() map[string]lua.LGFunction {
	lib := m.state.G.Global.RawGetString("string").(*lua.LTable)
	original := func(name string) lua.LGFunction { return lib.RawGetString(name).(*lua.LFunction).GFunction }
	byteOf := original("byte")
	return map[string]lua.LGFunction{
		"rep": m.repeat, "format": m.format,
		"lower":   m.mapped(lowerASCII),
		"upper":   m.mapped(upperASCII),
		"reverse": m.mapped(reversed),
		"find":    m.matching(m.find), "match": m.matching(m.match), "gsub": m.matching(m.replace),
		"gmatch": m.matching(m.eachMatch), "gfind": m.matching(m.eachMatch),
		"byte": func(l *lua.LState) int {
			m.labour(l, len(l.CheckString(1))/8)
			return byteOf(l)
		},
	}
}

func (m *machine) mapped(change func([]byte)) lua.LGFunction {
	return func(l *lua.LState) int {
		s := l.CheckString(1)
		m.charge(l, len(s))
		b := []byte(s)
		change(b)
		l.Push(lua.LString(b))
		return 1
	}
}

func lowerASCII(b []byte) {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
}

func upperASCII(b []byte) {
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
}

func reversed(b []byte) {
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
}

func (m *machine) repeat(l *lua.LState) int {
	s, n := l.CheckString(1), l.CheckInt(2)
	if n <= 0 || s == "" {
		l.Push(lua.LString(""))
		return 1
	}
	if n > textMax/len(s) {
		m.charge(l, textMax+1)
	}
	m.charge(l, n*len(s))
	l.Push(lua.LString(strings.Repeat(s, n)))
	return 1
}

// format is string.format, C's printf.
func (m *machine) format(l *lua.LState) int {
	layout := l.CheckString(1)
	var out strings.Builder
	arg := 1
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' {
			out.WriteByte(layout[i])
			continue
		}
		i++
		if i < len(layout) && layout[i] == '%' {
			out.WriteByte('%')
			continue
		}
		if arg++; arg > l.GetTop() {
			l.ArgError(arg, "no value")
		}
		start := i
		if i = verbOf(l, layout, start); i >= len(layout) {
			raisef(l, "invalid option '%%' to 'format'")
		}
		before := out.Len()
		m.formatOne(l, &out, arg, layout[start:i+1])
		if out.Len()-before >= textLight { // padded, it may be
			m.charge(l, out.Len())
		}
	}
	l.Push(lua.LString(out.String()))
	return 1
}

// verbOf is the place of the verb of the conversion that begins there: behind flags,
// two digits of width and two of precision at most.
func verbOf(l *lua.LState, layout string, start int) int {
	i := start
	skip := func(set string, most int) {
		for ; most > 0 && i < len(layout) && strings.IndexByte(set, layout[i]) >= 0; most-- {
			i++
		}
	}
	skip("-+ #0", len(layout))
	if i-start > len("-+ #0") {
		raisef(l, "invalid format (repeated flags)")
	}
	const digits = "0123456789"
	skip(digits, 2)
	if i < len(layout) && layout[i] == '.' {
		i++
		skip(digits, 2)
	}
	if i < len(layout) && strings.IndexByte(digits, layout[i]) >= 0 {
		raisef(l, "invalid format (width or precision too long)")
	}
	return i
}

// formatOne formats one argument, as the conversion says: flags and a verb.
func (m *machine) formatOne(l *lua.LState, out *strings.Builder, arg int, conversion string) {
	last := len(conversion) - 1
	flags, verb := conversion[:last], conversion[last]
	switch verb {
	case 'c':
		fmt.Fprintf(out, "%"+flags+"s", string([]byte{byte(int64(l.CheckNumber(arg)))}))
	case 'd', 'i':
		fmt.Fprintf(out, "%"+flags+"d", int64(l.CheckNumber(arg)))
	case 'u':
		fmt.Fprintf(out, "%"+flags+"d", uint64(int64(l.CheckNumber(arg))))
	case 'o', 'x', 'X':
		fmt.Fprintf(out, "%"+flags+string(verb), uint64(int64(l.CheckNumber(arg))))
	case 'e', 'E', 'f', 'g', 'G':
		f := float64(l.CheckNumber(arg))
		if math.IsInf(f, 0) || math.IsNaN(f) {
			flags, _, _ = strings.Cut(strings.ReplaceAll(flags, "0", ""), ".")
			fmt.Fprintf(out, "%"+flags+"s", formatG(f, 1))
			return
		}
		if !strings.Contains(flags, ".") {
			flags += ".6"
		}
		fmt.Fprintf(out, "%"+flags+string(verb), f)
	case 'q':
		quote(out, l.CheckString(arg))
	case 's':
		s := l.CheckString(arg)
		if n, ok := l.Get(arg).(lua.LNumber); ok {
			s = formatNumber(float64(n))
		}
		m.charge(l, out.Len()+len(s))
		if flags == "" {
			out.WriteString(s)
		} else {
			fmt.Fprintf(out, "%"+flags+"s", s)
		}
	default:
		raisef(l, "invalid option '%%%s' to 'format'", string([]byte{verb}))
	}
}

// quote writes a text as Lua can read it back.
func quote(out *strings.Builder, s string) {
	out.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\', '\n':
			out.WriteByte('\\')
			out.WriteByte(c)
		case '\r':
			out.WriteString(`\r`)
		case 0:
			out.WriteString(`\000`)
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
}

// tables are the functions of table that differ from those of the library.
func (m *machine) tables() map[string]lua.LGFunction {
	lib := m.state.G.Global.RawGetString("table").(*lua.LTable)
	guarded := func(name string, steps int) lua.LGFunction {
		f := lib.RawGetString(name).(*lua.LFunction).GFunction
		return func(l *lua.LState) int {
			m.labour(l, changeable(l, 1).Len()*steps/64)
			return f(l)
		}
	}
	return map[string]lua.LGFunction{
		"insert": guarded("insert", 1), "remove": guarded("remove", 1), "sort": guarded("sort", 512),
		"concat": m.concat, "foreach": foreach, "foreachi": foreachI,
		"setn": func(l *lua.LState) int { raisef(l, "'setn' is obsolete"); return 0 },
	}
}

func (m *machine) concat(l *lua.LState) int {
	t, sep, from := l.CheckTable(1), l.OptString(2, ""), l.OptInt(3, 1)
	to := l.OptInt(4, t.Len())
	size := 0
	for i := from; i <= to; i++ {
		v := t.RawGetInt(i)
		if !isText(v) {
			raisef(l, "invalid value (%s) at index %d in table for 'concat'", v.Type().String(), i)
		}
		size += len(sep) + 8
		if s, ok := v.(lua.LString); ok {
			size += len(s)
		}
	}
	m.charge(l, size)
	var b strings.Builder
	for i := from; i <= to; i++ {
		if i > from {
			b.WriteString(sep)
		}
		b.WriteString(text(t.RawGetInt(i)))
	}
	l.Push(lua.LString(b.String()))
	return 1
}

func foreach(l *lua.LState) int {
	t, f := l.CheckTable(1), l.CheckFunction(2)
	if behind := shownBy(t); behind != nil {
		t = behind
	}
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if callEach(l, f, k, v) {
			return 1
		}
	}
	return 0
}

func foreachI(l *lua.LState) int {
	t, f := l.CheckTable(1), l.CheckFunction(2)
	for i := 1; i <= t.Len(); i++ {
		if callEach(l, f, lua.LNumber(i), t.RawGetInt(i)) {
			return 1
		}
	}
	return 0
}

// callEach calls f and leaves on the stack what ends the walk.
func callEach(l *lua.LState, f *lua.LFunction, k, v lua.LValue) (ends bool) {
	l.Push(f)
	l.Push(k)
	l.Push(v)
	l.Call(2, 1)
	if l.Get(-1) != lua.LNil {
		return true
	}
	l.Pop(1)
	return false
}
