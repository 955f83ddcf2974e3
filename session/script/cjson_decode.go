package script

import (
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

func (m *machine) jsonDecode(l *lua.LState) int {
	if l.GetTop() != 1 {
		l.ArgError(1, "expected 1 argument")
	}
	source := l.CheckString(1)
	m.labour(l, len(source)/2)
	if len(source) >= 2 && (source[0] == 0 || source[1] == 0) {
		raisef(l, "JSON parser does not support UTF-16 or UTF-32")
	}
	d := jsonDecoder{machine: m, state: l, in: source}
	v := d.value(d.token())
	if t := d.token(); t.kind != jsonEnd {
		d.expected("the end", t)
	}
	l.Push(v)
	return 1
}

type jsonDecoder struct {
	*machine
	state *lua.LState
	in    string
	at    int
	depth int
}

type jsonKind int

const (
	jsonObjectBegin jsonKind = iota
	jsonObjectEnd
	jsonArrayBegin
	jsonArrayEnd
	jsonString
	jsonNumber
	jsonBoolean
	jsonNull
	jsonColon
	jsonComma
	jsonEnd
	jsonError
)

// jsonNames are the names of the tokens in errors.
var jsonNames = [...]string{"T_OBJ_BEGIN", "T_OBJ_END", "T_ARR_BEGIN", "T_ARR_END", "T_STRING", "T_NUMBER", "T_BOOLEAN", "T_NULL", "T_COLON", "T_COMMA", "T_END", "T_ERROR"}

type jsonToken struct {
	kind  jsonKind
	at    int
	text  string // a string, or what is wrong
	value lua.LValue
}

func (d *jsonDecoder) expected(what string, t jsonToken) {
	found := jsonNames[t.kind]
	if t.kind == jsonError {
		found = t.text
	}
	raisef(d.state, "Expected %s but found %s at character %d", what, found, t.at+1)
}

// byteAt is the byte at a place, 0 behind the end.
func (d *jsonDecoder) byteAt(i int) byte {
	if i >= len(d.in) {
		return 0
	}
	return d.in[i]
}

var jsonMarks = map[byte]jsonKind{'{': jsonObjectBegin, '}': jsonObjectEnd, '[': jsonArrayBegin, ']': jsonArrayEnd, ':': jsonColon, ',': jsonComma}

func (d *jsonDecoder) token() jsonToken {
	for d.at < len(d.in) && strings.IndexByte(" \t\n\r", d.in[d.at]) >= 0 {
		d.at++
	}
	t := jsonToken{at: d.at}
	c := d.byteAt(d.at)
	if mark, ok := jsonMarks[c]; ok {
		t.kind = mark
		d.at++
		return t
	}
	rest := d.in[d.at:]
	switch {
	case d.at >= len(d.in):
		t.kind = jsonEnd
	case c == '"':
		return d.text(t)
	case c == '-' || '0' <= c && c <= '9':
		if !d.json.decodeInvalid && invalidNumber(rest) {
			t.kind, t.text = jsonError, "invalid number"
			return t
		}
		return d.number(t)
	case strings.HasPrefix(rest, "true"):
		t.kind, t.value = jsonBoolean, lua.LTrue
		d.at += 4
	case strings.HasPrefix(rest, "false"):
		t.kind, t.value = jsonBoolean, lua.LFalse
		d.at += 5
	case strings.HasPrefix(rest, "null"):
		t.kind = jsonNull
		d.at += 4
	case d.json.decodeInvalid && invalidNumber(rest):
		return d.number(t)
	default:
		t.kind, t.text = jsonError, "invalid token"
	}
	return t
}

// invalidNumber reports whether a number begins in a way that strtod knows and
// JSON does not.
func invalidNumber(s string) bool {
	if strings.HasPrefix(s, "+") {
		return true
	}
	s = strings.TrimPrefix(s, "-")
	switch {
	case s == "":
		return false
	case s[0] == '0':
		return len(s) > 1 && (s[1]|0x20 == 'x' || '0' <= s[1] && s[1] <= '9')
	case s[0] <= '9':
		return false
	}
	return len(s) >= 3 && (strings.EqualFold(s[:3], "inf") || strings.EqualFold(s[:3], "nan"))
}

func (d *jsonDecoder) number(t jsonToken) jsonToken {
	n := numberLength(d.in[d.at:])
	if n == 0 {
		t.kind, t.text = jsonError, "invalid number"
		return t
	}
	t.kind, t.value = jsonNumber, parseNumber(d.in[d.at:d.at+n])
	d.at += n
	return t
}

// parseNumber is the number that strtod reads from a whole word.
func parseNumber(word string) lua.LNumber {
	if sign := strings.TrimLeft(word, "+-"); len(sign) > 1 && sign[1]|0x20 == 'x' && !strings.ContainsAny(sign, "pP") {
		word += "p0"
	}
	f, _ := strconv.ParseFloat(word, 64) // out of range is infinite, as in C
	return lua.LNumber(f)
}

// numberLength is how much of s strtod would read.
func numberLength(s string) int {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	lower := strings.ToLower(s[i:min(len(s), i+8)])
	switch {
	case strings.HasPrefix(lower, "infinity"):
		return i + 8
	case strings.HasPrefix(lower, "inf"), strings.HasPrefix(lower, "nan"):
		return i + 3
	case strings.HasPrefix(lower, "0x"):
		if n := digitsLength(s[i+2:], "0123456789abcdefABCDEF", "pP"); n > 0 {
			return i + 2 + n
		}
	}
	n := digitsLength(s[i:], "0123456789", "eE")
	if n == 0 {
		return 0
	}
	return i + n
}

// digitsLength is the length of digits with a point and an exponent.
func digitsLength(s, digits, exponent string) int {
	i, seen := 0, 0
	for ; i < len(s) && strings.IndexByte(digits, s[i]) >= 0; i++ {
		seen++
	}
	if i < len(s) && s[i] == '.' {
		i++
		for ; i < len(s) && strings.IndexByte(digits, s[i]) >= 0; i++ {
			seen++
		}
	}
	if seen == 0 {
		return 0
	}
	if i < len(s) && strings.IndexByte(exponent, s[i]) >= 0 {
		j := i + 1
		if j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		first := j
		for j < len(s) && '0' <= s[j] && s[j] <= '9' {
			j++
		}
		if j > first {
			i = j
		}
	}
	return i
}

func (d *jsonDecoder) value(t jsonToken) lua.LValue {
	switch t.kind {
	case jsonString:
		return lua.LString(t.text)
	case jsonNumber, jsonBoolean:
		return t.value
	case jsonNull:
		return d.null
	case jsonObjectBegin:
		return d.object()
	case jsonArrayBegin:
		return d.array()
	}
	d.expected("value", t)
	return lua.LNil
}

func (d *jsonDecoder) descend() {
	if d.depth++; d.depth > d.json.decodeDepth {
		raisef(d.state, "Found too many nested data structures (%d) at character %d", d.depth, d.at)
	}
	d.charge(d.state, textLight)
}

func (d *jsonDecoder) object() lua.LValue {
	d.descend()
	table := d.state.NewTable()
	t := d.token()
	for first := true; ; first = false {
		if first && t.kind == jsonObjectEnd {
			break
		}
		if t.kind != jsonString {
			d.expected("object key string", t)
		}
		key := t.text
		if t = d.token(); t.kind != jsonColon {
			d.expected("colon", t)
		}
		table.RawSetString(key, d.value(d.token()))
		if t = d.token(); t.kind == jsonObjectEnd {
			break
		}
		if t.kind != jsonComma {
			d.expected("comma or object end", t)
		}
		t = d.token()
	}
	d.depth--
	return table
}

func (d *jsonDecoder) array() lua.LValue {
	d.descend()
	table := d.state.NewTable()
	t := d.token()
	for i := 1; i > 1 || t.kind != jsonArrayEnd; i++ {
		table.RawSetInt(i, d.value(t))
		if t = d.token(); t.kind == jsonArrayEnd {
			break
		}
		if t.kind != jsonComma {
			d.expected("comma or array end", t)
		}
		t = d.token()
	}
	d.depth--
	return table
}
