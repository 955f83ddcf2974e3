package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The functions of string that look for patterns.

// matcher takes a text and a pattern from the stack. A pattern ends where a text
// of C does.
func (m *machine) matcher(l *lua.LState) *matcher {
	pattern, _, _ := strings.Cut(l.CheckString(2), "\x00")
	return &matcher{machine: m, state: l, src: l.CheckString(1), pat: pattern}
}

// patternLetters are those that mean something in a pattern.
const patternLetters = "^$*+?.([%-"

// find is string.find, match string.match.
func (m *machine) find(l *lua.LState) int {
	t := m.matcher(l)
	start := startOf(l, 3, len(t.src))
	if l.ToBool(4) || !strings.ContainsAny(t.pat, patternLetters) {
		m.labour(l, (len(t.src)-start)/64)
		words := l.CheckString(2)
		at := strings.Index(t.src[start:], words)
		if at < 0 {
			l.Push(lua.LNil)
			return 1
		}
		l.Push(lua.LNumber(start + at + 1))
		l.Push(lua.LNumber(start + at + len(words)))
		return 2
	}
	s, e := t.first(start)
	if e < 0 {
		l.Push(lua.LNil)
		return 1
	}
	l.Push(lua.LNumber(s + 1))
	l.Push(lua.LNumber(e))
	return 2 + t.push(s, e, false)
}

func (m *machine) match(l *lua.LState) int {
	t := m.matcher(l)
	s, e := t.first(startOf(l, 3, len(t.src)))
	if e < 0 {
		l.Push(lua.LNil)
		return 1
	}
	return t.push(s, e, true)
}

// first is the first match from a place on; its end is -1 if there is none.
func (t *matcher) first(s int) (start, end int) {
	if strings.HasPrefix(t.pat, "^") {
		return s, t.at(s, 1)
	}
	for ; s <= len(t.src); s++ {
		if e := t.at(s, 0); e >= 0 {
			return s, e
		}
	}
	return s, -1
}

// eachMatch is string.gmatch.
func (m *machine) eachMatch(l *lua.LState) int {
	t, at := m.matcher(l), 0
	l.Push(l.NewFunction(func(l *lua.LState) int {
		t.state = l
		for s := at; s <= len(t.src); s++ {
			if e := t.at(s, 0); e >= 0 {
				if at = e; e == s {
					at++
				}
				return t.push(s, e, true)
			}
		}
		at = len(t.src) + 1
		return 0
	}))
	return 1
}

// chargeStep is how much of a text is made before the machine is asked.
const chargeStep = 64 << 10

// replace is string.gsub.
func (m *machine) replace(l *lua.LState) int {
	t := m.matcher(l)
	by := l.Get(3)
	switch by.Type() {
	case lua.LTString, lua.LTNumber, lua.LTTable, lua.LTFunction:
	default:
		l.ArgError(3, "string/function/table expected")
	}
	most := l.OptInt(4, len(t.src)+1)
	p, anchored := 0, strings.HasPrefix(t.pat, "^")
	if anchored {
		p = 1
	}
	var made strings.Builder
	s, count := 0, 0
	for count < most {
		e := t.at(s, p)
		if e >= 0 {
			count++
			t.addReplacement(&made, by, s, e)
		}
		if e > s {
			s = e
		} else if s < len(t.src) {
			made.WriteByte(t.src[s])
			s++
		} else {
			break
		}
		if anchored {
			break
		}
	}
	t.add(&made, t.src[s:])
	l.Push(lua.LString(made.String()))
	l.Push(lua.LNumber(count))
	return 2
}

// add adds to a text, if the machine allows as much.
func (t *matcher) add(made *strings.Builder, s string) {
	if grown := made.Len() + len(s) - t.charged; grown > chargeStep {
		t.machine.charge(t.state, grown)
		t.charged += grown
	}
	made.WriteString(s)
}

// addReplacement adds what comes in the place of a match.
func (t *matcher) addReplacement(made *strings.Builder, by lua.LValue, s, e int) {
	l := t.state
	var value lua.LValue
	switch by := by.(type) {
	case *lua.LTable:
		value = l.GetTable(by, t.capture(0, s, e))
	case *lua.LFunction:
		level, captures := t.level, t.captures
		l.Push(by)
		l.Call(t.push(s, e, true), 1)
		value = l.Get(-1)
		l.Pop(1)
		t.level, t.captures = level, captures
	default:
		t.fillIn(made, text(by), s, e)
		return
	}
	switch {
	case value == lua.LNil, value == lua.LFalse:
		t.add(made, t.src[s:e])
	case isText(value):
		t.add(made, text(value))
	default:
		raisef(l, "invalid replacement value (a %s)", value.Type().String())
	}
}

// fillIn adds a text with the captures that it names.
func (t *matcher) fillIn(made *strings.Builder, by string, s, e int) {
	for i := 0; i < len(by); i++ {
		if by[i] != '%' {
			made.WriteByte(by[i])
			continue
		}
		if i++; i == len(by) {
			made.WriteByte(0) // which ends the text in C
			break
		}
		switch c := by[i]; {
		case !isDigit(c):
			made.WriteByte(c)
		case c == '0':
			t.add(made, t.src[s:e])
		default:
			t.add(made, text(t.capture(int(c-'1'), s, e)))
		}
	}
}
