package script

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// plainPattern is a pattern of Lua 5.1 taken apart before it is matched, for a
// matcher that is simple instead of fast: it tries all there is, in order, with
// captures of its own at each step.
type plainPattern []plainItem

type plainItem struct {
	kind byte // of itemKinds, below
	set  [256]bool
	n    int     // of the capture meant
	pair [2]byte // of brackets
}

// Kinds of items: a byte of a set, once or repeated as * + - ? say, captures,
// and so on.
const (
	once      = '1'
	opens     = '('
	closes    = ')'
	place     = 'p'
	again     = 'n'
	brackets  = 'b'
	frontier  = 'f'
	endOfText = '$'
)

var errPattern = errors.New("a mistake")

// takeApart reads a pattern. Mistakes that only show where a match gets to are
// errors here, so that no more is known of those.
func takeApart(pat string) (items plainPattern, err error) {
	defer func() {
		if reason := recover(); reason != nil { // it ends within an item
			err = errPattern
		}
	}()
	var open []int
	captures, whole := 0, map[int]bool{}
	for p := 0; p < len(pat); {
		switch c := pat[p]; {
		case c == '(' && pat[p+1] == ')':
			items = append(items, plainItem{kind: place, n: captures})
			captures, p = captures+1, p+2
		case c == '(':
			items, open = append(items, plainItem{kind: opens, n: captures}), append(open, captures)
			captures, p = captures+1, p+1
		case c == ')':
			n := open[len(open)-1]
			items, open = append(items, plainItem{kind: closes, n: n}), open[:len(open)-1]
			whole[n], p = true, p+1
		case c == '$' && p+1 == len(pat):
			items, p = append(items, plainItem{kind: endOfText}), p+1
		case c == '%' && isDigit(pat[p+1]):
			n := int(pat[p+1] - '1')
			if !whole[n] {
				return nil, errPattern
			}
			items, p = append(items, plainItem{kind: again, n: n}), p+2
		case c == '%' && pat[p+1] == 'b':
			items, p = append(items, plainItem{kind: brackets, pair: [2]byte{pat[p+2], pat[p+3]}}), p+4
		case c == '%' && pat[p+1] == 'f':
			if pat[p+2] != '[' {
				return nil, errPattern
			}
			set, n := readSet(pat[p+2:])
			items, p = append(items, plainItem{kind: frontier, set: set}), p+2+n
		default:
			set, n := readSet(pat[p:])
			one := plainItem{kind: once, set: set}
			if p += n; p < len(pat) && strings.IndexByte("*+-?", pat[p]) >= 0 {
				one.kind = pat[p]
				p++
			}
			items = append(items, one)
		}
	}
	if len(open) > 0 || captures > capturesMax {
		return nil, errPattern
	}
	return items, nil
}

// readSet reads a byte, a class or a set in brackets: which bytes are meant, and
// the length of it.
func readSet(pat string) (set [256]bool, n int) {
	switch pat[0] {
	case '.':
		for c := range set {
			set[c] = true
		}
		return set, 1
	case '%':
		addClass(&set, pat[1])
		return set, 2
	case '[':
		return readBrackets(pat)
	}
	set[pat[0]] = true
	return set, 1
}

func readBrackets(pat string) (set [256]bool, n int) {
	i, not := 1, pat[1] == '^'
	if not {
		i++
	}
	end := i // where the bracket is that closes: not the first byte, nor behind a %
	for {
		if pat[end] == '%' {
			end++
		}
		if end++; pat[end] == ']' {
			break
		}
	}
	for i < end {
		switch {
		case pat[i] == '%':
			addClass(&set, pat[i+1])
			i += 2
		case i+2 < end && pat[i+1] == '-':
			for c := int(pat[i]); c <= int(pat[i+2]); c++ {
				set[c] = true
			}
			i += 3
		default:
			set[pat[i]] = true
			i++
		}
	}
	for c := range set {
		set[c] = set[c] != not
	}
	return set, end + 1
}

