package main

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/session"
)

// W09: transactions over two shards, seen by every kind of watcher: never half
// of one, and as many as each frame says.
func TestTransactionsAreSeenWhole(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		const writers, writes = 4, 200
		s := startServer(t, sh)
		a, b := keysApart(sh.shards)
		var group sync.WaitGroup
		for _, by := range ways {
			w, first := s.watch(by, "MGET", a, b)
			group.Go(func() { w.wantPairs(first, writers*writes) })
		}
		for n := range writers {
			c := s.client()
			group.Go(func() {
				for range writes {
					if n%2 == 0 {
						c.send(bytes.Join([][]byte{request("MULTI"), request("INCR", a), request("INCR", b), request("EXEC")}, nil))
						for range 4 {
							c.receive()
						}
						continue
					}
					c.want("+OK", "MULTI")
					c.want("+QUEUED", "INCR", b)
					c.want("+QUEUED", "INCR", a)
					c.ask("EXEC")
				}
			})
		}
		group.Wait()
	})
}

// keysApart are two keys of different shards, if there are several.
func keysApart(shards int) (a, b string) {
	for n := 0; ; n++ {
		if b = fmt.Sprint("b", n); shards == 1 || keyspace.ShardOf([]byte(b), shards) != keyspace.ShardOf([]byte("a"), shards) {
			return "a", b
		}
	}
}

// wantPairs reads frames with pairs of equal numbers, each as many above the
// one before as it says, up to the last.
func (w *watcher) wantPairs(f frame, last int) {
	count := pairOf(w.tb, f)
	for count < last {
		next, err := w.frame()
		if err != nil {
			w.tb.Error(err)
			return
		}
		now := pairOf(w.tb, next)
		if now != count+int(next.covered) || next.version <= f.version {
			w.tb.Errorf("%v: %+v after %+v", w.way, next, f)
			return
		}
		f, count = next, now
	}
	if count != last {
		w.tb.Errorf("%v: the last is %+v, want %d", w.way, f, last)
	}
}

func pairOf(tb testing.TB, f frame) int {
	var a, b int
	switch _, err := fmt.Sscanf(f.value, `["%d", "%d"]`, &a, &b); {
	case f.value == "[_, _]":
		return 0
	case err != nil || a != b:
		tb.Errorf("half of a transaction: %+v", f)
	}
	return a
}

// On one link the reply to a write comes before its own push, however many
// writes are under way.
func TestReplyBeforeOwnPush(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		w, _ := s.watch(way{3, "watch"}, "GET", "k")
		w.ask("SELECT", "0")
		const writes = 3000
		for from := 0; from < writes; {
			var all []byte
			for range []int{1, 2, 50, 300}[from%4] {
				from++
				all = append(all, request("SET", "k", strconv.Itoa(from))...)
				all = append(all, request("MSET", "x", "1", "y", "2", "z", "3")...)
			}
			w.send(all)
			w.wantReplies(from)
		}
	})
}

// wantReplies reads replies and pushes until the state is n. The nth SET is
// answered by two replies more than the one before.
func (w *watcher) wantReplies(n int) {
	w.tb.Helper()
	answered := w.answered
	for w.heard < n {
		reply, err := w.next()
		if err != nil {
			w.tb.Fatal(err)
		}
		f, isFrame := readFrame(reply)
		if !isFrame {
			answered++
			continue
		}
		w.heard, _ = strconv.Atoi(strings.Trim(f.value, `"`))
		if answered < 2*w.heard-1 {
			w.tb.Fatalf("the push of write %d comes when %d of %d replies have", w.heard, answered, 2*n)
		}
	}
	for ; answered < 2*n; answered++ {
		w.receive()
	}
	w.answered = answered
}

// W15: a burst of writes in one packet is told in a few frames, the last of
// which has the last write.
func TestBurst(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, by way) {
		s := startServer(t, shape{2, false})
		w, _ := s.watch(by, "GET", "k")
		c := s.client()
		var all []byte
		for i := range 1000 {
			all = append(all, request("SET", "k", strconv.Itoa(i))...)
		}
		c.send(all)
		covered := int64(0)
		for value := ""; value != `"999"`; {
			f, err := w.frame()
			if err != nil {
				t.Fatal(err)
			}
			value = f.value
			covered += f.covered
		}
		if covered != 1000 {
			t.Errorf("1000 writes are told as %d", covered)
		}
	})
}

