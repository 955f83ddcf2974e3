package shardtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Play runs a transcript: lines "> COMMAND" each followed by the reply that is
// wanted, "! advance 10s" to move the clock, "! expire" to remove what is due,
// "! events set k, del k" for what the last command made known, and comments.
func (w *World) Play(transcript string) {
	w.tb.Helper()
	for rest := strings.TrimLeft(transcript, "\n\t "); rest != ""; rest = strings.TrimLeft(rest, "\n\t ") {
		line, after, _ := strings.Cut(rest, "\n")
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "! "):
			w.direct(line[2:])
		case strings.HasPrefix(line, "> "):
			after = w.step(line[2:], after)
		default:
			w.tb.Fatalf("neither command nor directive: %s", line)
		}
		rest = after
	}
}

func (w *World) step(line, after string) (rest string) {
	w.tb.Helper()
	want, rest, err := resp.ParsePrefix(after)
	if err != nil {
		w.tb.Fatalf("after %s: %v", line, err)
	}
	if got := w.Do(line); got != resp.Format(want) {
		w.tb.Errorf("%d shards: %s\n got %s\nwant %s", len(w.Shards), line, got, resp.Format(want))
	}
	return rest
}

func (w *World) direct(directive string) {
	w.tb.Helper()
	word, rest, _ := strings.Cut(directive, " ")
	switch word {
	case "advance":
		d, err := time.ParseDuration(rest)
		if err != nil {
			w.tb.Fatal(err)
		}
		w.Advance(d.Milliseconds())
	case "expire":
		w.ExpireDue()
	case "events":
		if got := EventText(w.Events); got != rest {
			w.tb.Errorf("events: got %s, want %s", got, rest)
		}
	default:
		w.tb.Fatalf("unknown directive: %s", directive)
	}
}

// EventText lists events as "set k, del k", with the database if it isn't 0:
// "move_to k@1".
func EventText(events []keyspace.Event) string {
	var list []string
	for _, e := range events {
		s := e.Name + " " + e.Key
		if e.DB != 0 {
			s += fmt.Sprintf("@%d", e.DB)
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

// Examples runs the examples of each command of a family against Worlds of
// their own, of 1, 2 and 16 shards, that know all the families given.
func Examples(t *testing.T, family Family, all ...Family) {
	for _, spec := range family.Specs() {
		if spec.Run == nil {
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			if spec.Examples == "" {
				t.Error("no examples")
			}
			for _, shards := range []int{1, 2, 16} {
				New(t, shards, all...).Play(spec.Examples)
			}
		})
	}
}
