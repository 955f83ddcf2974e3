package main_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/troupedb/troupe/resp/redistest"
)

// shell runs a script with a shell in an empty folder, with the tested program as troupe.
func shell(t *testing.T, name, script string) []string {
	t.Helper()
	cmd := exec.Command(redistest.Program(t, name), "-c", script)
	cmd.Dir = t.TempDir()
	cmd.Env = append(cmd.Environ(), "PATH="+filepath.Dir(program(t))+":/usr/bin:/bin", "HOME="+cmd.Dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return strings.Fields(string(out))
}

// TestCompletion: the shells themselves are asked what they would offer.
func TestCompletion(t *testing.T) {
	t.Parallel()
	f := func(offered []string, want ...string) {
		t.Helper()
		for _, word := range want {
			if hidden, found := strings.CutPrefix(word, "!"); slices.Contains(offered, hidden) == found {
				t.Errorf("%s: it is offered %q", word, offered)
			}
		}
	}
	bash := func(words ...string) []string {
		t.Helper()
		return shell(t, "bash", `troupe() { "`+program(t)+`" "$@"; }
source <(troupe completion bash)
COMP_WORDS=(`+strings.Join(words, " ")+`); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_troupe; echo "${COMPREPLY[@]}"`)
	}
	f(bash("troupe", "''"), "server", "check", "cli", "version")
	f(bash("troupe", "ch"), "check", "!server")
	f(bash("troupe", "--maxmem"), "--maxmemory", "--maxmemory-policy", "!--repair")
	f(bash("troupe", "check", "--"), "--repair", "!--maxmemory")
	f(bash("troupe", "--appendfsync", "e"), "everysec", "!always")
	f(bash("troupe", "server", "--appendfsync", "=", "e"), "everysec", "!always")
	f(bash("troupe", "server", "--appendfsync", "="), "everysec", "always")
	f(bash("troupe", "export", "--for", "''"), "redis-7.0", "redis-7.4")
	f(bash("troupe", "export", "--appendfsync", "''"), "!everysec")
	f(bash("troupe", "completion", "''"), "bash", "zsh", "fish")
	f(bash("troupe", "cli", "--no"), "--no-raw", "!--notify-keyspace-events")
	fish := func(line string) []string {
		t.Helper()
		return shell(t, "fish", `"`+program(t)+`" completion fish | source; complete -C "`+line+`" | string replace -r '\t.*' ''; true`)
	}
	f(fish("troupe ch"), "check", "!server")
	f(fish("troupe --maxmem"), "--maxmemory", "--maxmemory-policy")
	f(fish("troupe check --"), "--repair", "!--maxmemory")
	f(fish("troupe --appendfsync "), "everysec", "always")
	f(fish("troupe export --for "), "redis-7.0", "redis-7.4")
	f(fish("troupe export --appendfsync "), "!everysec")
	f(fish("troupe completion "), "bash", "zsh", "fish")
	for _, load := range []string{"source ./_troupe", "fpath=($PWD $fpath); compinit -u -d ./dump"} {
		zsh := newZsh(t, load)
		f(zsh("troupe ch"), "check", "!server")
		f(zsh("troupe --maxmem"), "--maxmemory", "--maxmemory-policy", "!--repair")
		f(zsh("troupe check --"), "--repair", "!--maxmemory")
		f(zsh("troupe --appendfsync e"), "everysec", "!always")
		f(zsh("troupe server --appendfsync=e"), "everysec", "!always")
		f(zsh("troupe export --for r"), "redis-7.0", "redis-7.4")
		f(zsh("troupe completion "), "bash", "zsh", "fish")
	}
}

// newZsh starts a zsh at a terminal, as its completion works nowhere else, has the
// completion loaded, and returns what types a line, presses Tab, and tells what would
// be offered.
func newZsh(t *testing.T, load string) func(line string) []string {
	t.Helper()
	name, dir := redistest.Program(t, "zsh"), t.TempDir()
	text, err := exec.Command(program(t), "completion", "zsh").Output()
	if err != nil {
		t.Fatal(err)
	}
	// Whatever completion finds goes through compadd; with -O, -A or -D it is only
	// sorted for another call.
	script := `unsetopt auto_list auto_menu
autoload -Uz compinit && compinit -u -d ./dump
` + load + `
bindkey '^I' complete-word
bindkey '^G' told
zle -N told
zmodload -F zsh/files b:zf_mv
compadd() {
  local -a found
  if [[ "$*" = (|* )-[OAD]\ * ]]; then builtin compadd "$@"; return; fi
  builtin compadd -O found "$@"
  print -l -- $found >>./found
  builtin compadd "$@"
}
told() {
  BUFFER=
  : >>./found
  zf_mv ./found ./found$((++told))
}
`
	for name, text := range map[string]string{"_troupe": string(text), "begin": script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(name, "-f", "-i")
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "TERM=dumb", "HOME="+dir, "PS1=> ")
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		file.Close()
		cmd.Wait()
	})
	go io.Copy(io.Discard, file)
	lines := 0
	complete := func(line string) []string {
		t.Helper()
		lines++
		if _, err := io.WriteString(file, line+"\t\a"); err != nil {
			t.Fatal(err)
		}
		var text []byte
		eventually(t, func() (err error) {
			text, err = os.ReadFile(filepath.Join(dir, fmt.Sprint("found", lines)))
			return err
		})
		return strings.Fields(string(text))
	}
	complete("source ./begin\r: ")
	return complete
}

// TestManual: the page is one that man reads, with every command and setting in it.
func TestManual(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(program(t), "man").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".TH TROUPE 1", ".SS check <dir>", `\-\-repair`, `\-\-maxmemory\-policy`, `\-\-no\-raw`, ".SH EXIT STATUS", ".SS Network"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing", want)
		}
	}
	for i, line := range strings.Split(string(out), "\n") {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !strings.Contains(" .TH .SH .SS .PP .TP .B .br ", " "+strings.Fields(line)[0]+" ") {
			t.Errorf("line %d is taken for a request: %s", i+1, line)
		}
	}
}
