package script

import (
	"strings"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// A text in Lua is an interface that points to a string that points to bytes:
// two allocations. Short texts of a machine, which are mostly gone when the
// script is, are made many out of one piece instead, which lives as long as any
// of them.

const (
	textPiece  = 4096 // bytes
	textHeads  = 128  // strings
	textInside = 256  // bytes: a longer text is made by itself
)

// textMaker makes texts.
type textMaker struct {
	bytes []byte
	heads []lua.LString
}

var aText lua.LValue = lua.LString("")

// of is a text with a copy of these bytes.
func (t *textMaker) of(b string) lua.LValue {
	if len(b) == 0 || len(b) > textInside {
		return lua.LString(strings.Clone(b))
	}
	if len(t.bytes)+len(b) > cap(t.bytes) {
		t.bytes = make([]byte, 0, textPiece)
	}
	start := len(t.bytes)
	t.bytes = append(t.bytes, b...)
	if len(t.heads) == cap(t.heads) {
		t.heads = make([]lua.LString, 0, textHeads)
	}
	t.heads = append(t.heads, lua.LString(unsafe.String(&t.bytes[start], len(b))))
	return inInterface(&t.heads[len(t.heads)-1])
}

// inInterface is the text as an interface that points to it, where Go's own
// conversion would allocate.
func inInterface(s *lua.LString) lua.LValue {
	v := aText
	(*struct{ of, at unsafe.Pointer })(unsafe.Pointer(&v)).at = unsafe.Pointer(s)
	return v
}
