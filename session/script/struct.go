package script

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The library struct, Roberto Ierusalimschy's 0.2 as Redis has it: C structures
// as texts.

func structFunctions(m *machine) map[string]lua.LGFunction {
	return map[string]lua.LGFunction{"pack": m.structPack, "unpack": m.structUnpack, "size": structSize}
}

const (
	structIntMax   = 32 // bytes of an integer
	structAlignMax = 8
)

// layout reads the format of a structure.
type layout struct {
	state *lua.LState
	rest  string
	big   bool
	align uint64
}

func newLayout(l *lua.LState) *layout { return &layout{state: l, rest: l.CheckString(1), align: 1} }

// next is the next option and its size in bytes, where it has one.
func (f *layout) next() (option byte, size uint64) {
	option, f.rest = f.rest[0], f.rest[1:]
	switch option {
	case 'b', 'B', 'x':
		size = 1
	case 'h', 'H':
		size = 2
	case 'f':
		size = 4
	case 'l', 'L', 'T', 'd':
		size = 8
	case 'c':
		size = f.number(1)
	case 'i', 'I':
		if size = f.number(4); size > structIntMax {
			raisef(f.state, "integral size %d is larger than limit of %d", size, structIntMax)
		}
	}
	return option, size
}

// number reads a number, if there is one.
func (f *layout) number(otherwise uint64) uint64 {
	if f.rest == "" || f.rest[0] < '0' || f.rest[0] > '9' {
		return otherwise
	}
	var n uint64
	for f.rest != "" && '0' <= f.rest[0] && f.rest[0] <= '9' {
		if n > (math.MaxInt32-9)/10 {
			raisef(f.state, "integral size overflow")
		}
		n = n*10 + uint64(f.rest[0]-'0')
		f.rest = f.rest[1:]
	}
	return n
}

// padding is how many bytes come before an option at a place.
func (f *layout) padding(at uint64, option byte, size uint64) uint64 {
	if size == 0 || option == 'c' {
		return 0
	}
	size = min(size, f.align)
	return (size - at&(size-1)) & (size - 1)
}

// control obeys an option that stands for no value.
func (f *layout) control(option byte) {
	switch option {
	case ' ':
	case '>':
		f.big = true
	case '<':
		f.big = false
	case '!':
		n := f.number(structAlignMax)
		if n == 0 || n&(n-1) != 0 {
			raisef(f.state, "alignment %d is not a power of 2", n)
		}
		f.align = n
	default:
		f.state.ArgError(1, "invalid format option '"+string([]byte{option})+"'")
	}
}

func (m *machine) structPack(l *lua.LState) int {
	f := newLayout(l)
	var out []byte
	arg := 2
	for f.rest != "" {
		option, size := f.next()
		out = append(out, make([]byte, f.padding(uint64(len(out)), option, size))...)
		switch {
		case strings.IndexByte("bBhHlLTiI", option) >= 0:
			out = f.appendInteger(out, float64(l.CheckNumber(arg)), size)
			arg++
		case option == 'x':
			out = append(out, 0)
		case option == 'f':
			out = f.appendBytes(out, uint64(math.Float32bits(float32(l.CheckNumber(arg)))), 4)
			arg++
		case option == 'd':
			out = f.appendBytes(out, math.Float64bits(float64(l.CheckNumber(arg))), 8)
			arg++
		case option == 'c' || option == 's':
			s := l.CheckString(arg)
			arg++
			if size == 0 {
				size = uint64(len(s))
			}
			if uint64(len(s)) < size {
				l.ArgError(arg, "string too short")
			}
			m.charge(l, len(out)+int(size))
			if out = append(out, s[:size]...); option == 's' {
				out = append(out, 0)
			}
		default:
			f.control(option)
		}
	}
	l.Push(lua.LString(out))
	return 1
}

func (f *layout) appendInteger(out []byte, n float64, size uint64) []byte {
	if n < 0 {
		return f.appendBytes(out, uint64(toInt64(n)), size)
	}
	if n >= 1<<63 && n < 1<<64 {
		return f.appendBytes(out, uint64(n), size)
	}
	return f.appendBytes(out, uint64(toInt64(n)), size)
}

// appendBytes writes the low bytes of a number.
func (f *layout) appendBytes(out []byte, n, size uint64) []byte {
	start := len(out)
	for range size {
		out = append(out, byte(n))
		n >>= 8
	}
	if f.big {
		reversed(out[start:])
	}
	return out
}

func (m *machine) structUnpack(l *lua.LState) int {
	f, data := newLayout(l), l.CheckString(2)
	from := l.OptInt(3, 1)
	if from < 1 {
		l.ArgError(3, "offset must be 1 or greater")
	}
	at, length := uint64(from-1), uint64(len(data))
	var values []lua.LValue
	need := func(size uint64) {
		if size > length || at > length-size {
			l.ArgError(2, "data string too short")
		}
	}
	for f.rest != "" {
		option, size := f.next()
		at += f.padding(at, option, size)
		need(size)
		if len(values) > unpackMax {
			raisef(l, "stack overflow (too many results)")
		}
		switch {
		case strings.IndexByte("bBhHlLTiI", option) >= 0:
			values = append(values, f.integer(data[at:at+size], option >= 'a'))
		case option == 'x':
		case option == 'f':
			values = append(values, lua.LNumber(math.Float32frombits(uint32(f.bytes(data[at:at+4])))))
		case option == 'd':
			values = append(values, lua.LNumber(math.Float64frombits(f.bytes(data[at:at+8]))))
		case option == 'c':
			if size == 0 {
				values, size = f.sizeBefore(values)
				need(size)
			}
			values = append(values, lua.LString(data[at:at+size]))
		case option == 's':
			n := strings.IndexByte(data[at:], 0)
			if n < 0 {
				raisef(l, "unfinished string in data")
			}
			size = uint64(n) + 1
			values = append(values, lua.LString(data[at:at+size-1]))
		default:
			f.control(option)
		}
		at += size
	}
	for _, v := range values {
		l.Push(v)
	}
	l.Push(lua.LNumber(at + 1))
	return len(values) + 1
}

// sizeBefore takes the value before, the size of a text.
func (f *layout) sizeBefore(values []lua.LValue) (left []lua.LValue, size uint64) {
	n := len(values)
	if n > 0 {
		switch v := values[n-1].(type) {
		case lua.LNumber:
			return values[:n-1], uint64(toInt64(float64(v)))
		}
	}
	raisef(f.state, "format 'c0' needs a previous size")
	return nil, 0
}

func (f *layout) bytes(s string) (n uint64) {
	for i := range len(s) {
		at := len(s) - 1 - i
		if f.big {
			at = i
		}
		n = n<<8 | uint64(s[at])
	}
	return n
}

func (f *layout) integer(s string, signed bool) lua.LNumber {
	n := f.bytes(s)
	if !signed {
		return lua.LNumber(n)
	}
	mask := ^uint64(0) << ((len(s)*8 - 1) & 63)
	if n&mask != 0 {
		n |= mask
	}
	return lua.LNumber(int64(n))
}

func structSize(l *lua.LState) int {
	f := newLayout(l)
	var at uint64
	for f.rest != "" {
		option, size := f.next()
		at += f.padding(at, option, size)
		switch {
		case option == 's':
			l.ArgError(1, "option 's' has no fixed size")
		case option == 'c' && size == 0:
			l.ArgError(1, "option 'c0' has no fixed size")
		case option < '0' || option > 'z' || strings.IndexByte("!<>", option) >= 0:
			f.control(option)
		}
		at += size
	}
	l.Push(lua.LNumber(at))
	return 1
}
