package session

import (
	"bytes"
	"fmt"
	"testing"
)

// FuzzReader: nothing panics; where a stream is cut makes no difference; and
// the fast way and the careful one, with redcon, find the same.
func FuzzReader(f *testing.F) {
	for _, c := range wireCases() {
		f.Add([]byte(c[0])[:min(len(c[0]), 200)], uint16(7))
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut uint16) {
		lim := Limits{BulkMax: 1 << 20, ArgsMax: 1 << 20, InlineMax: 100, Authenticated: cut%2 == 0}
		want := conversation(bytes.Clone(stream), nil, lim)
		at := int(cut) % (len(stream) + 1)
		if got := conversation(stream, []int{at}, lim); got != want {
			t.Errorf("%q cut at %d is answered %q, want %q", stream, at, got, want)
		}
		fast, fastEnd := requests(stream, (*Reader).Next, lim)
		careful, carefulEnd := requests(stream, (*Reader).read, lim)
		if fast != careful || fastEnd != carefulEnd {
			t.Errorf("%q is read as %s and ends %d, with care %s and %d", stream, fast, fastEnd, careful, carefulEnd)
		}
	})
}

// requests shows all requests of a stream as read by next, and how it ended.
// An HTTP request is not told apart.
func requests(stream []byte, next func(*Reader, []byte, [][]byte, *Limits) ([][]byte, int, Status), lim Limits) (string, Status) {
	var all []byte
	var r Reader
	for rest := bytes.Clone(stream); len(rest) > 0; {
		args, n, status := next(&r, rest, nil, &lim)
		if status != Ready && status != Foreign {
			return string(all), status
		}
		rest = rest[n:]
		if len(args) > 0 {
			all = fmt.Appendf(all, "%q\n", args)
		}
	}
	return string(all), Incomplete
}
