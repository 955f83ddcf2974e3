package transcript

import (
	"fmt"
	"os"
	"strings"
)

// Known is a step that Troupe answers otherwise than redis-server on purpose.
// In their file each is the transcript's name and the step's line, and below,
// indented, the reason:
//
//	connection/hello.txt > HELLO
//	  The version is the one of the Redis that Troupe follows.
type Known struct {
	Transcript, Step, Reason string
}

// ReadKnown reads a file of known differences.
func ReadKnown(path string) ([]Known, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the known differences: %w", err)
	}
	var all []Known
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case isLead(line):
		case strings.HasPrefix(line, " ") && len(all) > 0:
			last := &all[len(all)-1]
			last.Reason = strings.TrimSpace(last.Reason + " " + strings.TrimSpace(line))
		default:
			name, step, found := strings.Cut(line, " ")
			if !found || strings.HasPrefix(line, " ") {
				return nil, fmt.Errorf("%s:%d: no transcript and step: %s", path, i+1, line)
			}
			all = append(all, Known{Transcript: name, Step: step})
		}
	}
	for _, k := range all {
		if k.Reason == "" {
			return nil, fmt.Errorf("%s: no reason for %s %s", path, k.Transcript, k.Step)
		}
	}
	return all, nil
}
