package actors

import (
	"bytes"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// leaves says it, and reports whether something of it left the link's loop for
// a worker.
func (w *wire) leaves(data []byte) bool {
	consumed := w.handler.Received(data)
	left := w.paused
	for w.paused {
		(<-w.tasks)()
	}
	w.say(data[consumed:])
	return left
}

// repeated is the request of the words before dots, and the word behind them so
// many times.
func repeated(words string, times int) []byte {
	words, word, _ := strings.Cut(words, " … ")
	return resp.V2.Append(nil, resp.Strings(append(strings.Fields(words), strings.Fields(strings.Repeat(word+" ", times))...)...))
}

// What takes an event loop longer than its other links should wait is run by a
// worker.
func TestLongRequestsLeaveTheLoop(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2} {
		w := newWire(t, shards)
		f := func(what string, data []byte, want bool) {
			t.Helper()
			if got := w.leaves(data); got != want {
				t.Errorf("%s, %d shards: leaves the loop: %v", what, shards, got)
			}
		}
		f("few words", repeated("MGET … k", 1000), false)
		f("many words", repeated("MGET … k", 1100), true)
		f("many keys to delete", repeated("DEL … k", 5000), true)
		f("many pairs", repeated("MSET … k v", 600), true)
		f("the next command", repeated("GET … k", 1), false)
		f("a deep pipeline", bytes.Repeat(repeated("SET k v EX … 9", 1), 1000), false)
		f("a deep pipeline of many words", bytes.Repeat(repeated("MGET … k", 10), 500), true)
		multi := repeated("MULTI … ", 0)
		f("a short transaction", bytes.Join([][]byte{multi, bytes.Repeat(repeated("GET … k", 1), 500), repeated("EXEC … ", 0)}, nil), false)
		for range 10 {
			multi = append(multi, bytes.Repeat(repeated("GET … k", 1), 500)...)
		}
		w.say(multi)
		f("a long transaction", repeated("EXEC … ", 0), true)
	}
}
