package session

// Transport contract. A transport carries bytes between sockets and sessions.
// Two exist: event loops (transport_linux.go) and a goroutine a link
// (transport_portable.go). Both keep these promises:
//
//   - Every call of a Handler comes from the link's own loop, one at a time.
//     All methods of Link but Post are called on that loop only.
//   - The read buffer belongs to the link. What Received does not consume is
//     kept and shown again, with what has come since, at the next call.
//   - A paused link is not read from. Resume shows left-over bytes at once.
//   - After the peer has half-closed, everything already received is still
//     answered; the link closes when the handler has consumed what it can,
//     nothing awaits an answer (the link is not paused) and all output is out.
//   - No call blocks.

// Link is one connection, as its session sees it.
type Link interface {
	// Write sends p, at once as far as the socket takes it; the rest is
	// copied and sent when the socket can take it, after which the handler's
	// Drained is called. p is the caller's again when Write returns.
	Write(p []byte)
	// Unsent is the number of bytes written and not yet taken by the socket.
	Unsent() int
	// Pause stops reading; Received is not called until Resume.
	Pause()
	// Resume reads on. If bytes are left over from before, Received is called
	// with them soon, from the loop, not from within Resume.
	Resume()
	// CloseAfterWrites closes the link once all output is out; input that
	// comes after the call is thrown away.
	CloseAfterWrites()
	// Close closes the link now; what is unsent is lost. The handler's Closed
	// follows, from the loop, not from within Close.
	Close()
	// Post runs task on the link's loop, soon, in the order of the posts.
	// It may be called from any goroutine. A task of a closed link still runs.
	Post(task func())
	// RemoteAddr and LocalAddr are "host:port", or the path of a unix socket.
	RemoteAddr() string
	LocalAddr() string
	// Unix reports whether the link came over a unix socket.
	Unix() bool
	// Loop is the number of the event loop that serves the link.
	Loop() int
	// FD is the descriptor's number, for CLIENT LIST; -1 when unknown.
	FD() int
}

// Handler is the session's side of a link.
type Handler interface {
	// Received is shown all bytes that were received and not yet consumed,
	// and returns how many of them it is done with. The bytes stay where
	// they are until Received is called again or Resume is; a handler that
	// needs them longer than this call pauses the link (and consumes them at
	// the call after Resume, or says so at once: consumed bytes stay valid
	// while the link is paused).
	Received(data []byte) (consumed int)
	// Drained tells that everything written has been taken by the socket,
	// after a Write that could not send all.
	Drained()
	// Closed is the last call. err is nil after an orderly end.
	Closed(err error)
}

// Accept makes the handler of a new link, on the link's loop. It returns nil
// to refuse, having written why (the link closes when that is out).
type Accept func(Link) Handler

// Transport serves links from listeners until it is closed.
type Transport interface {
	// Listen binds and starts to serve; network is "tcp", "tcp4", "tcp6" or
	// "unix". It returns the address bound.
	Listen(network, address string) (string, error)
	// Loops is the number of event loops.
	Loops() int
	// StopListening closes the listeners; links live on.
	StopListening()
	// Close closes listeners and links and waits for the loops to end.
	Close()
}
