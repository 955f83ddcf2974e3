package script

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Patterns of Lua 5.1 (its manual, 5.4.1). A pattern can make its matcher go back
// and forth for longer than anybody waits, so the machine looks around as it does
// so: such a script can be killed like any other.

const (
	capturesMax  = 32
	patternDepth = 10_000 // items of a pattern that can be gone back to
	matchSteps   = 512    // between two looks around
)

// Lengths of captures that are none.
const (
	unfinished = -1 // it has begun
	position   = -2 // "()": a place, not a text
)

// matcher matches one pattern at places of one text.
type matcher struct {
	machine  *machine
	state    *lua.LState
	src, pat string
	level    int // captures that have begun
	captures [capturesMax]struct{ start, size int }
	steps    int
	looked   int // at how many of them the machine looked around last
	depth    int
	charged  int // bytes of what gsub makes
}

func (t *matcher) fail(mistake string) { raisef(t.state, "%s", mistake) }

// step has the machine look around now and then.
func (t *matcher) step() {
	if t.steps++; t.steps-t.looked < matchSteps {
		return
	}
	t.looked = t.steps
	m := t.machine
	if m.lookAround(); m.stop != nil {
		t.fail(m.stop.Error())
	}
}

// at begins anew and matches at a place: the end of the match, or -1.
func (t *matcher) at(s, p int) int {
	t.level, t.depth = 0, 0
	return t.match(s, p)
}

// match matches the pattern from p on with the text from s on.
func (t *matcher) match(s, p int) int {
	if t.depth++; t.depth > patternDepth {
		t.fail("pattern too complex")
	}
	e := t.follow(s, p)
	t.depth--
	return e
}

func (t *matcher) follow(s, p int) int {
	for {
		t.step()
		if p == len(t.pat) {
			return s
		}
		switch t.pat[p] {
		case '(':
			if p+1 < len(t.pat) && t.pat[p+1] == ')' {
				return t.begin(s, p+2, position)
			}
			return t.begin(s, p+1, unfinished)
		case ')':
			return t.end(s, p+1)
		case '$':
			if p+1 == len(t.pat) {
				if s == len(t.src) {
					return s
				}
				return -1
			}
		case '%':
			next, end, isItem := t.special(s, p)
			if isItem {
				if next < 0 {
					return -1
				}
				s, p = next, end
				continue
			}
		}
		end := t.classEnd(p)
		var suffix byte
		if end < len(t.pat) {
			suffix = t.pat[end]
		}
		fits := s < len(t.src) && t.fits(t.src[s], p, end)
		switch suffix {
		case '?':
			if fits {
				if e := t.match(s+1, end+1); e >= 0 {
					return e
				}
			}
			p = end + 1
		case '*':
			return t.most(s, p, end, 0)
		case '+':
			return t.most(s, p, end, 1)
		case '-':
			return t.least(s, p, end)
		default:
			if !fits {
				return -1
			}
			s, p = s+1, end
		}
	}
}

// special matches what begins with % and is no class: a pair of brackets, a
// frontier, or what was captured before.
func (t *matcher) special(s, p int) (next, end int, isItem bool) {
	if p+1 == len(t.pat) {
		return 0, 0, false
	}
	switch c := t.pat[p+1]; {
	case c == 'b':
		return t.brackets(s, p+2), p + 4, true
	case c == 'f':
		return t.frontier(s, p+2)
	case c >= '0' && c <= '9':
		return t.again(s, c), p + 2, true
	}
	return 0, 0, false
}

func (t *matcher) begin(s, p, size int) int {
	if t.level >= capturesMax {
		t.fail("too many captures")
	}
	t.captures[t.level].start, t.captures[t.level].size = s, size
	t.level++
	e := t.match(s, p)
	if e < 0 {
		t.level--
	}
	return e
}

func (t *matcher) end(s, p int) int {
	at := t.level - 1
	for ; at >= 0 && t.captures[at].size != unfinished; at-- {
	}
	if at < 0 {
		t.fail("invalid pattern capture")
	}
	c := &t.captures[at]
	c.size = s - c.start
	e := t.match(s, p)
	if e < 0 {
		c.size = unfinished
	}
	return e
}

func (t *matcher) brackets(s, p int) int {
	if p+1 >= len(t.pat) {
		t.fail("unbalanced pattern")
	}
	opens, closes, depth := t.pat[p], t.pat[p+1], 1
	if s >= len(t.src) || t.src[s] != opens {
		return -1
	}
	for i := s + 1; i < len(t.src); i++ {
		t.step()
		switch t.src[i] {
		case closes:
			if depth--; depth == 0 {
				return i + 1
			}
		case opens:
			depth++
		}
	}
	return -1
}

