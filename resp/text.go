package resp

import "strings"

// The notation of replies in transcripts, one reply a line unless it is long:
//
//	+OK                    a status              _     a null
//	-ERR syntax error      an error              *-1   RESP2's null array
//	:1                     an integer            #t    a boolean, also #f
//	"a\r\n\x00\""          a bulk string         ,1.5  a double, ,inf ,nan
//	=txt:"Some text"       verbatim text         (123  a big number
//	["a", :1, [_, #f]]     an array
//	~["a", "b"]            a set
//	>["message", "ch"]     a push
//	%{"k": "v", "n": :1}   a map
//
// In quotes the escapes are those of command lines (SplitLine). A status or an
// error is quoted too where it might be misread: +"a\"b". An aggregate that
// makes a line too long is spread over several, an element a line, with a
// comma after each, the last one too.

// lineMax is where an aggregate is spread over several lines.
const lineMax = 78

// Format writes r in the notation of transcripts, without a newline at the
// end. Nothing is written as the empty string.
func Format(r Reply) string {
	if r.kind == None {
		return ""
	}
	return string(appendNotation(nil, &r, 0))
}

// nothingInside stands for Nothing as an element, which no encoder can send.
const nothingInside = "none"

func appendNotation(dst []byte, r *Reply, indent int) []byte {
	switch r.kind {
	case None:
		return append(dst, nothingInside...)
	case Status, Failure:
		return appendLineNotation(dst, r, indent > 0)
	case Text:
		return AppendQuoted(dst, r.text)
	case Verbatim:
		dst = append(append(append(dst, '='), r.Format()...), ':')
		return AppendQuoted(dst, r.Str())
	case NullArray:
		return append(dst, "*-1"...)
	case List, Unordered, Out, Pairs:
		if r.bulked() {
			list := Array(r.unbulked()...)
			r = &list
		}
		return appendAggregate(dst, r, indent)
	case Couples:
		nested := nest(r.items)
		return appendAggregate(dst, &nested, indent)
	}
	// The rest is written as RESP3 has it.
	dst = append3(dst, r)
	return dst[:len(dst)-len("\r\n")]
}

// nest makes of a Couples' items the array of arrays that RESP3 has.
func nest(items []Reply) Reply {
	twos := make([]Reply, 0, len(items)/2)
	for i := 0; i+1 < len(items); i += 2 {
		twos = append(twos, Array(items[i:i+2]...))
	}
	return Array(twos...)
}

// appendLineNotation writes a status or an error, which at the top goes on to
// the end of its line.
func appendLineNotation(dst []byte, r *Reply, inside bool) []byte {
	mark := byte('+')
	if r.kind == Failure {
		mark = '-'
	}
	dst = append(dst, mark)
	plain := isPrintable(r.text) && strings.TrimSpace(r.text) == r.text && !strings.HasPrefix(r.text, `"`)
	if inside {
		plain = plain && r.text != "" && !strings.ContainsAny(r.text, insideEnds)
	}
	if plain {
		return append(dst, r.text...)
	}
	return AppendQuoted(dst, r.text)
}

// insideEnds are the bytes that end an unquoted status inside an aggregate.
const insideEnds = `,:]}"` + "\n"

// isPrintable reports whether s is of printable ASCII only.
func isPrintable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func appendAggregate(dst []byte, r *Reply, indent int) []byte {
	start := len(dst)
	dst, fits := appendInLine(dst, r, lineMax-2*indent)
	if fits {
		return dst
	}
	dst = append(dst[:start], opening(r.kind)...)
	closing := dst[len(dst)-1] + 2 // as it is in ASCII: [] and {}
	step := 1
	if r.kind == Pairs {
		step = 2
	}
	for i := 0; i+step <= len(r.items); i += step {
		dst = appendIndent(append(dst, '\n'), indent+1)
		dst = appendNotation(dst, &r.items[i], indent+1)
		if step == 2 {
			dst = appendNotation(append(dst, ": "...), &r.items[i+1], indent+1)
		}
		dst = append(dst, ',')
	}
	return append(appendIndent(append(dst, '\n'), indent), closing)
}

// appendInLine writes an aggregate in one line, unless that takes more than
// room bytes: then what it appended is of no use.
func appendInLine(dst []byte, r *Reply, room int) ([]byte, bool) {
	limit := len(dst) + room
	if r.kind == Couples {
		nested := nest(r.items)
		r = &nested
	}
	dst = append(dst, opening(r.kind)...)
	closing := dst[len(dst)-1] + 2
	for i := range r.items {
		switch {
		case i > 0 && r.kind == Pairs && i%2 == 1:
			dst = append(dst, ": "...)
		case i > 0:
			dst = append(dst, ", "...)
		}
		if item := &r.items[i]; len(item.items) == 0 {
			dst = appendNotation(dst, item, 1)
		} else {
			var fits bool
			if dst, fits = appendInLine(dst, item, limit-len(dst)); !fits {
				return dst, false
			}
		}
		if len(dst) > limit {
			return dst, false
		}
	}
	return append(dst, closing), len(dst) < limit
}

func opening(kind Kind) string {
	switch kind {
	case Unordered:
		return "~["
	case Out:
		return ">["
	case Pairs:
		return "%{"
	}
	return "["
}

func appendIndent(dst []byte, indent int) []byte {
	for range indent {
		dst = append(dst, ' ', ' ')
	}
	return dst
}

// AppendQuoted appends s in double quotes, as Redis shows arguments (MONITOR,
// sdscatrepr) and as command lines take them: bytes that are not printable
// ASCII as \n \r \t \a \b or \xHH.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= ' ' && c <= '~':
			dst = append(dst, c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\a':
			dst = append(dst, `\a`...)
		case c == '\b':
			dst = append(dst, `\b`...)
		default:
			dst = append(dst, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(dst, '"')
}
