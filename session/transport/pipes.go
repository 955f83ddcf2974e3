package transport

import "net"

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
	client, server := net.Pipe()
	if !p.g.adopt(server) {
		return nil, net.ErrClosed
	}
	return client, nil
}

// adopt serves a connection that came from no listener.
func (g *goroutines) adopt(conn net.Conn) (accepted bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.done.Add(1)
	go g.serve(conn, &boundListener{})
	return true
}

// Loops is the number of loops.
func (p *Pipes) Loops() int { return p.g.Loops() }

// Close closes all links and waits for their ends. It must not be called from a
// loop.
func (p *Pipes) Close() { p.g.Close() }
