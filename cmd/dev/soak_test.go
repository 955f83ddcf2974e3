package main

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// A life that takes more and more is seen, one that goes up and down is not.
func TestFlat(t *testing.T) {
	t.Parallel()
	f := func(want string, megabytes ...int64) {
		t.Helper()
		var heap, resident []level
		for _, n := range megabytes {
			heap, resident = append(heap, level{heap: n << 20}), append(resident, level{resident: n << 22})
		}
		for _, levels := range [][]level{heap, resident} {
			if err := flat(levels); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%v MB: %v, want %q", megabytes, err, want)
			}
		}
	}
	f("")
	f("", 10)
	f("", 10, 12, 11, 14, 12, 10)
	f("", 10, 90, 90, 90, 90, 12)
	f("grows", 10, 20, 30, 40, 50, 60, 70, 80, 90)
	f("", 10, 60)
	f("grows", 10, 160)
}

// Frames are taken for those of their queries, and what cannot be is seen.
func TestSoakFrames(t *testing.T) {
	t.Parallel()
	frame := func(fingerprint, kind string, version int64) resp.Reply {
		return resp.Push(resp.BulkString("observe"), resp.BulkString("fingerprint"), resp.BulkString(fingerprint), resp.BulkString("result"), resp.Int(version),
			resp.BulkString("version"), resp.Int(version), resp.BulkString("kind"), resp.BulkString(kind), resp.BulkString("token"), resp.BulkString("t"))
	}
	first, second := &soakQuery{words: []string{"GET", "a"}}, &soakQuery{words: []string{"GET", "b"}}
	w := &soakWatcher{queries: []*soakQuery{first, second}}
	f := func(frame resp.Reply, begins *soakQuery, wrong string) {
		t.Helper()
		if err := w.take(frame, begins); (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v, want %q", resp.Format(frame), err, wrong)
		}
	}
	f(frame("x", "state", 5), first, "")
	f(frame("x", "state", 6), second, "") // while the second begins
	f(frame("y", "state", 6), second, "")
	f(frame("x", "progress", 6), nil, "")
	f(frame("x", "state", 6), nil, "version 6 after 6")
	f(frame("y", "state", 5), nil, "version 5 after 6")
	f(frame("z", "state", 7), nil, "no query")
	f(frame("x", "end", 8), nil, "ended")
	if first.result != ":6" || second.result != ":6" || w.frames != 4 {
		t.Errorf("they show %s and %s after %d frames", first.result, second.result, w.frames)
	}
}
