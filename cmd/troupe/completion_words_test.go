package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/troupedb/troupe/resp/redistest"
)

// Commands that have flags of one name with other words each are offered their own.
func TestCompletionOfSharedFlags(t *testing.T) {
	t.Parallel()
	var line struct {
		Server struct {
			Form string `placeholder:"text|json"`
		} `cmd:""`
		Export struct {
			Form string `enum:"rdb,aof" default:"rdb"`
		} `cmd:""`
		Import struct {
			Form string
		} `cmd:""`
	}
	parser, err := kong.New(&line)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash", "fish"} {
		shell, dir := redistest.Program(t, name), t.TempDir()
		var text bytes.Buffer
		if err := (&completionCmd{Shell: name}).Run(process{out: &text}, parser); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "completion")
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		f := func(command, want string) {
			t.Helper()
			script := "source " + path + "; COMP_WORDS=(troupe " + command + " --form ''); COMP_CWORD=3; _troupe; echo ${COMPREPLY[@]}"
			if name == "fish" {
				script = "source " + path + "; complete -C 'troupe " + command + " --form ' | string replace -r '\\t.*' ''; true"
			}
			cmd := exec.Command(shell, "-c", script)
			cmd.Dir, cmd.Env = dir, append(cmd.Environ(), "HOME="+dir)
			out, err := cmd.CombinedOutput()
			if got := strings.Join(slices.Sorted(strings.FieldsSeq(string(out))), " "); err != nil || got != want {
				t.Errorf("%s: %s is offered %q, want %q, %v", name, command, got, want, err)
			}
		}
		if name == "bash" {
			f("import", "completion")
		}
		f("server", "json text")
		f("export", "aof rdb")
	}
}
