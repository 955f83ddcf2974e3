package resp

import (
	"fmt"
	"strings"
)

// Parse reads a reply in the notation of transcripts: what Format writes, also
// with other line breaks and blanks between elements. The empty string is
// Nothing.
func Parse(s string) (Reply, error) {
	if strings.TrimSpace(s) == "" {
		return Nothing, nil
	}
	r, rest, err := ParsePrefix(s)
	if err == nil && strings.TrimSpace(rest) != "" {
		err = fmt.Errorf("resp: %q after the reply", firstLine(rest))
	}
	if err != nil {
		return Nothing, err
	}
	return r, nil
}

// ParsePrefix reads the reply that begins s. rest begins with the line after
// it, so a transcript of several replies is read one by one.
func ParsePrefix(s string) (r Reply, rest string, err error) {
	p := notation{text: s}
	p.skipBlanks()
	if r, err = p.reply(0); err != nil {
		return Nothing, s, err
	}
	line, rest, _ := strings.Cut(p.text[p.at:], "\n")
	if strings.TrimSpace(line) != "" {
		return Nothing, s, fmt.Errorf("resp: %q after the reply", line)
	}
	return r, rest, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// notation is a transcript being read, at a place in it.
type notation struct {
	text string
	at   int
}

func (p *notation) wrong(what string) error {
	return fmt.Errorf("resp: %s at %q", what, firstLine(p.text[p.at:]))
}

// accept goes past prefix if it is next.
func (p *notation) accept(prefix string) bool {
	if !strings.HasPrefix(p.text[p.at:], prefix) {
		return false
	}
	p.at += len(prefix)
	return true
}

func (p *notation) skipBlanks() {
	for p.at < len(p.text) && isBlank(p.text[p.at]) {
		p.at++
	}
}

// until takes what comes before the first of the bytes in ends.
func (p *notation) until(ends string) string {
	rest := p.text[p.at:]
	if end := strings.IndexAny(rest, ends); end >= 0 {
		rest = rest[:end]
	}
	p.at += len(rest)
	return rest
}

func (p *notation) reply(depth int) (Reply, error) {
	if depth > depthMax {
		return Nothing, p.wrong("too deep a nesting")
	}
	switch {
	case p.accept("["):
		return p.aggregate(List, "]", depth)
	case p.accept("~["):
		return p.aggregate(Unordered, "]", depth)
	case p.accept(">["):
		return p.aggregate(Out, "]", depth)
	case p.accept("%{"):
		return p.aggregate(Pairs, "}", depth)
	case p.accept("*-1"):
		return NilArray, nil
	case depth > 0 && p.accept(nothingInside):
		return Nothing, nil
	case p.accept("+"):
		text, err := p.line(depth > 0)
		return Simple(text), err
	case p.accept("-"):
		text, err := p.line(depth > 0)
		return Error(text), err
	case p.accept("="):
		return p.verbatim()
	case strings.HasPrefix(p.text[p.at:], `"`):
		text, err := p.quoted()
		return BulkString(text), err
	}
	return p.scalar()
}

// scalar reads what is written as in RESP3. Blanks and commas end it, but the
// comma that marks a double.
func (p *notation) scalar() (Reply, error) {
	if p.at == len(p.text) {
		return Nothing, p.wrong("a reply is missing")
	}
	start := p.at
	p.at++
	line := p.until(" ,:]}\t\r\n")
	r, err := scalar(p.text[start], line)
	if err != nil {
		p.at = start
		return Nothing, p.wrong("no reply")
	}
	return r, nil
}

// line reads the text of a status or an error.
func (p *notation) line(inside bool) (text string, err error) {
	switch {
	case strings.HasPrefix(p.text[p.at:], `"`):
		text, err = p.quoted()
	case inside:
		text = strings.TrimSpace(p.until(insideEnds))
	default:
		text = strings.TrimSpace(p.until("\n"))
	}
	if strings.ContainsAny(text, "\r\n") {
		return "", p.wrong("a line break in a status or an error")
	}
	return text, err
}

func (p *notation) verbatim() (Reply, error) {
	format := p.until(`:"`)
	if len(format) != 3 || !p.accept(":") || !strings.HasPrefix(p.text[p.at:], `"`) {
		return Nothing, p.wrong("no verbatim text")
	}
	text, err := p.quoted()
	return VerbatimText(format, text), err
}

// quoted reads text in double quotes.
func (p *notation) quoted() (string, error) {
	end := p.at + 1
	for end < len(p.text) && p.text[end] != '"' && p.text[end] != '\n' {
		if p.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(p.text) || p.text[end] != '"' {
		return "", p.wrong("no end of the quotes")
	}
	words, ok := SplitLine([]byte(p.text[p.at : end+1]))
	if !ok || len(words) != 1 {
		return "", p.wrong("no quoted text")
	}
	p.at = end + 1
	return string(words[0]), nil
}

// aggregate reads elements up to closing, with commas between them and, if
// one likes, after the last.
func (p *notation) aggregate(kind Kind, closing string, depth int) (Reply, error) {
	r := Reply{kind: kind}
	for {
		p.skipBlanks()
		if p.accept(closing) {
			break
		}
		item, err := p.reply(depth + 1)
		if err != nil {
			return Nothing, err
		}
		r.items = append(r.items, item)
		p.skipBlanks()
		isKey := kind == Pairs && len(r.items)%2 == 1
		switch {
		case isKey && !p.accept(":"):
			return Nothing, p.wrong("no colon after a key")
		case !isKey && !p.accept(",") && !strings.HasPrefix(p.text[p.at:], closing):
			return Nothing, p.wrong("no comma after an element")
		}
	}
	if kind == Pairs && len(r.items)%2 == 1 {
		return Nothing, p.wrong("no value after a key")
	}
	return r, nil
}
