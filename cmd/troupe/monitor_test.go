package main

import (
	"strings"
	"testing"
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
