package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp"
)

// The limits of live queries are settings. What is beyond them is refused in
// words that name the setting; what is being watched stays.
func TestWatchLimits(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false}, config.Flag{Name: "maxwatches", Words: []string{"3"}},
		config.Flag{Name: "maxwatches-per-client", Words: []string{"2"}}, config.Flag{Name: "watch-max-result", Words: []string{"100"}})
	const own = "-ERR max number of watches of one client reached (maxwatches-per-client 2)"
	c := s.client()
	c.ask("HELLO", "3")
	w := &watcher{client: c, way: way{3, "watch"}}
	c.send(append(request("GET.WATCH", "a"), request("OBSERVE", "GET", "b")...))
	first := w.wantFrame("_ 0")
	w.wantFrame("_ 0")
	c.want(own, "GET.WATCH", "c")
	c.want(own, "OBSERVE", "GET", "c")
	c.want(own, "SUBSCRIBE", "__query__:GET c")
	c.send(request("GET.WATCH", "a")) // not one more
	w.wantFrame("_ 0")

	other, _ := s.watch(way{3, "watch"}, "GET", "a")
	const all = "-ERR max number of watches reached (maxwatches 3)"
	other.want(all, "GET.WATCH", "b")
	other.want(all, "GET.WATCH", "c")
	other.want(all, "SUBSCRIBE", "__query__:GET c")
	c.want("+OK", "UNWATCH", first.fingerprint)
	c.send(request("OBSERVE", "GET", "c"))
	w.wantFrame("_ 0")
	c.want(own, "SUBSCRIBE", "__query__:GET d")
	c.want("+RESET", "RESET")
	other.want("+RESET", "RESET")
	s.wantNoWatches()
}

// A result that is too long is an error until it is shorter; to begin with one
// is refused.
func TestLongResults(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, by way) {
		s := startServer(t, shape{2, false})
		w, _ := s.watch(by, "GET", "k")
		c := s.client()
		c.want("+OK", "CONFIG", "SET", "watch-max-result", "2kb")
		c.want("+OK", "SET", "k", strings.Repeat("x", 3000))
		const long = "ERR the result is longer than a live query's may be (watch-max-result, 2048 bytes)"
		if f := w.wantFrame("-" + long + " 1"); f.kind != "error" {
			t.Errorf("it is of the kind %s", f.kind)
		}
		c.want(`-`+long, "GET.WATCH", "k")
		c.want("+OK", "SET", "k", strings.Repeat("x", 3001))
		c.want("+OK", "SET", "k", "short")
		w.wantFrame(`"short" 2`)
	})
}

// What operators see of watches.
func TestWatchesAreShown(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	w, first := s.watch(way{3, "watch"}, "GET", "k")
	w.ask("GET.WATCH", "k2")
	another, _ := s.watch(way{2, "channel"}, "GET", "k")
	c := s.client()
	for n := range 3 {
		c.want("+OK", "SET", "k", fmt.Sprint(n))
		w.wantFrame(fmt.Sprintf(`"%d" 1`, n))
		another.wantFrame(fmt.Sprintf(`"%d" 1`, n))
	}
	f := func(section, want string) {
		t.Helper()
		c.send(request("INFO", section))
		reply, err := c.next()
		if err != nil || !strings.Contains(reply.Str(), want) {
			t.Errorf("INFO %s does not show %q: %s, %v", section, want, reply.Str(), err)
		}
	}
	f("clients", "maxwatches:1000000\r\nlive_queries:2\r\nlive_watches:3\r\n")
	f("stats", "live_query_evaluations:5\r\nlive_query_pushes:6\r\nlive_query_changes_covered:6\r\n")
	c.want("+OK", "CONFIG", "RESETSTAT")
	f("stats", "live_query_evaluations:0\r\nlive_query_pushes:0\r\nlive_query_changes_covered:0\r\n")
	list := s.clientLine(w)
	if !strings.Contains(list, " live=2") || !strings.Contains(list, " flags=P ") || !strings.Contains(list, " watch=0 ") || strings.Contains(list, " live-bytes=0") {
		t.Errorf("CLIENT LIST shows %s", list)
	}
	c.want(":2", "WATCHES", "KILL", first.fingerprint)
	if end := w.wantFrame("-ERR the live query was ended by WATCHES KILL 0"); end.kind != "end" {
		t.Errorf("the end is of the kind %s", end.kind)
	}
	another.wantFrame("-ERR the live query was ended by WATCHES KILL 0")
	eventually(t, "the killed watches are gone from CLIENT LIST", func() bool { return strings.Contains(s.clientLine(w), " live=1") })
	c.want("+OK", "SET", "k", "unheard")
	c.want("+OK", "SET", "k2", "heard")
	w.wantFrame(`"heard" 1`)
	another.want(`["unsubscribe", _, :0]`, "UNSUBSCRIBE")
	another.want(`"unheard"`, "GET", "k")
	w.want("+RESET", "RESET")
	s.wantNoWatches()
}

// clientLine is the line of CLIENT LIST about a watcher.
func (s *server) clientLine(w *watcher) string {
	s.tb.Helper()
	c := s.client()
	defer c.conn.Close()
	c.send(request("CLIENT", "LIST", "ID", fmt.Sprint(s.sessionOf(w))))
	reply, err := c.next()
	if err != nil || reply.Kind() == resp.Failure {
		s.tb.Fatal(resp.Format(reply), err)
	}
	return reply.Str()
}
