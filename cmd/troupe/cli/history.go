package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// historyMax is how many lines are kept.
const historyMax = 1000

// history is the file of lines typed, which only its owner may read. A prompt
// without one works too.
type history struct {
	path  string
	lines []string
}

// openHistory reads the history. Where it outgrew its bound its older half goes.
func openHistory(path string, environ func(string) string) *history {
	if path == "" {
		path = environ("TROUPECLI_HISTFILE")
	}
	if path == "" {
		path = defaultHistory(environ)
	}
	h := &history{path: path}
	if path == "" || path == os.DevNull {
		h.path = ""
		return h
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return h
	}
	h.lines = slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return line == "" })
	if len(h.lines) > historyMax {
		h.lines = h.lines[len(h.lines)-historyMax/2:]
		h.rewrite()
	}
	return h
}

// defaultHistory is the file in the user's state directory, none if there is no such.
func defaultHistory(environ func(string) string) string {
	if state := environ("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "troupe", "cli_history")
	}
	if home := environ("HOME"); home != "" {
		return filepath.Join(home, ".local", "state", "troupe", "cli_history")
	}
	return ""
}

// rewrite replaces the file; that it can't is not worth a word.
func (h *history) rewrite() {
	next := h.path + ".new"
	if os.WriteFile(next, []byte(strings.Join(h.lines, "\n")+"\n"), 0o600) == nil {
		_ = os.Rename(next, h.path)
	}
}

// add appends a line, at once, so that prompts in other windows lose nothing.
func (h *history) add(line string) {
	if h.path == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	if os.MkdirAll(filepath.Dir(h.path), 0o700) != nil {
		return
	}
	file, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = file.WriteString(line + "\n")
}