func addClass(set *[256]bool, class byte) {
	lower := strings.ToLower(string(rune(class)))
	var in string
	switch lower {
	case "a":
		in = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	case "d":
		in = "0123456789"
	case "l":
		in = "abcdefghijklmnopqrstuvwxyz"
	case "p":
		in = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	case "s":
		in = " \t\n\v\f\r"
	case "u":
		in = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	case "w":
		in = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	case "x":
		in = "0123456789abcdefABCDEF"
	case "z":
		in = "\x00"
	case "c":
		for c := range byte(32) {
			in += string(rune(c))
		}
		in += "\x7f"
	default:
		set[class] = true
		return
	}
	for c := range 256 {
		if (strings.IndexByte(in, byte(c)) >= 0) == (class >= 'a') {
			set[c] = true
		}
	}
}

// plainMatch is a match of a text: where captures begin and end, and how many
// steps it may still take.
type plainMatch struct {
	src  string
	left int
}

// from matches the items from a place on: the end of the match, or -1. Captures
// that it has not made are unchanged.
func (m *plainMatch) from(s int, items plainPattern, caps [][2]int) (int, [][2]int) {
	if m.left--; m.left < 0 || len(items) == 0 {
		return s, caps
	}
	one, rest := &items[0], items[1:]
	fits := func(at int) bool { return at < len(m.src) && one.set[m.src[at]] }
	byteAt := func(at int) byte {
		if at < 0 || at >= len(m.src) {
			return 0
		}
		return m.src[at]
	}
	with := func(start, end int) [][2]int {
		return append(append([][2]int{}, caps[:min(one.n, len(caps))]...), [2]int{start, end})
	}
	switch one.kind {
	case opens:
		return m.from(s, rest, with(s, unfinished))
	case place:
		return m.from(s, rest, with(s, position))
	case closes:
		made := append([][2]int{}, caps...)
		made[one.n][1] = s
		return m.from(s, rest, made)
	case again:
		if c := caps[one.n]; c[1] >= 0 && strings.HasPrefix(m.src[s:], m.src[c[0]:c[1]]) {
			return m.from(s+c[1]-c[0], rest, caps)
		}
	case brackets:
		for depth, i := 0, s; i < len(m.src) && (i > s || m.src[s] == one.pair[0]); i++ {
			switch {
			case i > s && m.src[i] == one.pair[1]:
				depth--
			case m.src[i] == one.pair[0]:
				depth++
			}
			if depth == 0 {
				return m.from(i+1, rest, caps)
			}
		}
	case frontier:
		if !one.set[byteAt(s-1)] && one.set[byteAt(s)] {
			return m.from(s, rest, caps)
		}
	case endOfText:
		if s == len(m.src) {
			return s, caps
		}
	case once:
		if fits(s) {
			return m.from(s+1, rest, caps)
		}
	default:
		return m.repeated(s, one, rest, caps)
	}
	return -1, nil
}

// repeated matches an item as often as its sign allows, in its order.
func (m *plainMatch) repeated(s int, one *plainItem, rest plainPattern, caps [][2]int) (int, [][2]int) {
	var ends []int // those there may be
	for at := s; ; at++ {
		ends = append(ends, at)
		if at == len(m.src) || !one.set[m.src[at]] || one.kind == '?' && at > s {
			break
		}
	}
	if one.kind == '+' {
		ends = ends[1:]
	}
	for i := range ends {
		at := ends[len(ends)-1-i]
		if one.kind == '-' {
			at = ends[i]
		}
		if e, made := m.from(at, rest, caps); e >= 0 {
			return e, made
		}
	}
	return -1, nil
}

