package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// Form is how replies are written.
type Form int

// The forms, byte for byte those of redis-cli 7.0, except that JSON is always JSON:
// there an error and a text that is no UTF-8 are not.
const (
	Chosen Form = iota // Human on a terminal, else Raw
	Human              // with types, quotes and numbers before elements
	Raw                // the text alone
	CSV
	JSON
)

// format writes a reply in a form.
type format struct {
	form      Form
	between   string // elements, in Raw
	after     string // a reply, in Raw
	forPeople bool   // it is text with lines of its own, as of INFO, and shown as it is
}

// append adds a reply as it is printed, its end included.
func (f format) append(dst []byte, r resp.Reply) []byte {
	switch {
	case f.forPeople:
		return endLine(f.raw(dst, r))
	case f.form == Raw:
		return append(f.raw(dst, r), f.after...)
	case f.form == JSON:
		return append(appendJSON(dst, r), '\n')
	case f.form == CSV:
		return append(appendCSV(dst, r), '\n')
	}
	return appendHuman(dst, r, "")
}

func endLine(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] == '\n' {
		return text
	}
	return append(text, '\n')
}

// appendHuman adds a reply with a newline at its end. The lines of an element
// after its first begin with prefix.
func appendHuman(dst []byte, r resp.Reply, prefix string) []byte {
	switch r.Kind() {
	case resp.Failure:
		dst = append(append(dst, "(error) "...), r.Str()...)
	case resp.Number:
		dst = strconv.AppendInt(append(dst, "(integer) "...), r.Int(), 10)
	case resp.Decimal:
		dst = append(append(dst, "(double) "...), decimal(r)...)
	case resp.Text, resp.BigNumber:
		dst = resp.AppendQuoted(dst, r.Str())
	case resp.Truth:
		dst = append(dst, truth(r)...)
	case resp.Null, resp.NullArray:
		dst = append(dst, "(nil)"...)
	case resp.List, resp.Unordered, resp.Pairs, resp.Out:
		return appendElements(dst, r, prefix)
	default: // a status, and text for people
		dst = append(dst, r.Str()...)
	}
	return append(dst, '\n')
}

// emptyNames are what is shown in place of no elements.
var emptyNames = map[resp.Kind]string{
	resp.List: "(empty array)\n", resp.Pairs: "(empty hash)\n", resp.Unordered: "(empty set)\n", resp.Out: "(empty push)\n",
}

func appendElements(dst []byte, r resp.Reply, prefix string) []byte {
	items := r.Items()
	if len(items) == 0 {
		return append(dst, emptyNames[r.Kind()]...)
	}
	for i := range count(r) {
		if i > 0 {
			dst = append(dst, prefix...)
		}
		dst = appendElement(dst, r, i, prefix)
	}
	return dst
}

// count is how many elements a reply has: of a map, pairs.
func count(r resp.Reply) int {
	if r.Kind() == resp.Pairs {
		return len(r.Items()) / 2
	}
	return len(r.Items())
}

// appendElement adds the element at a place, its number before it.
func appendElement(dst []byte, r resp.Reply, at int, prefix string) []byte {
	dst = appendPlace(dst, r, at)
	inner := prefix + strings.Repeat(" ", len(strconv.Itoa(count(r)))+len(") "))
	if r.Kind() != resp.Pairs {
		return appendHuman(dst, r.Items()[at], inner)
	}
	dst = appendHuman(dst, r.Items()[2*at], inner)
	return appendValue(append(dst[:len(dst)-1], " => "...), r.Items()[2*at+1], inner)
}

// appendPlace adds the number of an element, as wide as that of the last, and a
// mark that tells lists, sets and maps apart.
func appendPlace(dst []byte, r resp.Reply, at int) []byte {
	mark := ") "
	switch r.Kind() {
	case resp.Unordered:
		mark = "~ "
	case resp.Pairs:
		mark = "# "
	}
	return fmt.Appendf(dst, "%*d%s", len(strconv.Itoa(count(r))), at+1, mark)
}

// appendValue adds the value of a map, below it if it takes more than a line.
func appendValue(dst []byte, r resp.Reply, prefix string) []byte {
	if spreads(r) {
		dst = append(append(dst, '\n'), prefix...)
	}
	return appendHuman(dst, r, prefix)
}

// spreads reports whether a reply is one of several elements, or holds one alone.
func spreads(r resp.Reply) bool {
	return isAggregate(r) && (count(r) > 1 || slices.ContainsFunc(r.Items(), spreads))
}

func isAggregate(r resp.Reply) bool {
	switch r.Kind() {
	case resp.List, resp.Unordered, resp.Pairs, resp.Out:
		return true
	}
	return false
}

func (f format) raw(dst []byte, r resp.Reply) []byte {
	switch r.Kind() {
	case resp.Null, resp.NullArray:
		return dst
	case resp.Failure:
		return append(append(dst, r.Str()...), '\n')
	case resp.Number:
		return strconv.AppendInt(dst, r.Int(), 10)
	case resp.Decimal:
		return append(dst, decimal(r)...)
	case resp.Truth:
		return append(dst, truth(r)...)
	case resp.List, resp.Unordered, resp.Pairs, resp.Out:
		return f.rawElements(dst, r)
	}
	return append(dst, r.Str()...)
}

func (f format) rawElements(dst []byte, r resp.Reply) []byte {
	for i, item := range r.Items() {
		switch {
		case i == 0:
		case r.Kind() == resp.Pairs && i%2 == 1:
			dst = append(dst, ' ')
		default:
			dst = append(dst, f.between...)
		}
		dst = f.raw(dst, item)
	}
	return dst
}

func appendCSV(dst []byte, r resp.Reply) []byte {
	switch r.Kind() {
	case resp.Null, resp.NullArray:
		return append(dst, "NULL"...)
	case resp.Failure:
		return resp.AppendQuoted(append(dst, "ERROR,"...), r.Str())
	case resp.Number:
		return strconv.AppendInt(dst, r.Int(), 10)
	case resp.Decimal:
		return append(dst, decimal(r)...)
	case resp.Truth:
		return strconv.AppendBool(dst, r.Int() != 0)
	case resp.List, resp.Unordered, resp.Pairs, resp.Out:
		for i, item := range r.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendCSV(dst, item)
		}
		return dst
	}
	return resp.AppendQuoted(dst, r.Str())
}

// decimal is a double as the server wrote it.
func decimal(r resp.Reply) string {
	text := resp.V3.Append(nil, r)
	return string(text[1 : len(text)-2])
}

func truth(r resp.Reply) string {
	if r.Int() != 0 {
		return "(true)"
	}
	return "(false)"
}
