package session

import (
	"net"
	"time"

	"github.com/troupedb/troupe/keyspace/slab"
)

// Transport contract. A transport carries bytes between sockets and sessions;
// package session/transport has those that there are. They keep these promises:
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
//   - A link may move to another loop between two calls, never during one. A
//     task that finds another link's Loop equal to its own loop's number may
//     call that link too, until the task returns; if the numbers differ, it
//     must Post.

// Link is one connection, as its session sees it.
type Link interface {
	// Write sends p, at once as far as the socket takes it; the rest is
	// copied and sent when the socket can take it. If Unsent is above zero
	// when Write returns, the handler's Drained will be called.
	// p is the caller's again when Write returns.
	Write(p []byte)
	// Give is Write for p in a Buffer, which is the link's from here on: it is
	// not copied, and freed when its bytes have left or never will. It is for
	// much at once.
	Give(large *slab.Buffer, p []byte)
	// Unsent is the number of bytes written and not yet taken by the socket.
	Unsent() int
	// Pause stops reading; Received is not called until Resume.
	Pause()
	// Resume reads on. If bytes are left over from before, Received is called
	// with them soon, from the loop, not from within Resume. Without a Pause
	// before it, it does nothing.
	Resume()
	// Expect tells, from within Received, how many bytes are needed for it to
	// go on, from the first that it does not consume: so that they are read to
	// where they can stay.
	Expect(n int)
	// CloseAfterWrites closes the link once all output is out; input that
	// comes after the call is thrown away.
	CloseAfterWrites()
	// Close closes the link now; what is unsent is lost. The handler's Closed
	// follows, from the loop, not from within Close.
	Close()
	// Post runs task on the link's loop, soon, in the order of the posts.
	// It may be called from any goroutine. A task of a closed link still
	// runs; only after the transport has been closed are tasks dropped.
	Post(task func())
	// RemoteAddr and LocalAddr are "host:port", or the path of a unix socket.
	RemoteAddr() string
	LocalAddr() string
	// Unix reports whether the link came over a unix socket.
	Unix() bool
	// Loop is the number of the event loop that serves the link. It alone of
	// the getters may be called from any loop.
	Loop() int
	// FD is the descriptor's number, for CLIENT LIST; -1 when unknown.
	FD() int
}

// Handler is the session's side of a link.
type Handler interface {
	// Received is shown all bytes that were received and not yet consumed,
	// and returns how many of them it is done with. The bytes are the
	// handler's to read until it returns. If it has paused the link, they stay
	// where they are, consumed or not, until Resume is called, and if the link
	// closes while it is paused, for as long as anybody refers to the Link; so
	// a batch that is answered later may keep slices of them.
	Received(data []byte) (consumed int)
	// Drained tells that everything written has been taken by the socket,
	// after a Write that could not send all.
	Drained()
	// Closed is the last call. err is nil after an orderly end.
	Closed(err error)
}

// PeerCloser is a Handler that wants to know early that its peer is gone.
type PeerCloser interface {
	// PeerClosed tells, at most once and only while the link is paused, that
	// the peer has closed its side: it may still read, but will send nothing
	// after what it has sent. A handler that waits for something that may
	// never come (a blocked command), now or at a later pause, can give up
	// then; the end of an unpaused link, or of one reset by its peer, is told
	// by Closed. If the peer has sent much since the pause, its end is heard of
	// only behind that.
	PeerClosed()
}

// Accept makes the handler of a new link, on the link's loop. It returns nil
// to refuse, having written why (the link closes when that is out).
type Accept func(Link) Handler

// Transport serves links from listeners until it is closed. Who starts a server
// chooses one and gives it Server.Accept.
type Transport interface {
	// Listen binds and starts to serve; network is "tcp", "tcp4", "tcp6" or
	// "unix". It returns the address bound. An IPv6 address is bound for IPv6
	// only, an empty host for both.
	Listen(network, address string) (string, error)
	// ListenSecure is Listen for links that come over TLS; network is one of TCP.
	ListenSecure(network, address string) (string, error)
	// Adopt serves who connects to a listening socket that somebody else has opened,
	// over TLS if it is secure. The listener is the transport's from here on; a unix
	// socket's file is not.
	Adopt(ln net.Listener, secure bool) (string, error)
	// Loops is the number of event loops.
	Loops() int
	// SetKeepAlive sets after how long a silence TCP asks whether the peer is
	// still there, on links from here on; 0 never asks.
	SetKeepAlive(time.Duration)
	// StopListening closes the listeners; links live on.
	StopListening()
	// Close closes listeners and links and waits for the loops to end. It must
	// not be called from a loop.
	Close()
}
