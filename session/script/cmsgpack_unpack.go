package script

import (
	"encoding/binary"
	"math"

	lua "github.com/yuin/gopher-lua"
)

func (m *machine) msgUnpack(l *lua.LState) int { return m.msgUnpackFrom(l, 0, 0) }

func (m *machine) msgUnpackOne(l *lua.LState) int {
	offset := l.OptInt(2, 0)
	l.CheckString(1)
	return m.msgUnpackFrom(l, 1, offset)
}

func (m *machine) msgUnpackLimit(l *lua.LState) int {
	l.CheckString(1)
	limit, offset := l.CheckInt(2), l.OptInt(3, 0)
	return m.msgUnpackFrom(l, limit, offset)
}

// msgUnpackFrom unpacks the values from an offset: all of them, or with a limit so
// many, and then says where the rest begins, -1 at the end.
func (m *machine) msgUnpackFrom(l *lua.LState, limit, offset int) int {
	s := l.CheckString(1)
	switch {
	case offset < 0 || limit < 0:
		raisef(l, "Invalid request to unpack with offset of %d and limit of %d.", offset, limit)
	case offset > len(s):
		raisef(l, "Start offset %d greater than input length %d.", offset, len(s))
	}
	d := msgDecoder{machine: m, state: l, in: s[offset:]}
	all := limit == 0 && offset == 0
	var values []lua.LValue
	for len(d.in) > 0 && (all || len(values) < limit) {
		values = append(values, d.value(0))
		if len(values) > unpackMax {
			raisef(l, "stack overflow (too many return values at once; use unpack_one or unpack_limit instead.)")
		}
	}
	n := len(values)
	if !all {
		at := len(s) - len(d.in)
		if len(d.in) == 0 {
			at = -1
		}
		l.Push(lua.LNumber(at))
		n++
	}
	for _, v := range values {
		l.Push(v)
	}
	return n
}

// unpackMax is how many values a function may return.
const unpackMax = 7900

type msgDecoder struct {
	*machine
	state *lua.LState
	in    string
}

// take takes n bytes.
func (d *msgDecoder) take(n uint64) string {
	if n > uint64(len(d.in)) {
		raisef(d.state, "Missing bytes in input.")
	}
	s := d.in[:n]
	d.in = d.in[n:]
	return s
}

// uint reads a number of n bytes.
func (d *msgDecoder) uint(n int) (u uint64) {
	for _, c := range []byte(d.take(uint64(n))) {
		u = u<<8 | uint64(c)
	}
	return u
}

// msgDeepest bounds the depth of what is read, so that the Go stack does not grow
// with the input.
const msgDeepest = 5000

func (d *msgDecoder) value(depth int) lua.LValue {
	if depth > msgDeepest {
		raisef(d.state, "stack overflow (too many nested values)")
	}
	c := d.take(1)[0]
	switch {
	case c < 0x80:
		return lua.LNumber(c)
	case c < 0x90:
		return d.pairs(uint64(c&15), depth)
	case c < 0xa0:
		return d.list(uint64(c&15), depth)
	case c < 0xc0:
		return lua.LString(d.take(uint64(c & 31)))
	case c >= 0xe0:
		return lua.LNumber(int8(c))
	}
	switch c {
	case 0xc0:
		return lua.LNil
	case 0xc2:
		return lua.LFalse
	case 0xc3:
		return lua.LTrue
	case 0xca:
		return lua.LNumber(math.Float32frombits(uint32(d.uint(4))))
	case 0xcb:
		return lua.LNumber(math.Float64frombits(binary.BigEndian.Uint64([]byte(d.take(8)))))
	case 0xcc, 0xcd, 0xce, 0xcf:
		return lua.LNumber(d.uint(1 << (c - 0xcc)))
	case 0xd0:
		return lua.LNumber(int8(d.uint(1)))
	case 0xd1:
		return lua.LNumber(int16(d.uint(2)))
	case 0xd2:
		return lua.LNumber(int32(d.uint(4)))
	case 0xd3:
		return lua.LNumber(int64(d.uint(8)))
	case 0xd9, 0xda, 0xdb:
		return lua.LString(d.take(d.uint(1 << (c - 0xd9))))
	case 0xc4, 0xc5, 0xc6:
		return lua.LString(d.take(d.uint(1 << (c - 0xc4))))
	case 0xdc, 0xdd:
		return d.list(d.uint(2<<(c-0xdc)), depth)
	case 0xde, 0xdf:
		return d.pairs(d.uint(2<<(c-0xde)), depth)
	}
	raisef(d.state, "Bad data format in input.")
	return lua.LNil
}

func (d *msgDecoder) list(n uint64, depth int) lua.LValue {
	d.charge(d.state, textLight)
	t := d.state.NewTable()
	for i := uint64(1); i <= n; i++ {
		t.RawSetInt(int(i), d.value(depth+1))
	}
	return t
}

func (d *msgDecoder) pairs(n uint64, depth int) lua.LValue {
	d.charge(d.state, textLight)
	t := d.state.NewTable()
	for range n {
		k := d.value(depth + 1)
		v := d.value(depth + 1)
		switch f, isNumber := k.(lua.LNumber); {
		case k == lua.LNil:
			raisef(d.state, "table index is nil")
		case isNumber && math.IsNaN(float64(f)):
			raisef(d.state, "table index is NaN")
		case isNumber && float64(f) > float64(t.Len()+1) && f < listMax:
			d.charge(d.state, int(f)*16) // the row is filled up to there
		}
		t.RawSet(k, v)
	}
	return t
}
