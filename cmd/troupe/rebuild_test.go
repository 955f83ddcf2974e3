package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/actors/config"
)

// A shard in which a handler has panicked is put together again from what was
// recorded. Meanwhile its keys answer LOADING and others are served; whoever
// watches or waits goes on doing so.
func TestRebuild(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{shards: 2}, config.Flag{Name: "appendonly", Words: []string{"yes"}})
	c, watcher, waiter := s.client(), s.client(), s.client()
	for i := range 200 {
		c.ask("SET", fmt.Sprint("key:", i), fmt.Sprint(i))
		c.ask("RPUSH", fmt.Sprint("list:", i%7), fmt.Sprint(i))
	}
	c.ask("MULTI")
	c.ask("INCR", "key:1")
	c.ask("RENAME", "list:1", "moved")
	c.ask("EXEC")
	c.ask("SET", "mortal", "x", "PX", "100000")
	before := c.ask("DEBUG", "DIGEST")

	watcher.ask("HELLO", "3")
	watcher.ask("MGET.WATCH", "key:0", "key:1", "key:2", "key:3")
	waiter.send(request("BLPOP", "nothing:0", "nothing:1", "nothing:2", "0"))
	eventually(t, "the client waits", func() bool { return strings.Contains(c.ask("INFO", "clients"), "blocked_clients:1") })
	for shard := range 2 {
		c.ask("DEBUG", "CRASH", fmt.Sprint("shard/", shard))
		eventually(t, "the shard is back", func() bool {
			replies := []string{c.ask("GET", "key:0"), c.ask("GET", "key:1"), c.ask("GET", "key:2"), c.ask("GET", "key:3")}
			if slices.ContainsFunc(replies, func(r string) bool { return strings.HasPrefix(r, "-LOADING") }) {
				return false
			}
			return slices.Equal(replies, []string{`"0"`, `"2"`, `"2"`, `"3"`})
		})
	}
	if n := s.Rebuilds.Swap(0); n != 2 {
		t.Errorf("%d rebuilds", n)
	}
	if after := c.ask("DEBUG", "DIGEST"); after != before {
		t.Errorf("digest %s, before the crash %s", after, before)
	}
	if got := c.ask("PTTL", "mortal"); got == ":-1" || got == ":-2" {
		t.Errorf("the time to live is %s", got)
	}
	c.ask("RPUSH", "nothing:1", "at last")
	if got := waiter.receive(); got != `["nothing:1", "at last"]` {
		t.Errorf("who waited gets %s", got)
	}
	c.ask("SET", "key:3", "changed")
	for got := ""; !strings.Contains(got, `["0", "2", "2", "changed"]`); {
		got = watcher.receive() // before that, there may be errors and equal states
	}
}

// A transaction that comes while a shard of its keys is being rebuilt is answered
// by one error, and nothing of it is done, on no shard.
func TestExecWhileRebuilding(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{shards: 2}, config.Flag{Name: "appendonly", Words: []string{"yes"}})
	c := s.client()
	const aborted = "-EXECABORT Transaction discarded because of: LOADING Redis is loading the dataset in memory"
	const left, right = "a", "b" // of different shards
	c.ask("MSET", left, "0", right, "0")
	for i := range 2000 {
		c.ask("RPUSH", "list", fmt.Sprint(i))
	}
	done, refused := 0, 0
	eventually(t, "an EXEC finds a shard that is being rebuilt", func() bool {
		c.send(slices.Concat(request("DEBUG", "CRASH", "shard/0"), request("MULTI"), request("INCR", left), request("INCR", right), request("EXEC")))
		for range 4 {
			c.receive()
		}
		switch got := c.receive(); got {
		case aborted:
			refused++
		case fmt.Sprintf("[:%d, :%[1]d]", done+1):
			done++
		default:
			t.Fatalf("EXEC is answered %s", got)
		}
		return refused > 2
	})
	want := fmt.Sprintf(`["%d", "%[1]d"]`, done)
	eventually(t, "the shards are back", func() bool { return !strings.HasPrefix(c.ask("MGET", left, right), "-LOADING") })
	s.Rebuilds.Store(0)
	if got := c.ask("MGET", left, right); got != want {
		t.Errorf("after %d transactions: %s", done, got)
	}
}

// TestWatchWhileRebuilding: a query that begins when its shard is being rebuilt is
// answered by a state or by one error, never by part of a frame; one that has a state
// goes on with the next one when the shard is back.
func TestWatchWhileRebuilding(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{shards: 2}, config.Flag{Name: "appendonly", Words: []string{"yes"}})
	c, watcher := s.client(), s.client()
	const key = "b" // of the other shard than a
	c.ask("MSET", "a", "0", key, "0")
	for i := range 2000 {
		c.ask("RPUSH", "list", fmt.Sprint(i))
	}
	watcher.ask("HELLO", "3")
	watcher.ask("GET.WATCH", "a")
	watcher.ask("GET.WATCH", key)
	refused := 0
	for i := range 100 {
		one := s.client()
		one.ask("HELLO", "3")
		c.send(request("DEBUG", "CRASH", fmt.Sprintf("shard/%d", i%2)))
		one.send(slices.Concat(request("STRLEN.WATCH", "a"), request("STRLEN.WATCH", key), request("PING")))
		for range 2 {
			switch got := one.receive(); {
			case strings.HasPrefix(got, "-LOADING"), strings.Contains(got, "the live query failed"):
				refused++
			case !strings.Contains(got, `"observe"`) || !strings.Contains(got, `"token"`):
				t.Fatalf("STRLEN.WATCH is answered %s", got)
			}
		}
		if got := one.receive(); got != "+PONG" {
			t.Fatalf("PING is answered %s", got)
		}
		one.conn.Close()
		c.receive()
	}
	t.Logf("%d of 200 were refused", refused)
	eventually(t, "the shards are back", func() bool { return !strings.HasPrefix(c.ask("MSET", "a", "last", key, "last"), "-LOADING") })
	s.Rebuilds.Store(0)
	for shown := map[string]bool{}; len(shown) < 2; {
		if frame := watcher.receive(); strings.Contains(frame, `"last"`) {
			shown[strings.Split(frame, ",")[2]] = true // the fingerprint
		}
	}
}
