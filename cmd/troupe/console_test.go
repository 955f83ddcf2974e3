package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/troupedb/troupe/resp/redistest"
)

// The console in a real browser, with and without a password: what it shows, what
// clicks do, and that it asks nobody but the server.
func TestConsole(t *testing.T) {
	t.Parallel()
	chromium := redistest.Program(t, "chromium")
	visitor := filepath.Join(t.TempDir(), "browser")
	build := exec.Command("go", "build", "-o", visitor, ".")
	build.Dir = filepath.Join("..", "..", "testdata", "browser")
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		redistest.Lack(t, "testdata/browser cannot be built; are its modules to be had? %v\n%s", err, out)
	}
	f := func(name, password string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			http, port := freePort(t), freePort(t)
			words := []string{"server", "--port", port, "--bind", "127.0.0.1", "--http", http, "--appendonly", "no"}
			if password != "" {
				words = append(words, "--requirepass", password)
			}
			start(t, nil, words...)
			visit := exec.CommandContext(t.Context(), visitor, "-page", "http://127.0.0.1:"+http+"/", "-addr", "127.0.0.1:"+port,
				"-chromium", chromium, "-password", password)
			visit.Env = append(os.Environ(), "HOME="+t.TempDir())
			if out, err := visit.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	f("open", "")
	f("with a password", "secret")
}
