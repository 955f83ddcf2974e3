package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/actors/config"
)

// A monitor that does not read is let go once what waits for it has reached
// its bound; those whose commands it was shown notice nothing.
func TestMonitorThatDoesNotReadIsLetGo(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		monitor, writer := s.client(), s.client()
		monitor.want("+OK", "MONITOR")
		writer.want("+PONG", "PING")
		value := strings.Repeat("x", 100<<10)
		for s.Server.Connected() == 2 {
			writer.want("+OK", "SET", "k", value)
		}
		writer.want(":102400", "STRLEN", "k")
	})
}

// A command that has to wait for those before it is shown once, and EXEC under
// the name that it was given.
func TestMonitorShowsOnce(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh, config.Flag{Name: "rename-command", Words: []string{"EXEC", "COMMIT"}})
		monitor, busy, c := s.client(), s.client(), s.client()
		monitor.want("+OK", "MONITOR")
		busy.send(request("DEBUG", "SLEEP", "0.05"))
		c.send(slices.Concat(request("GET", "a"), request("PING"), request("MGET", "a", "b"),
			request("MULTI"), request("GET", "a"), request("commit")))
		for _, want := range []string{`"GET" "a"`, `"PING"`, `"MGET" "a" "b"`, `"MULTI"`, `"GET" "a"`, `"commit"`} {
			if line := monitor.receive(); !strings.HasSuffix(line, "] "+want) {
				t.Errorf("shown is %s, want %s", line, want)
			}
		}
	})
}
