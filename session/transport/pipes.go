package transport

import (
	"net"

	"github.com/troupedb/troupe/session"
)

// Pipes is the transport of links from inside the process: no socket, and no
// system call. It serves a link as the goroutine transport does.
type Pipes struct{ g *goroutines }

// NewPipes returns a transport that has nothing to do yet. Of the config, Accept,
// Loops and FirstLoop count.
func NewPipes(config Config) *Pipes {
	return &Pipes{NewGoroutines(config).(*goroutines)}
}

// Dial opens a link and returns the client's end of it. A write waits until the
// server reads, and what the server writes waits until it is read.
func (p *Pipes) Dial() (net.Conn, error) {
	return p.dial(func(server net.Conn) net.Conn { return server }, p.g.config.Accept)
}

// Ends are the addresses of a link's two ends, "host:port".
type Ends struct{ Remote, Local string }

// DialFor is Dial for a link that stands for a connection between two ends, and
// whose handler another Accept makes.
func (p *Pipes) DialFor(ends Ends, accept session.Accept) (net.Conn, error) {
	return p.dial(func(server net.Conn) net.Conn { return &between{server, ends} }, accept)
}

func (p *Pipes) dial(wrap func(net.Conn) net.Conn, accept session.Accept) (net.Conn, error) {
	client, server := net.Pipe()
	if !p.g.adopt(wrap(server), accept) {
		return nil, net.ErrClosed
	}
	return client, nil
}

// between is a pipe that stands for a connection between other ends.
type between struct {
	net.Conn
	ends Ends
}

func (b *between) RemoteAddr() net.Addr { return address(b.ends.Remote) }
func (b *between) LocalAddr() net.Addr  { return address(b.ends.Local) }

// address is "host:port" as an address of TCP.
type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

// adopt serves a connection that came from no listener.
func (g *goroutines) adopt(conn net.Conn, accept session.Accept) (accepted bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.done.Add(1)
	go g.serve(conn, &boundListener{accept: accept})
	return true
}

// Loops is the number of loops.
func (p *Pipes) Loops() int { return p.g.Loops() }

// Close closes all links and waits for their ends. It must not be called from a
// loop.
func (p *Pipes) Close() { p.g.Close() }
