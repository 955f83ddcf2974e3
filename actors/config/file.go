package config

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The form of a file is that of redis.conf: a setting and its words a line;
// "#" begins a line that is a comment; blanks at both ends do not count; words
// may be quoted as SplitLine of package resp says. Settings read later win.

// includeMax bounds how deep files may include each other: a file that
// includes itself never ends.
const includeMax = 16

// lineMax bounds a line, in bytes.
const lineMax = 1 << 20

func (l *loader) open(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the settings: %w", err)
	}
	return l.readLines(bytes.NewReader(text), path, filepath.Dir(path))
}

// readLines reads a file; dir is where the paths in it begin.
func (l *loader) readLines(from io.Reader, path, dir string) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, lineMax)
	number := 0
	for ; lines.Scan(); number++ {
		where := fmt.Sprintf("%s:%d", path, number+1)
		name, words, err := readLine(lines.Text(), where)
		switch {
		case err != nil:
			return err
		case name == "":
			continue
		case name == "include" && len(words) == 1:
			err = l.include(where, dir, words[0])
		default:
			err = l.assign(where, name, words)
		}
		if err != nil {
			return err
		}
		if row := Named(name); l.assigned != nil && row != nil {
			l.assigned(row, path, number)
		}
	}
	if err := lines.Err(); err != nil {
		return &Mistake{fmt.Sprintf("%s:%d", path, number+1), "", err.Error()}
	}
	return nil
}

// readLine divides a line into the setting's name in lower case and the words
// after it; the name is "" if it holds none.
func readLine(text, where string) (name string, words []string, err error) {
	text = strings.Trim(text, " \t\r\n")
	if text == "" || text[0] == '#' {
		return "", nil, nil
	}
	words, ok := splitLine(text)
	if !ok {
		return "", nil, &Mistake{where, "", "unbalanced quotes in configuration line"}
	}
	if len(words) == 0 {
		return "", nil, nil
	}
	return strings.ToLower(words[0]), words[1:], nil
}

// include reads the files that a pattern names, in alphabetical order. That a
// pattern names none is no mistake, that a plain path does is one.
func (l *loader) include(where, dir, pattern string) error {
	if l.depth == includeMax {
		return &Mistake{where, "include", fmt.Sprintf("files include each other more than %d deep", includeMax)}
	}
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(dir, pattern)
	}
	paths := []string{pattern}
	if strings.ContainsAny(pattern, "*?[") {
		var err error
		if paths, err = filepath.Glob(pattern); err != nil {
			return &Mistake{where, "include", err.Error()}
		}
	}
	l.depth++
	defer func() { l.depth-- }()
	for _, path := range paths {
		if err := l.open(path); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}
