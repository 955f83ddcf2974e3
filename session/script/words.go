package script

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// luasWords are what the Lua state says otherwise than Lua 5.1.
var luasWords = []struct {
	said *regexp.Regexp
	word string
}{
	{regexp.MustCompile(`(?s)attempt to index a non-table object\((\S+)\) with key '.*'`), "attempt to index a $1 value"},
	{regexp.MustCompile(`cannot perform (?:add|sub|mul|div|mod|pow) operation between number and (\S+)`), "attempt to perform arithmetic on a $1 value"},
	{regexp.MustCompile(`cannot perform (?:add|sub|mul|div|mod|pow) operation between string and number`), "attempt to perform arithmetic on a string value"},
	{regexp.MustCompile(`cannot perform (?:add|sub|mul|div|mod|pow) operation between string and (\S+)`), "attempt to perform arithmetic on a $1 value"},
	{regexp.MustCompile(`cannot perform (?:add|sub|mul|div|mod|pow) operation between (\S+) and \S+`), "attempt to perform arithmetic on a $1 value"},
	{regexp.MustCompile(`__unm undefined`), "attempt to perform arithmetic on a nil value"},
	{regexp.MustCompile(`__len undefined`), "attempt to get length of a nil value"},
	{regexp.MustCompile(`^lua callstack overflow$|registry overflow`), "stack overflow"},
	{regexp.MustCompile(`attempt to call a non-function object`), "attempt to call a nil value"},
	{regexp.MustCompile(`bad argument #(\d+) to (\w+) \(`), "bad argument #$1 to '$2' ("},
}

// inLuasWords words an error as Lua does.
func inLuasWords(said string) string {
	if !strings.Contains(said, "attempt to") && !strings.Contains(said, "bad argument") && !strings.Contains(said, "perform") && !strings.Contains(said, "undefined") && !strings.Contains(said, "overflow") {
		return said
	}
	for _, w := range luasWords {
		said = w.said.ReplaceAllString(said, w.word)
	}
	return said
}

// where is the place in the script of the function at a level of the stack: "" for
// one that is not Lua's.
func where(l *lua.LState, level int) string {
	frame, ok := l.GetStack(level)
	if !ok {
		return ""
	}
	if _, err := l.GetInfo("Sl", frame, lua.LNil); err != nil || frame.CurrentLine <= 0 {
		return ""
	}
	return frame.Source + ":" + strconv.Itoa(frame.CurrentLine) + ": "
}

// raisef raises an error in a function of ours; it does not return.
func raisef(l *lua.LState, format string, args ...any) {
	l.Error(lua.LString(where(l, 1)+fmt.Sprintf(format, args...)), 0)
}

// raiseError is error.
func raiseError(l *lua.LState) int {
	v := lua.LValue(lua.LNil)
	if l.GetTop() > 0 {
		v = l.Get(1)
	}
	level := l.OptInt(2, 1)
	if isText(v) && level > 0 {
		v = lua.LString(where(l, level) + text(v))
	}
	l.Error(v, 0)
	return 0
}