func (t *matcher) frontier(s, p int) (next, end int, isItem bool) {
	if p >= len(t.pat) || t.pat[p] != '[' {
		t.fail("missing '[' after '%f' in pattern")
	}
	end = t.classEnd(p)
	var before, here byte
	if s > 0 {
		before = t.src[s-1]
	}
	if s < len(t.src) {
		here = t.src[s]
	}
	if t.inSet(before, p, end-1) || !t.inSet(here, p, end-1) {
		return -1, end, true
	}
	return s, end, true
}

func (t *matcher) again(s int, digit byte) int {
	n := int(digit) - '1'
	if n < 0 || n >= t.level || t.captures[n].size == unfinished {
		t.fail("invalid capture index")
	}
	c := t.captures[n]
	if c.size == position {
		return -1
	}
	text := t.src[c.start : c.start+c.size]
	t.steps += len(text) / 8
	if strings.HasPrefix(t.src[s:], text) {
		return s + len(text)
	}
	return -1
}

func (t *matcher) most(s, p, end, least int) int {
	n := 0
	for s+n < len(t.src) && t.fits(t.src[s+n], p, end) {
		t.step()
		n++
	}
	for ; n >= least; n-- {
		t.step()
		if e := t.match(s+n, end+1); e >= 0 {
			return e
		}
	}
	return -1
}

func (t *matcher) least(s, p, end int) int {
	for {
		if e := t.match(s, end+1); e >= 0 {
			return e
		}
		if s >= len(t.src) || !t.fits(t.src[s], p, end) {
			return -1
		}
		s++
	}
}

// classEnd is where the class that begins at p ends.
func (t *matcher) classEnd(p int) int {
	c := t.pat[p]
	p++
	switch c {
	case '%':
		if p == len(t.pat) {
			t.fail("malformed pattern (ends with '%')")
		}
		return p + 1
	case '[':
		if p < len(t.pat) && t.pat[p] == '^' {
			p++
		}
		for first := true; first || p >= len(t.pat) || t.pat[p] != ']'; first = false {
			if p >= len(t.pat) {
				t.fail("malformed pattern (missing ']')")
			}
			if c = t.pat[p]; c == '%' && p+1 < len(t.pat) {
				p++
			}
			p++
			t.steps++
		}
		return p + 1
	}
	return p
}

// fits reports whether a byte is of the class from p to end.
func (t *matcher) fits(c byte, p, end int) bool {
	switch t.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(c, t.pat[p+1])
	case '[':
		return t.inSet(c, p, end-1)
	}
	return t.pat[p] == c
}

// inSet reports whether a byte is of the set whose brackets are at p and last.
func (t *matcher) inSet(c byte, p, last int) bool {
	t.steps += (last - p) / 8
	found := true
	if t.pat[p+1] == '^' {
		found = false
		p++
	}
	for p++; p < last; p++ {
		switch {
		case t.pat[p] == '%':
			p++
			if inClass(c, t.pat[p]) {
				return found
			}
		case p+2 < last && t.pat[p+1] == '-':
			if t.pat[p] <= c && c <= t.pat[p+2] {
				return found
			}
			p += 2
		case t.pat[p] == c:
			return found
		}
	}
	return !found
}

// inClass reports whether a byte is of the class that a letter after % names.
func inClass(c, class byte) bool {
	in := false
	switch class | 0x20 {
	case 'a':
		in = isLetter(c)
	case 'c':
		in = c < 32 || c == 127
	case 'd':
		in = isDigit(c)
	case 'l':
		in = 'a' <= c && c <= 'z'
	case 'p':
		in = 32 < c && c < 127 && !isLetter(c) && !isDigit(c)
	case 's':
		in = c == ' ' || 9 <= c && c <= 13
	case 'u':
		in = 'A' <= c && c <= 'Z'
	case 'w':
		in = isLetter(c) || isDigit(c)
	case 'x':
		in = isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return class == c
	}
	if !isLetter(class) {
		return class == c
	}
	return in == (class >= 'a')
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// capture is a capture's value; that of a pattern without captures is the match.
func (t *matcher) capture(i, s, e int) lua.LValue {
	if i >= t.level {
		if i != 0 {
			t.fail("invalid capture index")
		}
		return lua.LString(t.src[s:e])
	}
	c := t.captures[i]
	switch c.size {
	case unfinished:
		t.fail("unfinished capture")
	case position:
		return lua.LNumber(c.start + 1)
	}
	return lua.LString(t.src[c.start : c.start+c.size])
}

// push puts the captures on the stack; of a pattern without any the match, if whole.
func (t *matcher) push(s, e int, whole bool) int {
	n := t.level
	if n == 0 && whole {
		n = 1
	}
	for i := range n {
		t.state.Push(t.capture(i, s, e))
	}
	return n
}

// startOf is the place, from 0 on, that a script means by a number.
func startOf(l *lua.LState, at, size int) int {
	n := math.Trunc(float64(l.OptNumber(at, 1)))
	if n < 0 {
		n += float64(size) + 1
	}
	if !(n > 1) { // nor if it is no number
		return 0
	}
	return int(min(n-1, float64(size)))
}
