package transcript

import (
	"slices"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// Parts of a wanted reply that may vary are texts that begin with one of these,
// which no server sends:
//
//	anyMark + name   any reply; its value is kept under the name, if it has one
//	globMark + text  a text in which each * stands for any bytes
const (
	anyMark  = "\x00any:"
	globMark = "\x00glob:"
)

// globKinds are what may stand before a text with stars: that it is verbatim,
// a status, or nothing. Nothing is last, as it fits all.
var globKinds = []string{"=txt:", "=mkd:", "+", ""}

// The marks as AppendQuoted writes them.
const (
	quotedAny  = `"\x00any:`
	quotedGlob = `"\x00glob:`
)

// markVarying makes of a block of replies, a line each or several, one text in
// which what may vary is marked.
func markVarying(block []string) string {
	var b strings.Builder
	for _, line := range block {
		if head, isSecond := strings.CutPrefix(line, resp2Mark); isSecond {
			b.WriteString(resp2Mark)
			line = head
		}
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			b.WriteString(line + "\n") // text to its end
			continue
		}
		markLine(&b, line)
	}
	return b.String()
}

// markLine marks the stars that stand where a reply begins.
func markLine(b *strings.Builder, line string) {
	begins, quoted := true, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quoted:
			if c == '\\' && i+1 < len(line) {
				b.WriteByte(c)
				i++
				c = line[i]
			} else if c == '"' {
				quoted = false
			}
		case c == '*' && begins && !strings.HasPrefix(line[i:], "*-1"):
			n := markStar(b, line[i+1:])
			i += n
			quoted = strings.HasSuffix(line[:i+1], `"`)
			begins = false
			continue
		case c == '"':
			quoted = true
		}
		if c != ' ' && c != '\t' {
			begins = !quoted && strings.IndexByte("[{,:", c) >= 0
		}
		b.WriteByte(c)
	}
	b.WriteByte('\n')
}

// markStar writes the mark for a star before rest, and returns how much of
// rest it stands for.
func markStar(b *strings.Builder, rest string) (n int) {
	for _, kind := range globKinds {
		if strings.HasPrefix(rest, kind+`"`) {
			b.WriteString(kind + quotedGlob)
			return len(kind) + 1
		}
	}
	for n < len(rest) && isNameByte(rest[n]) {
		n++
	}
	b.WriteString(quotedAny + rest[:n] + `"`)
	return n
}

func isNameByte(c byte) bool { return c >= 'a' && c <= 'z' }

// unmarkVarying is the way back from markVarying, for one reply.
func unmarkVarying(text string) string {
	for {
		at := strings.Index(text, quotedAny)
		if at < 0 {
			break
		}
		name, after, _ := strings.Cut(text[at+len(quotedAny):], `"`)
		text = text[:at] + "*" + name + after
	}
	for _, kind := range globKinds {
		text = strings.ReplaceAll(text, kind+quotedGlob, "*"+kind+`"`)
	}
	return text
}

// names are the values kept under a name.
type names map[string]string

// matches reports whether got is what is wanted.
func (kept names) matches(want, got resp.Reply) bool {
	if name, isAny := cutMark(want, anyMark); isAny {
		if name != "" {
			kept[name] = valueOf(got)
		}
		return true
	}
	if want.Kind() != got.Kind() {
		return false
	}
	if pattern, isGlob := cutMark(want, globMark); isGlob {
		return matchStars(pattern, got.Str())
	}
	if len(want.Items()) == 0 && len(got.Items()) == 0 {
		return resp.Equal(want, got)
	}
	return slices.EqualFunc(want.Items(), got.Items(), kept.matches)
}

func cutMark(r resp.Reply, mark string) (rest string, found bool) {
	if r.Kind() != resp.Text && r.Kind() != resp.Verbatim && r.Kind() != resp.Status {
		return "", false
	}
	return strings.CutPrefix(r.Str(), mark)
}

// valueOf is a reply as a word of a command.
func valueOf(r resp.Reply) string {
	if r.Kind() == resp.Number {
		return strings.TrimPrefix(resp.Format(r), ":")
	}
	return r.Str()
}

// matchStars reports whether s is pattern with some text for each star.
func matchStars(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(s, first) {
		return false
	}
	s = s[len(first):]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(s, part)
		if at < 0 {
			return false
		}
		s = s[at+len(part):]
	}
	return strings.HasSuffix(s, last)
}

// adopt is got with the marks of want that fit it: what a transcript that is
// rewritten wants from then on.
func adopt(want, got resp.Reply) resp.Reply {
	if (names{}).matches(want, got) {
		return want
	}
	if want.Kind() != got.Kind() || len(want.Items()) != len(got.Items()) || len(got.Items()) == 0 {
		return got
	}
	items := make([]resp.Reply, len(got.Items()))
	for i, item := range got.Items() {
		items[i] = adopt(want.Items()[i], item)
	}
	return withItems(got, items)
}

// withItems is an aggregate of r's kind.
func withItems(r resp.Reply, items []resp.Reply) resp.Reply {
	switch r.Kind() {
	case resp.Unordered:
		return resp.Set(items...)
	case resp.Pairs:
		return resp.Map(items...)
	case resp.Out:
		return resp.Push(items...)
	}
	return resp.Array(items...)
}
