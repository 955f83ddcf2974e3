package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// ourAddress starts a server for the test.
func ourAddress(t *testing.T) string {
	t.Helper()
	system, err := startOurs(2, "loops")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(system.Close)
	return system.Addresses()[0]
}

func TestRecord(t *testing.T) {
	t.Parallel()
	c := &recordCmd{Addr: ourAddress(t), Quiet: 300 * time.Millisecond}
	f := func(said, want string) {
		t.Helper()
		got, err := c.record("x", promptLines(said))
		if err != nil || got != want {
			t.Errorf("%q is taken down as %q, %v, want %q", said, got, err, want)
		}
	}
	f("SET a 1\n# What is there?\n2> GET a\n", "> SET a 1\n+OK\n# What is there?\n2> GET a\n\"1\"\n")
	f("HSET h f v\nHGETALL h\n", "> HSET h f v\n:1\n> HGETALL h\n%{\"f\": \"v\"}\n")
	f("MULTI\nGET a\nEXEC\n", "> MULTI\n+OK\n> GET a\n+QUEUED\n> EXEC\n[_]\n")
	f("! wire\n> HELLO 2\n*\n", "! wire\n> HELLO 2\n*\n")
	got, err := (&recordCmd{Addr: c.Addr, Quiet: c.Quiet, Replies: true}).record("x", "> GET a\n\"old\"\n")
	if want := "> GET a\n_\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.txt")
	c := &diffCmd{Addr: ourAddress(t), AdvanceMax: time.Second}
	f := func(text string, want int) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := c.diff(path, "x.txt", map[string]bool{"x.txt > GET known": true}); err != nil || got != want {
			t.Errorf("%q: %d differences, %v, want %d", text, got, err, want)
		}
	}
	f("> SET a 1\n+OK\n> GET a\n\"1\"\n", 0)
	f("> SET a 1\n+OK\n> GET a\n\"2\"\n", 2) // in both protocols
	f("! wire\n> GET a\n\"2\"\n", 1)
	f("> GET known\n:1\n", 0)
	f("! own\n> GET a\n:1\n", 0)
	f("! advance 2s\n> GET a\n:1\n", 0)
	f("! config databases 3\n> GET a\n:1\n", 0)
}
