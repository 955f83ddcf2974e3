package acl

import (
	"fmt"
	"strings"
	"testing"
)

func counts(l *Log) string {
	var all []string
	for _, e := range l.Latest(100) {
		all = append(all, fmt.Sprint(e.Object, " ", e.Count))
	}
	return strings.Join(all, ", ")
}

// Equal refusals within a minute are one entry, which comes first again.
func TestLog(t *testing.T) {
	t.Parallel()
	var l Log
	l.Most.Store(12)
	add := func(object string, at int64, want string) {
		t.Helper()
		l.Add(Entry{Reason: DeniedKey, Context: TopLevel, Object: object, Username: "u", At: at})
		if got := counts(&l); got != want {
			t.Errorf("%s at %d: %s, want %s", object, at, got, want)
		}
	}
	add("a", 0, "a 1")
	add("b", 1000, "b 1, a 1")
	add("a", 60_000, "a 2, b 1")
	add("a", 120_001, "a 1, a 2, b 1")
	l.Add(Entry{Reason: DeniedKey, Context: InLua, Object: "a", Username: "u", At: 120_001})
	l.Add(Entry{Reason: DeniedKey, Context: TopLevel, Object: "a", Username: "v", At: 120_001})
	l.Add(Entry{Reason: DeniedCommand, Context: TopLevel, Object: "a", Username: "u", At: 120_001})
	if got, want := counts(&l), "a 1, a 1, a 1, a 1, a 2, b 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	l.Reset()
	for i := range 20 {
		l.Add(Entry{Reason: DeniedKey, Object: fmt.Sprint(i)})
	}
	if got := l.Latest(100); len(got) != 12 || got[0].Object != "19" || got[11].Object != "8" {
		t.Errorf("%d entries: %+v", len(got), got)
	}
	l.Add(Entry{Reason: DeniedKey, Object: "9"}) // too far back to be looked for
	if got := l.Latest(1); got[0].Count != 1 {
		t.Errorf("%+v", got)
	}
	l.Most.Store(0)
	if l.Add(Entry{Object: "x"}); len(l.Latest(100)) != 0 {
		t.Error("a log of no entries has some")
	}
	l.Most.Store(1)
	l.Add(Entry{Object: strings.Repeat("x", 1<<20)})
	if got := len(l.Latest(1)[0].Object); got != objectMost {
		t.Errorf("%d bytes are kept of a key", got)
	}
}
