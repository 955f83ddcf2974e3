package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// parse parses a command line; what is printed for it, and the exit code, -1 if
// it does not exit.
func parse(args ...string) (line *kong.Context, printed string, exit int, err error) {
	var out bytes.Buffer
	exit = -1
	parser := newParser(kong.Writers(&out, &out), kong.Exit(func(code int) { exit = code }))
	line, err = parser.Parse(orHelp(args))
	return line, out.String(), exit, err
}

// Without a task the tasks are listed.
func TestNoTask(t *testing.T) {
	t.Parallel()
	_, printed, exit, _ := parse()
	if exit != 0 || !strings.Contains(printed, "The tasks of Troupe's developers.") || !strings.Contains(printed, "bench speed") {
		t.Errorf("exit code %d: %s", exit, printed)
	}
	if _, _, _, err := parse("nonsense"); err == nil {
		t.Error("a task that there is not is taken")
	}
}

// Every measurement can do without arguments.
func TestBenchDefaults(t *testing.T) {
	t.Parallel()
	f := func(want string, args ...string) {
		t.Helper()
		line, _, exit, err := parse(args...)
		if err != nil || exit != -1 || line.Command() != want {
			t.Errorf("%q: %v, exit code %d", args, err, exit)
		}
	}
	f("bench speed", "bench")
	f("bench speed", "bench", "speed")
	f("bench speed <commands>", "bench", "get", "mset")
	f("bench speed <commands>", "bench", "speed", "all")
	f("bench dice", "bench", "dice")
	f("bench watch", "bench", "watch")
	f("bench memory", "bench", "memory")
	f("bench gc", "bench", "gc")
	f("bench tls", "bench", "tls")
	f("abuse", "abuse")
	c := speedCmd{Pipeline: []int{1, 16}, Links: []int{50}, Size: []int{16}}
	if shapes := c.shapes(); len(shapes) != 6 || shapes[0].Command != "get" || shapes[5].Command != "mset" {
		t.Errorf("%v", shapes)
	}
}
