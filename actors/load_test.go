package actors

import (
	"bytes"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// leaves says it, and reports whether something of it left the link's loop for
// a worker.
func (w *wire) leaves(data []byte) bool {
	w.out = w.out[:0]
	consumed := w.handler.Received(data)
	left := w.paused
	for w.paused {
		(<-w.tasks)()
	}
	if consumed < len(data) {
		before := string(w.out)
		w.say(data[consumed:])
		w.out = append([]byte(before), w.out...)
	}
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

// A command whose reply turns out to be very long is given up and begins anew
// on a worker, as if it had not begun before.
func TestLongRepliesLeaveTheLoop(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2} {
		w := newWire(t, shards)
		for range 10 {
			w.say(repeated("RPUSH list … x", 1000))
		}
		all := string(resp.V2.Append(nil, resp.Strings(strings.Fields(strings.Repeat("x ", 10_000))...)))
		f := func(what string, data []byte, left bool, want string) {
			t.Helper()
			if got := w.leaves(data); got != left {
				t.Errorf("%s, %d shards: leaves the loop: %v", what, shards, got)
			}
			if got := string(w.out); got != want {
				t.Errorf("%s, %d shards: answered with %.100q", what, shards, got)
			}
		}
		long := repeated("LRANGE list 0 … -1", 1)
		f("a long reply", long, true, all)
		f("part of it", repeated("LRANGE list 0 … 1", 1), false, "*2\r\n$1\r\nx\r\n$1\r\nx\r\n")
		f("among others", bytes.Join([][]byte{repeated("INCR … n", 1), long, repeated("INCR … n", 1)}, nil), true, ":1\r\n"+all+":2\r\n")
		f("in a transaction", bytes.Join([][]byte{repeated("MULTI … ", 0), long, repeated("EXEC … ", 0)}, nil), false,
			"+OK\r\n+QUEUED\r\n*1\r\n"+all)
		hits := int64(0)
		x := &keyspace.Execute{Encoder: resp.V2, Requests: []keyspace.Request{{Do: func(tx *keyspace.Tx) resp.Reply {
			tx.EachShard(func(sh *keyspace.Shard) { hits += sh.Stats.Hits })
			return resp.OK
		}}}}
		w.system.Node.VisitAll(x)
		if !w.system.Node.Post(x, keyspace.Nobody{}) || hits != 4 {
			t.Errorf("%d hits are counted, want 4", hits)
		}
	}
}
