package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLinesWithSecretsAreKnown(t *testing.T) {
	t.Parallel()
	f := func(want bool, line string) {
		t.Helper()
		words, _ := splitLine(line)
		if got := hasSecret(words); got != want {
			t.Errorf("%s: kept %t, want %t", line, !got, !want)
		}
	}
	f(true, "AUTH secret")
	f(true, "auth ann secret")
	f(true, "acl setuser ann on >secret")
	f(true, "HELLO 3 AUTH ann secret")
	f(true, "config set requirepass secret")
	f(true, "CONFIG SET maxmemory 1 masterauth secret")
	f(true, "config set tls-key-file-pass secret")
	f(true, "MIGRATE h 1 k 0 1 AUTH2 ann secret")
	f(true, "3 AUTH secret")
	f(false, "HELLO 3")
	f(false, "ACL WHOAMI")
	f(false, "config set maxmemory 1gb")
	f(false, "GET auth")
	f(false, "3 PING")
}

func TestHistoryIsKeptFromOthers(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	environ := func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }
	h := openHistory("", environ)
	for _, line := range []string{"GET a", "GET a", "GET b"} {
		h.add(line)
	}
	path := filepath.Join(state, "troupe", "cli_history")
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "GET a\nGET b\n" {
		t.Errorf("the file holds %q (%v)", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v (%v)", info.Mode(), err)
	}
	if again := openHistory("", environ); strings.Join(again.lines, "|") != "GET a|GET b" {
		t.Errorf("read again: %q", again.lines)
	}
}

func TestHistoryStaysShort(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "h")
	if err := os.WriteFile(path, []byte(strings.Repeat("PING\nINFO\n", historyMax)), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if h := openHistory(path, nil); len(h.lines) != historyMax/2 {
			t.Errorf("%d lines are left", len(h.lines))
		}
	}
	if h := openHistory(os.DevNull, nil); h.path != "" {
		t.Errorf("/dev/null is a history")
	}
}
