package actors

import (
	"errors"
	"iter"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/resp"
)

// CommandError is the error that a command was answered with.
type CommandError struct {
	// Code is its first word: "ERR", "WRONGTYPE", "MISCONF" and the like.
	Code string
	// Text is all of it, the code included.
	Text string
}

// Error is the text.
func (e *CommandError) Error() string { return e.Text }

func commandError(text string) *CommandError {
	code, _, _ := strings.Cut(text, " ")
	return &CommandError{Code: code, Text: text}
}

// Reply is the answer to a command, in the shapes of RESP3. It is a value that
// nobody changes. Each command answers with a shape that its description tells;
// a method that asks a reply for what it is not, and can't be read as, returns
// the zero value.
type Reply struct{ r resp.Reply }

// Kind is the reply's shape: see the kinds of package resp.
func (r Reply) Kind() resp.Kind { return r.r.Kind() }

// IsNull reports whether there is nothing: no such key, field or element.
func (r Reply) IsNull() bool { return r.r.IsNull() }

// Err is the error that the reply is, or nil. A reply that Do has returned is
// none, but one within another may be, as in the answer to a script.
func (r Reply) Err() error {
	if !r.r.IsError() {
		return nil
	}
	return commandError(r.r.Str())
}

// Int is an integer; a text that is one is read as such, and a truth is 1 or 0.
func (r Reply) Int() int64 {
	switch r.r.Kind() {
	case resp.Number, resp.Truth:
		return r.r.Int()
	case resp.Decimal:
		return int64(r.r.Float())
	}
	n, _ := strconv.ParseInt(r.r.Str(), 10, 64)
	return n
}

// Float is a number; a text that is one is read as such.
func (r Reply) Float() float64 {
	switch r.r.Kind() {
	case resp.Number, resp.Truth:
		return float64(r.r.Int())
	case resp.Decimal:
		return r.r.Float()
	}
	f, _ := strconv.ParseFloat(r.r.Str(), 64)
	return f
}

// Bool is a truth, or whether a number is not 0; the status OK is true.
func (r Reply) Bool() bool {
	switch r.r.Kind() {
	case resp.Status:
		return r.r.Str() == "OK"
	case resp.Number, resp.Truth:
		return r.r.Int() != 0
	}
	return r.Int() != 0
}

// Text is the text of a string, a status or an error; numbers are written out.
func (r Reply) Text() string {
	switch r.r.Kind() {
	case resp.Number, resp.Truth:
		return strconv.FormatInt(r.r.Int(), 10)
	case resp.Decimal:
		return string(resp.FormatDouble(nil, r.r.Float()))
	}
	return r.r.Str()
}

// Bytes is Text in bytes of its own, nil for a null.
func (r Reply) Bytes() []byte {
	if r.IsNull() {
		return nil
	}
	return []byte(r.Text())
}

// Len is the number of elements: of a map, of its pairs.
func (r Reply) Len() int {
	n := len(r.r.Items())
	if k := r.r.Kind(); k == resp.Pairs || k == resp.Couples {
		return n / 2
	}
	return n
}

// Items are the elements of a list or set. Those of a map are keys and values in
// turn.
func (r Reply) Items() []Reply {
	items := r.r.Items()
	list := make([]Reply, 0, len(items))
	if r.r.Kind() == resp.Couples {
		for i := 0; i+1 < len(items); i += 2 {
			list = append(list, Reply{resp.Array(items[i], items[i+1])})
		}
		return list
	}
	for _, item := range items {
		list = append(list, Reply{item})
	}
	return list
}

// Strings are the texts of the elements; that of a null is "".
func (r Reply) Strings() []string {
	items := r.r.Items()
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = Reply{item}.Text()
	}
	return list
}

// Pairs yields the pairs of a map, in their order, or of a list of twos: fields
// and values, members and scores. Of any other list it yields the elements two
// by two.
func (r Reply) Pairs() iter.Seq2[Reply, Reply] {
	return func(yield func(Reply, Reply) bool) {
		items := r.r.Items()
		if r.isListOfTwos() {
			for _, two := range items {
				if inner := two.Items(); !yield(Reply{inner[0]}, Reply{inner[1]}) {
					return
				}
			}
			return
		}
		for i := 0; i+1 < len(items); i += 2 {
			if !yield(Reply{items[i]}, Reply{items[i+1]}) {
				return
			}
		}
	}
}

// isListOfTwos reports whether all elements are lists of two.
func (r Reply) isListOfTwos() bool {
	if r.r.Kind() != resp.List {
		return false
	}
	for _, item := range r.r.Items() {
		if item.Kind() != resp.List || len(item.Items()) != 2 {
			return false
		}
	}
	return true
}

// Map is Pairs in texts.
func (r Reply) Map() map[string]string {
	m := make(map[string]string, r.Len())
	for key, value := range r.Pairs() {
		m[key.Text()] = value.Text()
	}
	return m
}

// String is the reply as people read it, in the notation of Troupe's transcripts.
func (r Reply) String() string { return resp.Format(r.r) }

// errOf separates a reply that is an error from others.
func errOf(r resp.Reply) (Reply, error) {
	if r.IsError() {
		return Reply{}, commandError(r.Str())
	}
	return Reply{r}, nil
}

// errUnqueued is what is asked of a command that has not been run.
var errUnqueued = errors.New("troupe: the command has not been run")
