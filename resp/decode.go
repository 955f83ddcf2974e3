package resp

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Decode reads the reply, in RESP2 or RESP3, at the front of b. n is the number
// of bytes it took; 0 without an error means that b does not hold all of it
// yet. Attributes are passed over. The reply shares no memory with b.
//
// A caller that gets a long reply in pieces asks a Framer first, so as not to
// decode its beginning again with each piece.
func Decode(b []byte) (r Reply, n int, err error) {
	var f Framer
	if n, err = f.Frame(b); n == 0 || err != nil {
		return Reply{}, 0, err
	}
	d := decoder{rest: b[:n]}
	if r, err = d.reply(0); err != nil {
		return Reply{}, 0, err
	}
	return r, n, nil
}

// Framer finds where a reply ends that arrives in pieces, looking at each part
// of it once. The zero Framer is ready for use, and ready again when a reply
// was found.
type Framer struct {
	at   int // what is before this was looked at
	open int // replies still to come, less one
}

// Frame returns the length of the reply at the front of b, or 0 if its end
// has not come; the next call must then show the same bytes and more.
func (f *Framer) Frame(b []byte) (n int, err error) {
	for {
		kind, line, next := cutLine(b, f.at)
		if next == 0 {
			if len(b)-f.at > replyLineMax {
				return 0, errors.New("resp: a line of the reply is too long")
			}
			return 0, nil
		}
		more, err := contents(kind, line)
		if err != nil {
			return 0, err
		}
		if more.bytes >= 0 {
			if len(b)-next-2 < more.bytes {
				return 0, nil
			}
			next += more.bytes + 2
		}
		f.at = next
		f.open += more.replies - 1
		if f.open < 0 {
			*f = Framer{}
			return next, nil
		}
		if f.open > replyItemsMax {
			return 0, errors.New("resp: the reply has too many elements")
		}
	}
}

// Bounds that no sound reply reaches, so that a stream that is not RESP ends
// in an error instead of in endless waiting.
const (
	replyLineMax  = 1 << 20
	replyBulkMax  = 1 << 40
	replyItemsMax = 1 << 40
	depthMax      = 1000
)

// extent is what a line announces.
type extent struct {
	bytes   int // of text after it, -1 for none
	replies int // that belong to it
}

// contents tells what follows a line of that kind.
func contents(kind byte, line string) (extent, error) {
	plain := extent{bytes: -1}
	switch kind {
	case '+', '-', ':', ',', '(', '#', '_':
		return plain, nil
	case '$', '*', '!', '=', '%', '~', '>', '|':
	default:
		return plain, fmt.Errorf("resp: a reply cannot begin with %q", kind)
	}
	n, err := strconv.ParseInt(line, 10, 64)
	if n == -1 && (kind == '$' || kind == '*') {
		return plain, nil
	}
	if err != nil || n < 0 || n > replyBulkMax {
		return plain, fmt.Errorf("resp: %q is no length", line)
	}
	switch kind {
	case '$', '!', '=':
		return extent{bytes: int(n)}, nil
	case '%':
		return extent{bytes: -1, replies: 2 * int(n)}, nil
	case '|': // an attribute stands before a reply, not in its place
		return extent{bytes: -1, replies: 2*int(n) + 1}, nil
	}
	return extent{bytes: -1, replies: int(n)}, nil
}

// cutLine splits off the line that begins at b[at]: its first byte, what
// follows up to CR LF, and where the next line begins, 0 if it has no end.
func cutLine(b []byte, at int) (kind byte, line string, next int) {
	end := bytes.Index(b[at:], []byte("\r\n"))
	if end < 0 {
		return 0, "", 0
	}
	if end == 0 {
		return '\r', "", at + 2
	}
	return b[at], string(b[at+1 : at+end]), at + end + 2
}

// decoder makes the reply of a complete frame.
type decoder struct{ rest []byte }

func (d *decoder) reply(depth int) (Reply, error) {
	if depth > depthMax {
		return Reply{}, errors.New("resp: the reply is nested too deeply")
	}
	kind, line, next := cutLine(d.rest, 0)
	more, err := contents(kind, line)
	if err != nil {
		return Reply{}, err
	}
	d.rest = d.rest[next:]
	switch {
	case more.bytes >= 0:
		text := string(d.rest[:more.bytes])
		d.rest = d.rest[more.bytes+2:]
		return textReply(kind, text)
	case kind == '|':
		if _, err := d.items(more.replies-1, depth); err != nil {
			return Reply{}, err
		}
		return d.reply(depth + 1)
	case (kind == '*' || kind == '$') && line == "-1":
		return null(kind), nil
	case kind == '*' || kind == '%' || kind == '~' || kind == '>':
		items, err := d.items(more.replies, depth)
		return Reply{kind: aggregates[kind], items: items}, err
	}
	return scalar(kind, line)
}

var aggregates = map[byte]Kind{'*': List, '%': Pairs, '~': Unordered, '>': Out}

func null(kind byte) Reply {
	if kind == '*' {
		return NilArray
	}
	return Nil
}

func (d *decoder) items(n, depth int) ([]Reply, error) {
	var items []Reply // grows with what is there, not with what is announced
	for range n {
		item, err := d.reply(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// textReply is a reply given with its length.
func textReply(kind byte, text string) (Reply, error) {
	switch {
	case kind == '$':
		return BulkString(text), nil
	case kind == '!':
		return Error(text), nil
	case len(text) < 4 || text[3] != ':':
		return Reply{}, fmt.Errorf("resp: verbatim text without a format: %q", text)
	}
	return VerbatimText(text[:3], text[4:]), nil
}

// scalar is a reply of one line. Numbers are taken in the form in which they
// are written here, and doubles in any that strconv knows.
func scalar(kind byte, line string) (Reply, error) {
	switch kind {
	case '+':
		return Simple(strings.NewReplacer("\r", " ", "\n", " ").Replace(line)), nil
	case '-':
		return Error(line), nil
	case ':':
		if n, err := strconv.ParseInt(line, 10, 64); err == nil {
			return Int(n), nil
		}
	case ',':
		if f, err := strconv.ParseFloat(line, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return doubleOf(f, line), nil
		}
	case '(':
		if isDecimal(line) {
			return Big(line), nil
		}
	case '#':
		if line == "t" || line == "f" {
			return Bool(line == "t"), nil
		}
	case '_':
		if line == "" {
			return Nil, nil
		}
	}
	return Reply{}, fmt.Errorf("resp: %q is no reply", string(kind)+line)
}

// doubleOf is a number with the notation in which it was found, if that is one
// of those written here.
func doubleOf(f float64, line string) Reply {
	double, plain := Double(f), Plain(f)
	var digits [doubleBytesMax]byte
	if string(appendDecimal(digits[:0], &double)) != line && string(appendDecimal(digits[:0], &plain)) == line {
		return plain
	}
	return double
}

// isDecimal reports whether s is an optional minus and digits.
func isDecimal(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// Equal reports whether a and b are the same reply: the same kinds with the
// same contents in the same order. All nan are equal, the two zeros are not.
func Equal(a, b Reply) bool {
	if a.kind != b.kind || a.text != b.text || len(a.items) != len(b.items) {
		return false
	}
	bothNaN := a.kind == Decimal && a.Float() != a.Float() && b.Float() != b.Float()
	if a.n != b.n && !bothNaN {
		return false
	}
	for i := range a.items {
		if !Equal(a.items[i], b.items[i]) {
			return false
		}
	}
	return true
}
