package main

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
)

var crashRounds = flag.Int("crash-rounds", 50, "how often the server is killed by TestCrash")

// The server is killed many times, and keeps what it promised. The seed of a
// failure is printed, with the command that tries it again.
func TestCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "troupe")
	if err := build(t.Context(), path, "-tags", "failpoint"); err != nil {
		t.Fatal(err)
	}
	c := &crashCmd{Rounds: *crashRounds, Path: path, Keep: dir, Work: 200 * time.Millisecond}
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The checks of the harness see what they are there for.
func TestCrashChecks(t *testing.T) {
	t.Parallel()
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	one := func(batch, sent, answered int, words ...string) *unit {
		u := &unit{batch: batch, sent: at(sent), commands: [][]string{words}, frames: [][]string{words}, reply: resp.OK}
		u.shards = u.shardsOf(16)
		if answered > 0 {
			u.answered = at(answered)
		}
		return u
	}
	w := &crashWriter{drawer: drawer{db: "0"}, cells: dataset{}}
	w.units = []*unit{
		one(1, 0, 10, "SET", "w0:a", "1"), one(1, 0, 10, "RPUSH", "w0:b", "x"),
		one(2, 20, 30, "RPUSH", "w0:b", "y"), one(2, 20, 0, "SET", "w0:a", "2"), one(2, 20, 0, "INCRBY", "w0:a", "5"),
	}
	f := func(a string, b []string, strict, ok bool) {
		t.Helper()
		found := dataset{}
		if a != "" {
			found["0/w0:a"] = &datum{kind: "string", text: a}
		}
		if b != nil {
			found["0/w0:b"] = &datum{kind: "list", items: b}
		}
		s, err := w.explain(found, at(100).UnixMilli())
		p := promise{end: at(35), lag: time.Second}
		if strict {
			p.strict = []span{{}}
		}
		if err == nil {
			err = p.keep([]*survival{s})
		}
		if (err == nil) != ok {
			t.Errorf("%q and %q, strict %t: %v", a, b, strict, err)
		}
	}
	f("", nil, false, true)                // nothing has survived
	f("", nil, true, false)                // though it had to
	f("1", []string{"x"}, false, true)     // a part
	f("1", []string{"x"}, true, false)     // of what was answered
	f("1", []string{"x", "y"}, true, true) // all of that
	f("2", []string{"x", "y"}, true, true) // and more
	f("7", []string{"x", "y"}, true, true)
	f("6", []string{"x", "y"}, false, false)      // not in the order
	f("", []string{"x", "y"}, false, false)       // of batches
	f("2", []string{"x"}, false, true)            // of one batch any order between shards
	f("1", []string{"x", "y", "z"}, false, false) // an invented value
}
