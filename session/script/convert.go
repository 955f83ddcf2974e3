package script

import (
	"math"
	"strings"

	"github.com/troupedb/troupe/resp"
	lua "github.com/yuin/gopher-lua"
)

// value is a reply as a script sees it. The types that RESP3 has and RESP2 has
// not are seen after redis.setresp(3) only.
func (m *machine) value(l *lua.LState, r resp.Reply) lua.LValue {
	switch r.Kind() {
	case resp.Number:
		return lua.LNumber(r.Int())
	case resp.Text:
		m.toil(len(r.Str()) / textStep)
		return m.maker.of(r.Str())
	case resp.Null, resp.NullArray, resp.None:
		if m.run.resp3 {
			return lua.LNil
		}
		return lua.LFalse
	case resp.Status:
		t := l.CreateTable(0, 1)
		t.RawSetString("ok", lua.LString(strings.Clone(r.Str())))
		return t
	case resp.Failure:
		return failure(l, strings.Clone(r.Str()))
	case resp.List, resp.Out:
		return m.list(l, r.Items())
	}
	if m.run.resp3 {
		return m.value3(l, r)
	}
	switch r.Kind() {
	case resp.Decimal:
		encoded := resp.V2.Append(nil, r)
		_, digits, _ := strings.Cut(string(encoded), "\r\n")
		return lua.LString(strings.TrimSuffix(digits, "\r\n"))
	case resp.Truth:
		return lua.LNumber(r.Int())
	case resp.BigNumber, resp.Verbatim:
		return lua.LString(strings.Clone(r.Str()))
	}
	return m.list(l, r.Items())
}

func (m *machine) list(l *lua.LState, items []resp.Reply) *lua.LTable {
	m.toil(len(items))
	t := l.CreateTable(len(items), 0)
	for i := range items {
		t.RawSetInt(i+1, m.value(l, items[i]))
	}
	return t
}

// value3 is value for what only RESP3 has.
func (m *machine) value3(l *lua.LState, r resp.Reply) lua.LValue {
	t := l.CreateTable(0, 1)
	switch r.Kind() {
	case resp.Decimal:
		t.RawSetString("double", lua.LNumber(r.Float()))
	case resp.Truth:
		return lua.LBool(r.Int() != 0)
	case resp.BigNumber:
		t.RawSetString("big_number", lua.LString(strings.Clone(r.Str())))
	case resp.Verbatim:
		said := l.NewTable()
		said.RawSetString("format", lua.LString(strings.Clone(r.Format())))
		said.RawSetString("string", lua.LString(strings.Clone(r.Str())))
		t.RawSetString("verbatim_string", said)
	case resp.Pairs:
		pairs, items := l.NewTable(), r.Items()
		for i := 0; i+1 < len(items); i += 2 {
			if key := m.value(l, items[i]); key != lua.LNil {
				pairs.RawSet(key, m.value(l, items[i+1]))
			}
		}
		t.RawSetString("map", pairs)
	case resp.Unordered:
		members := l.NewTable()
		for _, item := range r.Items() {
			if key := m.value(l, item); key != lua.LNil {
				members.RawSet(key, lua.LTrue)
			}
		}
		t.RawSetString("set", members)
	case resp.Couples:
		items := r.Items()
		for i := 0; i+1 < len(items); i += 2 {
			t.RawSetInt(i/2+1, m.list(l, items[i:i+2]))
		}
	}
	return t
}

// depthMax is how deep tables may lie in each other in a script's reply.
const depthMax = 1000

var errDepth = resp.Error("ERR reached lua stack limit")

// reply is what a script returns as a reply.
func (r *run) reply(v lua.LValue, depth int) resp.Reply {
	switch v := v.(type) {
	case lua.LString:
		return resp.BulkString(string(v))
	case lua.LNumber:
		return resp.Int(toInt64(float64(v)))
	case lua.LBool:
		switch {
		case r.resp3:
			return resp.Bool(bool(v))
		case bool(v):
			return resp.One
		}
		return resp.Nil
	case *lua.LTable:
		if depth >= depthMax {
			return errDepth
		}
		return r.tableReply(v, depth)
	}
	return resp.Nil
}

// toInt64 is C's conversion on x86: what can't be told is the least number.
func toInt64(f float64) int64 {
	if f >= -(1<<63) && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}

func (r *run) tableReply(t *lua.LTable, depth int) resp.Reply {
	if behind := shownBy(t); behind != nil {
		return resp.EmptyList
	}
	if s, ok := t.RawGetString("err").(lua.LString); ok {
		return resp.Error(string(s))
	}
	if s, ok := t.RawGetString("ok").(lua.LString); ok {
		return resp.Simple(strings.NewReplacer("\r", " ", "\n", " ").Replace(string(s)))
	}
	if n, ok := t.RawGetString("double").(lua.LNumber); ok {
		return resp.Double(float64(n))
	}
	if pairs, ok := t.RawGetString("map").(*lua.LTable); ok {
		return resp.Map(r.elements(pairs, depth, true)...)
	}
	if members, ok := t.RawGetString("set").(*lua.LTable); ok {
		return resp.Set(r.elements(members, depth, false)...)
	}
	if s, ok := t.RawGetString("big_number").(lua.LString); ok {
		return resp.Big(strings.NewReplacer("\r", " ", "\n", " ").Replace(string(s)))
	}
	if said, ok := t.RawGetString("verbatim_string").(*lua.LTable); ok {
		format, isFormat := said.RawGetString("format").(lua.LString)
		s, isText := said.RawGetString("string").(lua.LString)
		if isFormat && isText {
			return resp.VerbatimText((string(format) + "   ")[:3], string(s))
		}
	}
	var items []resp.Reply
	for i := 1; ; i++ {
		v := t.RawGetInt(i)
		if v == lua.LNil {
			return resp.Array(items...)
		}
		items = append(items, r.reply(v, depth+1))
	}
}

// elements are the keys of a table, with what they stand for if values says so.
func (r *run) elements(t *lua.LTable, depth int, values bool) (items []resp.Reply) {
	if depth+1 >= depthMax {
		return []resp.Reply{errDepth}
	}
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		items = append(items, r.reply(k, depth+1))
		if values {
			items = append(items, r.reply(v, depth+1))
		}
	}
	return items
}
