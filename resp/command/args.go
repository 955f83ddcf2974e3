package command

import (
	"bytes"
	"math"

	"github.com/troupedb/troupe/resp"
)

// Args reads a command's words one after the other. The first mistake sticks:
// later reads return zero values, so a handler checks once, with Bad, before
// it changes anything.
type Args struct {
	argv [][]byte
	pos  int
	meta *Meta
	bad  bool
	err  resp.Reply // if bad
}

// Reset begins to read argv, a command of meta whose arity has been checked.
func (a *Args) Reset(meta *Meta, argv [][]byte) {
	a.argv, a.pos, a.meta, a.bad = argv, meta.words, meta, false
}

// Meta is the command being read.
func (a *Args) Meta() *Meta { return a.meta }

// Argv is the whole command, its name included.
func (a *Args) Argv() [][]byte { return a.argv }

// Len is the number of words not yet read.
func (a *Args) Len() int { return len(a.argv) - a.pos }

// More reports whether words are left and no mistake was made.
func (a *Args) More() bool { return a.pos < len(a.argv) && !a.Bad() }

// Bad reports whether a mistake was made.
func (a *Args) Bad() bool { return a.bad }

// Err is the first mistake, as the reply to it.
func (a *Args) Err() resp.Reply {
	if !a.bad {
		return resp.Nothing
	}
	return a.err
}

// Fail notes a mistake, unless one was made before.
func (a *Args) Fail(err resp.Reply) {
	if !a.bad {
		a.bad, a.err = true, err
	}
}

// Bytes reads the next word. A missing word is a syntax error. The bytes are
// those of the request: what is kept beyond the command must be copied.
func (a *Args) Bytes() []byte {
	if a.pos >= len(a.argv) {
		a.Fail(resp.ErrSyntax)
	}
	if a.Bad() {
		return nil
	}
	a.pos++
	return a.argv[a.pos-1]
}

// Key reads the next word as a key.
func (a *Args) Key() []byte { return a.Bytes() }

// Peek is the next word without reading it, nil at the end.
func (a *Args) Peek() []byte {
	if !a.More() {
		return nil
	}
	return a.argv[a.pos]
}

// Rest reads all words that are left.
func (a *Args) Rest() [][]byte {
	if a.Bad() {
		return nil
	}
	rest := a.argv[a.pos:]
	a.pos = len(a.argv)
	return rest
}

// Option reads the next word if it is word (in any case), and reports so.
func (a *Args) Option(word string) bool {
	if !a.More() || !EqualFold(a.argv[a.pos], word) {
		return false
	}
	a.pos++
	return true
}

// OptionWith is Option for a word that has n more words after it: if they are
// missing it does not match, and the word is left to be a syntax error.
func (a *Args) OptionWith(word string, n int) bool {
	return a.Len() > n && a.Option(word)
}

// End notes a syntax error if words are left.
func (a *Args) End() {
	if a.pos < len(a.argv) {
		a.Fail(resp.ErrSyntax)
	}
}

// Syntax notes a syntax error.
func (a *Args) Syntax() { a.Fail(resp.ErrSyntax) }

// Int reads a signed 64-bit integer in Redis's strict notation.
func (a *Args) Int() int64 { return a.IntOr(resp.ErrNotInteger) }

// IntOr is Int with another answer to a mistake.
func (a *Args) IntOr(err resp.Reply) int64 {
	word := a.Bytes()
	if a.Bad() {
		return 0
	}
	n, ok := ParseInt(word)
	if !ok {
		a.Fail(err)
	}
	return n
}

// IntIn reads an integer between low and high.
func (a *Args) IntIn(low, high int64, err resp.Reply) int64 {
	n := a.IntOr(err)
	if !a.Bad() && (n < low || n > high) {
		a.Fail(err)
	}
	return n
}

// Int32 reads an integer that Redis keeps in 32 bits.
func (a *Args) Int32() int {
	n := a.Int()
	if !a.Bad() && (n < math.MinInt32 || n > math.MaxInt32) {
		a.Fail(resp.ErrInt32)
	}
	return int(n)
}

// EqualFold reports whether b is word, letters of ASCII in any case; word is
// in capitals.
func EqualFold(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i := 0; i < len(word); i++ {
		c := b[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// ParseInt reads a signed 64-bit integer as Redis does: digits with an
// optional minus, no leading zeros, no plus, no blanks (string2ll).
func ParseInt(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	digits, negative := b, b[0] == '-'
	if negative {
		digits = b[1:]
	}
	if len(digits) == 1 && digits[0] == '0' {
		return 0, !negative
	}
	if len(digits) == 0 || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	var u uint64
	for _, c := range digits {
		if c < '0' || c > '9' || u > (1<<64-1)/10 {
			return 0, false
		}
		next := u*10 + uint64(c-'0')
		if next < u {
			return 0, false
		}
		u = next
	}
	if negative {
		return int64(-u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

// Lower is b in lower case, for error texts.
func Lower(b []byte) string { return string(bytes.ToLower(b)) }
