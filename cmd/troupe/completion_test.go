package main_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	fish := func(line string) []string {
		t.Helper()
		return shell(t, "fish", `"`+program(t)+`" completion fish | source; complete -C "`+line+`" | string replace -r '\t.*' ''`)
	}
	f(fish("troupe ch"), "check", "!server")
	f(fish("troupe --maxmem"), "--maxmemory", "--maxmemory-policy")
	f(fish("troupe check --"), "--repair", "!--maxmemory")
	f(fish("troupe --appendfsync "), "everysec", "always")
	zsh := shell(t, "zsh", `autoload -Uz compinit && compinit -u -d ./dump
source <("`+program(t)+`" completion zsh); echo "${_comps[troupe]}"`)
	f([]string{strings.Join(zsh, " ")}, "_bash_complete -o filenames -F _troupe")
}

// TestManual: the page is one that man reads, with every command and setting in it.
func TestManual(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(program(t), "man").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".TH TROUPE 1", ".SS check <dir>", `\-\-repair`, `\-\-maxmemory\-policy`, ".SH EXIT STATUS", ".SS Network"} {
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
