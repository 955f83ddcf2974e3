// Package transport carries the bytes between sockets and sessions: by event
// loops (NewEventLoops, Linux), or with a goroutine for each link
// (NewGoroutines: other systems, TLS). It promises what the contract in
// session/transport.go says.
//
// It owns the sockets, the buffers of links, and the choice of the loop that
// serves a link. It knows no protocol.
package transport

import (
	"io/fs"
	"runtime"
	"time"

	"github.com/troupedb/troupe/session"
)

// Config is what a transport is told at its start.
type Config struct {
	// Accept makes the handlers; it must not be nil.
	Accept session.Accept
	// Loops is the number of event loops; 0 is one a core (GOMAXPROCS).
	Loops int
	// FirstLoop is the number of the first loop, so that two transports of one
	// server can number their loops apart.
	FirstLoop int
	// Sticky keeps every link on its first loop, and spreads new ones evenly.
	Sticky bool
	// Backlog is how many connections may wait to be accepted; 0 is 511. Only
	// the event loops heed it, others take the system's maximum.
	Backlog int
	// KeepAlive is the idle time after which TCP asks whether the peer is
	// still there; 0 never asks.
	KeepAlive time.Duration
	// UnixMode is the permissions of unix sockets; 0 is what the umask leaves.
	UnixMode fs.FileMode
	// Secure says how links come in over TLS.
	Secure Secure
	// Report, if set, hears of failures that belong to no link, such as being
	// out of descriptors. It is called from any goroutine and must not block.
	Report func(error)

	// decide and window stand in for the balance policy in tests.
	decide func(self int, loads []loopLoad) (loopMove, bool)
	window time.Duration
}

// withDefaults fills in what was left zero.
func (c Config) withDefaults() Config {
	if c.Loops <= 0 {
		c.Loops = runtime.GOMAXPROCS(0)
	}
	if c.Backlog <= 0 {
		c.Backlog = 511
	}
	if c.window == 0 {
		c.window = balanceWindow
	}
	c.Secure = c.Secure.withDefaults(c.Accept)
	if c.Report == nil {
		c.Report = func(error) {}
	}
	return c
}