// A query is evaluated once for all who watch it.
func TestEvaluatedOnceForAll(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		var all []*watcher
		for range 5 {
			for _, by := range ways {
				w, _ := s.watch(by, "GET", "k")
				all = append(all, w)
			}
		}
		before, queries, watches := s.Server.Watches.Stats()
		if queries != 1 || watches != int64(len(all)) || before.Evaluations != 1 {
			t.Errorf("%d queries with %d watches, %d evaluations", queries, watches, before.Evaluations)
		}
		c := s.client()
		for n := range 20 {
			c.want("+OK", "SET", "k", strconv.Itoa(n))
			for _, w := range all {
				w.wantFrame(fmt.Sprintf(`"%d" 1`, n))
			}
		}
		after, _, _ := s.Server.Watches.Stats()
		if after.Evaluations != 21 || after.Pushes != int64(20*len(all)) || after.Covered != after.Pushes {
			t.Errorf("%d evaluations, %d pushes covering %d, for 20 writes to %d watchers", after.Evaluations, after.Pushes, after.Covered, len(all))
		}
	})
}

// Who does not read makes the server hold one push of its, however much is
// written; when it reads, it is told what it has missed and the last state. A
// link that watches much holds no more of it.
func TestWatcherThatDoesNotRead(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		const queries, size, writes = 20, 50_000, 150
		w, _ := s.watch(way{3, "watch"}, "GET", "k0")
		for n := 1; n < queries; n++ {
			w.send(request("GET.WATCH", fmt.Sprint("k", n)))
			w.wantFrame("_ 0")
		}
		lazy := s.sessionOf(w)
		c := s.client()
		covered, last := make(map[string]int64), strings.Repeat("y", size)
		for n := range writes {
			value := strings.Repeat("x", size) + strconv.Itoa(n)
			if n == writes-1 {
				value = last
			}
			for q := range queries {
				c.want("+OK", "SET", fmt.Sprint("k", q), value)
			}
		}
		most := int64(size + 16<<10 + 1000)
		if sh.goroutines {
			most += 64 << 10 // what stands for a socket's buffer there
		}
		if held := s.Server.Session(lazy).Unsent.Load(); held > most {
			t.Errorf("it holds %d bytes for a link that does not read, want at most %d", held, most)
		}
		evaluations, _, _ := s.Server.Watches.Stats()
		if evaluations.Evaluations > queries*writes/2 {
			t.Errorf("%d evaluations for a link that does not read", evaluations.Evaluations)
		}
		for done := 0; done < queries; {
			f, err := w.frame()
			if err != nil {
				t.Fatal(err)
			}
			covered[f.fingerprint] += f.covered
			if f.value == `"`+last+`"` {
				done++
				if covered[f.fingerprint] != writes {
					t.Errorf("%d changes are told, want %d", covered[f.fingerprint], writes)
				}
			}
		}
	})
}

// sessionOf is the number of a watcher's session.
func (s *server) sessionOf(w *watcher) uint64 {
	s.tb.Helper()
	for _, one := range s.Server.Sessions() {
		if one.Address() == w.conn.LocalAddr().String() {
			return one.ID()
		}
	}
	s.tb.Fatal("the watcher has no session")
	return 0
}

// A link whose command waits hears what happens meanwhile; its reply follows.
func TestPushesWhileACommandWaits(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	w, _ := s.watch(way{3, "watch"}, "GET", "k")
	c := s.client()
	c.want("+OK", "SET", "k", "v", "PX", "50000")
	w.wantFrame(`"v" 1`)
	c.want("+OK", "CLIENT", "PAUSE", "100000", "WRITE")
	w.send(request("SET", "other", "1"))
	eventually(t, "the write waits", func() bool {
		return slices.ContainsFunc(s.Server.Sessions(), func(one *session.Session) bool { return one.Flags.Load()&session.FlagBlocked != 0 })
	})
	c.want("+OK", "DEBUG", "ADVANCE", "50000")
	w.wantFrame("_ 1")
	c.want("+OK", "CLIENT", "UNPAUSE")
	if got := w.receive(); got != "+OK" {
		t.Errorf("the reply is %s", got)
	}
}

// Two links of one query, one in trouble: the other is told of every write.
func TestTroubleOfAnotherWatcher(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		w, _ := s.watch(way{3, "watch"}, "GET", "k")
		stuck, _ := s.watch(way{3, "watch"}, "GET", "k")
		for range 3 { // more than it will ever read
			stuck.send(bytes.Repeat(request("GET.WATCH", "k"), 500))
		}
		c := s.client()
		big := strings.Repeat("x", 100_000)
		for n := range 100 {
			c.want("+OK", "SET", "k", big+strconv.Itoa(n))
			w.wantFrame(fmt.Sprintf(`"%s%d" 1`, big, n))
		}
		stuck.conn.(*net.TCPConn).SetLinger(0)
		stuck.conn.Close()
		c.want("+OK", "SET", "k", "last")
		w.wantFrame(`"last" 1`)
		if _, _, watches := s.Server.Watches.Stats(); watches > 2 {
			t.Errorf("%d watches", watches)
		}
	})
}
