package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Errors that are caught. The library traces the whole stack for each, and counts
// the calls that took the place of their caller (return f()) one by one: after
// some seconds of these that takes more time and memory than there is. Only the
// place of the error is wanted of it, and an error that has a trace already gets
// no other; so each is given a short one.

// traceMost is how many frames are looked at for the place of an error.
const traceMost = 20

// panicBriefly is what the library calls for an error that lies on the stack.
func panicBriefly(l *lua.LState) {
	trace := "stack traceback:"
	for level := range traceMost {
		if _, found := l.GetStack(level); !found {
			break
		}
		if where := l.Where(level); where != "" && !strings.HasPrefix(where, "[G]") {
			trace += "\n\t" + where + " in ?"
			break
		}
	}
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: l.Get(-1), StackTrace: trace})
}

// briefly calls a function whose errors are traced briefly. Without it they are
// from the machine's first look around on, which comes soon enough, but for
// coroutines.
func briefly(l *lua.LState) int {
	l.Panic = panicBriefly
	l.Call(l.GetTop()-1, lua.MultRet)
	return l.GetTop()
}

// protectedCall is pcall. An error that is a table of Redis's is its text.
func (m *machine) protectedCall(l *lua.LState) int {
	f := l.CheckAny(1)
	if f.Type() != lua.LTFunction && l.GetMetaField(f, "__call").Type() != lua.LTFunction {
		l.Push(lua.LFalse)
		l.Push(lua.LString("attempt to call a " + f.Type().String() + " value"))
		return 2
	}
	if l != m.state {
		l.Insert(m.brief, 1)
	}
	err := l.PCall(l.GetTop()-1, lua.MultRet, nil)
	if err == nil {
		l.Insert(lua.LTrue, 1)
		return l.GetTop()
	}
	l.Push(lua.LFalse)
	l.Push(thrown(err))
	return 2
}

// handledCall is xpcall. The handler is called where xpcall is, as there is
// nothing in the sandbox by which it could look at the place of the error.
func (m *machine) handledCall(l *lua.LState) int {
	f, handler := l.CheckAny(1), l.CheckFunction(2)
	l.SetTop(0)
	l.Push(m.brief)
	l.Push(f)
	err := l.PCall(1, lua.MultRet, nil)
	if err == nil {
		l.Insert(lua.LTrue, 1)
		return l.GetTop()
	}
	l.Push(m.brief)
	l.Push(handler)
	l.Push(thrown(err))
	if err = l.PCall(2, 1, nil); err != nil {
		l.Push(thrown(err))
	}
	l.Insert(lua.LFalse, 1)
	return 2
}
