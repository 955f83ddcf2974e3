package transport

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/session"
)

// goroutines is the transport that gives each link a goroutine to read with,
// and another to write with while there is output. It needs nothing but net.
//
// A loop is a turn that is taken: whoever has something to tell a handler, the
// goroutine that has read or one that runs posted tasks, holds the loop's turn
// while it does.
type goroutines struct {
	config Config // but for KeepAlive
	loops  []*turnLoop
	next   atomic.Uint32    // loop of the next link
	keep   atomic.Int64     // KeepAlive, nanoseconds
	done   sync.WaitGroup   // of all goroutines
	mu     sync.Mutex       // guards what follows
	bound  []*boundListener // listeners
	links  map[*turnLink]struct{}
	closed bool
}

// NewGoroutines returns a transport that has nothing to do yet.
func NewGoroutines(config Config) session.Transport {
	g := &goroutines{config: config.withDefaults(), links: map[*turnLink]struct{}{}}
	for i := range g.config.Loops {
		g.loops = append(g.loops, &turnLoop{number: g.config.FirstLoop + i})
	}
	g.SetKeepAlive(config.KeepAlive)
	return g
}

func (g *goroutines) Loops() int { return len(g.loops) }

func (g *goroutines) SetKeepAlive(d time.Duration) { g.keep.Store(int64(d)) }

func (g *goroutines) Listen(network, address string) (string, error) {
	return g.listen(network, address, false)
}

func (g *goroutines) ListenSecure(network, address string) (string, error) {
	return g.listen(network, address, true)
}

func (g *goroutines) listen(network, address string, secure bool) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return "", net.ErrClosed
	}
	bound, err := bindListener(network, address, g.config.UnixMode, bindUnixAside)
	if err != nil {
		return "", err
	}
	return g.take(bound, secure), nil
}

func (g *goroutines) Adopt(ln net.Listener, secure bool) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		ln.Close()
		return "", net.ErrClosed
	}
	return g.take(adopted(ln), secure), nil
}

// take has a goroutine accept from a listening socket.
func (g *goroutines) take(bound *boundListener, secure bool) (address string) {
	bound.secure, bound.accept = secure, g.config.Accept
	g.bound = append(g.bound, bound)
	g.done.Add(1)
	go g.accept(bound)
	return bound.address()
}

// bindUnixAside binds the socket in a directory that only its owner may enter,
// sets its permissions and moves it to its place.
func bindUnixAside(path string, mode fs.FileMode) (net.Listener, error) {
	if mode == 0 {
		return listenUnix(path)
	}
	aside, err := os.MkdirTemp(filepath.Dir(path), ".")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(aside)
	hidden := filepath.Join(aside, "s")
	ln, err := listenUnix(hidden)
	if err != nil {
		return nil, err
	}
	if err = os.Chmod(hidden, mode.Perm()); err == nil {
		err = os.Rename(hidden, path)
	}
	if err != nil {
		ln.Close()
		return nil, err
	}
	return ln, nil
}

func listenUnix(path string) (net.Listener, error) {
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	ln.SetUnlinkOnClose(false)
	return ln, nil
}

func (g *goroutines) accept(bound *boundListener) {
	defer g.done.Done()
	for {
		conn, err := bound.Accept()
		if err == nil {
			g.done.Add(1)
			go g.serve(conn, bound)
			continue
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
		g.config.Report(err)
		time.Sleep(acceptPause)
	}
}

// acceptPause is how long nothing is accepted after a failure, such as being
// out of descriptors; at once it would only fail again.
const acceptPause = 50 * time.Millisecond

// tuneConn sets keep-alive as tuneSocket does.
func tuneConn(conn net.Conn, keepAlive time.Duration) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok || keepAlive <= 0 {
		return
	}
	tcp.SetKeepAliveConfig(net.KeepAliveConfig{
		Enable: true, Idle: keepAlive, Interval: max(keepAlive/3, time.Second), Count: 3,
	})
}

// serve is a link's own goroutine.
func (g *goroutines) serve(conn net.Conn, bound *boundListener) {
	defer g.done.Done()
	tuneConn(conn, time.Duration(g.keep.Load()))
	loop := g.loops[int(g.next.Add(1)-1)%len(g.loops)]
	link := newTurnLink(g, loop, conn, bound)
	if !g.add(link) {
		conn.Close()
		return
	}
	link.run()
	g.remove(link)
}

// add is refused once the transport is closed.
func (g *goroutines) add(link *turnLink) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.links[link] = struct{}{}
	return true
}

func (g *goroutines) remove(link *turnLink) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.links, link)
}

func (g *goroutines) StopListening() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, bound := range g.bound {
		bound.Close()
		bound.removeFile()
	}
	g.bound = nil
}

func (g *goroutines) Close() {
	g.StopListening()
	g.mu.Lock()
	g.closed = true
	links := g.links
	g.links = nil
	g.mu.Unlock()
	for link := range links {
		link.Post(link.Close)
	}
	g.done.Wait()
	for _, loop := range g.loops {
		loop.drain()
	}
}
