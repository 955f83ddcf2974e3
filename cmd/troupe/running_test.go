package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/keyspace"
)

// A mistake of the program ends it with 70, and says what it was.
func TestBroken(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := hclog.New(&hclog.LoggerOptions{Output: &log})
	settings, err := config.Load(config.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	system, err := actors.Start(actors.Options{Log: logger})
	if err != nil {
		t.Fatal(err)
	}
	defer system.Close()
	system.Broken <- &keyspace.Broken{Command: "GET", Reason: "index out of range", Stack: []byte("goroutine 1")}
	r := &running{settings: settings, log: logger, system: system}
	if err := r.wait(); err != exitCode(exitBroken) {
		t.Errorf("ended with %v", err)
	}
	for _, want := range []string{"command=GET", "index out of range", "goroutine 1"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is missing in\n%s", want, log.String())
		}
	}
}

// A log that is moved away is begun anew, as logrotate expects.
func TestLogFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	l := &logFile{path: path}
	if err := l.reopen(); err != nil {
		t.Fatal(err)
	}
	defer l.close()
	f := func(text string, want ...string) {
		t.Helper()
		if _, err := l.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{path, path + ".1"}[:len(want)] {
			if got, _ := os.ReadFile(name); string(got) != want[i] {
				t.Errorf("%s holds %q, want %q", name, got, want[i])
			}
		}
	}
	f("a\n", "a\n")
	f("b\n", "a\nb\n")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	f("c\n", "c\n", "a\nb\n")
	if err := (&logFile{path: filepath.Join(path, "x")}).reopen(); err == nil {
		t.Error("opened a file below a file")
	}
}
