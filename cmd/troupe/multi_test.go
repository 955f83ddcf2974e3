package main

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/actors/config"
)

// What a link has queued counts like what it has sent and not ended: past
// client-query-buffer-limit it is closed, and nothing of it is run.
func TestTransactionIsBounded(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false}, config.Flag{Name: "client-query-buffer-limit", Words: []string{"1mb"}})
	c, half := s.client(), strings.Repeat("x", 600<<10)
	c.want("+OK", "MULTI")
	c.want("+QUEUED", "SET", "a", half)
	c.send(request("SET", "b", half))
	c.send(request("EXEC"))
	eventually(t, "the link is closed", func() bool { return s.Server.Connected() == 0 })
	s.client().want(":0", "EXISTS", "a", "b")
	if got := s.client().counter("client_query_buffer_limit_disconnections"); got != 1 {
		t.Errorf("%d links were closed", got)
	}
}

// WATCH of a key that is under WATCH already adds nothing.
func TestWatchTwiceIsOnce(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	c := s.client()
	for range 3 {
		c.want("+OK", "WATCH", "a", "b", "a")
	}
	if reply := c.ask("CLIENT", "INFO"); !strings.Contains(reply, " watch=2 ") {
		t.Errorf("CLIENT INFO: %s, want watch=2", reply)
	}
}
