package script

import (
	"encoding/binary"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// The library cmsgpack, Salvatore Sanfilippo's lua-cmsgpack 0.4: MessagePack as
// its specification has it, without extensions.

func (m *machine) cmsgpack() *lua.LTable {
	t := m.table(map[string]lua.LGFunction{"pack": m.msgPack, "unpack": m.msgUnpack, "unpack_one": m.msgUnpackOne, "unpack_limit": m.msgUnpackLimit})
	for name, s := range map[string]string{"_NAME": "cmsgpack", "_VERSION": "lua-cmsgpack 0.4.0",
		"_COPYRIGHT": "Copyright (C) 2012, Salvatore Sanfilippo", "_DESCRIPTION": "MessagePack C implementation for Lua"} {
		t.RawSetString(name, lua.LString(s))
	}
	return t
}

// msgDepthMax is how deep tables may lie in each other; what is deeper is nil.
const msgDepthMax = 16

type msgPacker struct {
	*machine
	state *lua.LState
	out   []byte
	next  int
}

func (m *machine) msgPack(l *lua.LState) int {
	n := l.GetTop()
	if n == 0 {
		l.ArgError(0, "MessagePack pack needs input.")
	}
	p := msgPacker{machine: m, state: l}
	for i := 1; i <= n; i++ {
		p.value(l.Get(i), 0)
	}
	l.Push(lua.LString(p.out))
	return 1
}

func (p *msgPacker) value(v lua.LValue, depth int) {
	if len(p.out) >= p.next {
		p.charge(p.state, len(p.out))
		p.next = max(2*len(p.out), textLight)
	}
	switch v := v.(type) {
	case lua.LString:
		p.text(string(v))
	case lua.LBool:
		p.out = append(p.out, 0xc2+byte(boolBit(bool(v))))
	case lua.LNumber:
		p.number(float64(v))
	case *lua.LTable:
		if depth == msgDepthMax {
			p.out = append(p.out, 0xc0)
			return
		}
		p.table(v, depth)
	default:
		p.out = append(p.out, 0xc0)
	}
}

func boolBit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p *msgPacker) text(s string) {
	p.charge(p.state, len(s))
	switch n := len(s); {
	case n < 32:
		p.out = append(p.out, 0xa0|byte(n))
	case n <= 0xff:
		p.out = append(p.out, 0xd9, byte(n))
	default:
		p.length(0xda, n)
	}
	p.out = append(p.out, s...)
}

// length writes a length of 16 bits behind code, or of 32 behind the next one.
func (p *msgPacker) length(code byte, n int) {
	if n <= 0xffff {
		p.out = binary.BigEndian.AppendUint16(append(p.out, code), uint16(n))
		return
	}
	p.out = binary.BigEndian.AppendUint32(append(p.out, code+1), uint32(n))
}

func (p *msgPacker) number(f float64) {
	if n := toInt64(f); float64(n) == f && !math.IsInf(f, 0) && f < 1<<63 {
		p.integer(n)
		return
	}
	if small := float32(f); float64(small) == f {
		p.out = binary.BigEndian.AppendUint32(append(p.out, 0xca), math.Float32bits(small))
		return
	}
	bits := math.Float64bits(f)
	if math.IsNaN(f) {
		bits = 0xfff8000000000000 // x86's
	}
	p.out = binary.BigEndian.AppendUint64(append(p.out, 0xcb), bits)
}

func (p *msgPacker) integer(n int64) {
	big := binary.BigEndian
	switch {
	case n >= 0 && n <= 127, n < 0 && n >= -32:
		p.out = append(p.out, byte(n))
	case n >= 0 && n <= 0xff:
		p.out = append(p.out, 0xcc, byte(n))
	case n >= 0 && n <= 0xffff:
		p.out = big.AppendUint16(append(p.out, 0xcd), uint16(n))
	case n >= 0 && n <= 0xffffffff:
		p.out = big.AppendUint32(append(p.out, 0xce), uint32(n))
	case n >= 0:
		p.out = big.AppendUint64(append(p.out, 0xcf), uint64(n))
	case n >= math.MinInt8:
		p.out = append(p.out, 0xd0, byte(n))
	case n >= math.MinInt16:
		p.out = big.AppendUint16(append(p.out, 0xd1), uint16(n))
	case n >= math.MinInt32:
		p.out = big.AppendUint32(append(p.out, 0xd2), uint32(n))
	default:
		p.out = big.AppendUint64(append(p.out, 0xd3), uint64(n))
	}
}

func (p *msgPacker) table(t *lua.LTable, depth int) {
	if behind := shownBy(t); behind != nil {
		t = behind
	}
	pairs, highest, array := 0, 0, true
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		pairs++
		n, ok := k.(lua.LNumber)
		if !ok || n <= 0 || float64(n) != math.Floor(float64(n)) || n > math.MaxInt32 {
			array = false
			continue
		}
		highest = max(highest, int(n))
	}
	if array && highest == pairs {
		p.header(0x90, 0xdc, pairs)
		for i := 1; i <= pairs; i++ {
			p.value(t.RawGetInt(i), depth+1)
		}
		return
	}
	p.header(0x80, 0xde, pairs)
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		p.value(k, depth+1)
		p.value(v, depth+1)
	}
}

func (p *msgPacker) header(short, long byte, n int) {
	if n <= 15 {
		p.out = append(p.out, short|byte(n))
		return
	}
	p.length(long, n)
}