// plainFind is the first match, in words; known is false if it takes too long to
// find out.
func plainFind(src string, pat string) (found string, known bool) {
	anchored := strings.HasPrefix(pat, "^")
	items, err := takeApart(strings.TrimPrefix(pat, "^"))
	if err != nil {
		return "", false
	}
	m := &plainMatch{src: src, left: 20_000}
	for s := 0; s <= len(src); s++ {
		e, caps := m.from(s, items, nil)
		switch {
		case m.left < 0:
			return "", false
		case e >= 0:
			return fmt.Sprint(s, e, caps), true
		case anchored:
			return "none", true
		}
	}
	return "none", true
}

// found is the matcher's first match, in the same words.
func (t *matcher) found() (found string, err error) {
	l := t.state
	l.Push(l.NewFunction(func(*lua.LState) int {
		s, e := t.first(0)
		if found = "none"; e >= 0 {
			caps := [][2]int(nil)
			for _, c := range t.captures[:t.level] {
				if end := c.start + c.size; c.size >= 0 {
					caps = append(caps, [2]int{c.start, end})
				} else {
					caps = append(caps, [2]int{c.start, c.size})
				}
			}
			found = fmt.Sprint(s, e, caps)
		}
		return 0
	}))
	defer l.SetTop(0)
	return found, l.PCall(0, 0, nil)
}

// What a pattern finds is what a simpler matcher finds; what is replaced by itself
// stays; and each of it ends, within as many steps as it may take.
func FuzzPattern(f *testing.F) {
	for _, one := range [][2]string{
		{"hello world", "(o).-(%1)"}, {"THE (quick) fox", "%((%a+)%)"}, {"f(a(b)c)d", "%b()"}, {"THE (quick) fox", "%f[%a]%a+()"},
		{"key = value", "^(%w+)%s*=%s*(%w+)$"}, {"aaab", "a-b?$"}, {"]-^%", "[]%-^]+"}, {"x", "[a-]"}, {"\x00\xff", "[^%z]"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a*a*a*a*a*a*b"}, {"abc", "(()a)(b)%2"}, {"a$b", "a$b"}, {"", "(((((((((("}, {"%", "%"},
		{strings.Repeat("a", 60), "[ab]*[ab]*[ab]*[ab]*[ab]*[ab]*c"}, {strings.Repeat("a", 61), "[abc]*[abc]*[abc]*[abc]*[abc]*d"},
		{strings.Repeat("a", 60), ".-.-.-.-[a]-[a]-[a]-[a]-[x]b"}, {strings.Repeat("a", 63), "[a-cd-fe]-[a-cd-fe]-[a-cd-fe]-[a-cd-fe]-[a-cd-fe]-[a-cd-fe]-b"},
	} {
		f.Add(one[0], one[1])
	}
	const most = 1 << 16
	const mostTaken = most/fuelMax*matchSteps + 100*matchSteps
	m := newTestEngine().newMachine()
	m.engine.patience = 1 << 60
	f.Fuzz(func(t *testing.T, src, pat string) {
		if len(src) > 200 || len(pat) > 200 || strings.Contains(pat, "\x00") {
			return
		}
		light := &run{engine: m.engine, machine: m, light: true, most: most}
		m.begin(light)
		one := &matcher{machine: m, state: m.state, src: src, pat: pat}
		got, err := one.found()
		if one.steps > mostTaken {
			t.Errorf("%q in %q takes %d steps", pat, src, one.steps)
		}
		if want, known := plainFind(src, pat); known && err != nil && !light.spent {
			t.Errorf("%q in %q: %v, want %s", pat, src, err, want)
		} else if known && err == nil && got != want {
			t.Errorf("%q in %q: %s, want %s", pat, src, got, want)
		}
		if err != nil {
			return
		}
		light.steps = 0
		if whole, err := callIn(light, "string", "gsub", src, pat, "%0"); err == nil && whole != lua.LString(src) {
			t.Errorf("%q in %q: with what is found by itself it is %q", pat, src, whole)
		}
	})
}
