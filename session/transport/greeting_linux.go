package transport

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"time"
)

// greeting is the handshake of a link of an event loop. The loop brings what
// the peer sends and sends what the handshake writes; the goroutine that works
// on it waits in read, and nowhere else.
type greeting struct {
	link  *eventLink
	turn  greeters
	timer *time.Timer // nil: it may take for ever

	mu     sync.Mutex // guards what follows
	news   sync.Cond
	in     []byte
	out    []byte
	posted bool  // sendGreeting is on its way
	full   bool  // the loop has stopped reading
	end    error // nothing comes after in
}

// greetingMax is how many bytes the loop reads ahead of a handshake.
const greetingMax = 64 << 10

// greet begins the handshake of a new link.
func (k *eventLink) greet() {
	owner := k.loop().owner
	secure := &owner.config.Secure
	if !secure.Knock(k.RemoteAddr()) {
		k.finish(nil)
		return
	}
	g := &greeting{link: k, turn: owner.greeters}
	g.news.L = &g.mu
	k.secure = &secureLink{greeting: g}
	conn := tls.Server(wire{k.secure, k}, secure.Config())
	k.secure.conn = conn
	if patience := secure.Patience(); patience > 0 {
		g.timer = time.AfterFunc(patience, func() { g.stop(os.ErrDeadlineExceeded) })
	}
	go func() {
		g.turn.begin()
		err := conn.Handshake()
		g.turn.rest()
		k.Post(func() { k.greeted(err) })
	}()
}

// greeted is told of the end of the handshake.
func (k *eventLink) greeted(err error) {
	g, secure := k.secure.greeting, &k.loop().owner.config.Secure
	if g.timer != nil {
		g.timer.Stop()
	}
	if !k.closed {
		k.sendGreeting()
	}
	rest, end := g.left()
	if err == nil && end != io.EOF {
		err = end
	}
	if err == nil && k.closing {
		err = net.ErrClosed
	}
	if err != nil {
		secure.Left(k.RemoteAddr(), err)
		k.CloseAfterWrites()
		return
	}
	k.secure.greeting = nil
	k.meet(secure.Accept)
	if k.flushing {
		return
	}
	k.want(wantIn|peerClosed, 0)
	k.secure.ended = end != nil
	k.unseal(rest)
}

// left is what came behind the handshake, and why nothing comes after it.
func (g *greeting) left() ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.in, g.end
}

// feed gives the handshake what was read; nothing is the end of it.
func (g *greeting) feed(p []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.in = append(g.in, p...)
	if len(p) == 0 {
		g.end = io.EOF
	}
	if g.full = len(g.in) >= greetingMax; g.full || g.end != nil {
		g.link.want(0, wantIn|peerClosed)
	}
	g.news.Signal()
}

// stop gives the handshake up. Any goroutine may call it.
func (g *greeting) stop(why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end, g.in = why, nil
	g.news.Signal()
}

// read waits for what the peer sends.
func (g *greeting) read(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.in) == 0 && g.end == nil {
		g.await()
	}
	if len(g.in) == 0 {
		return 0, g.end
	}
	n := copy(p, g.in)
	if g.in = g.in[n:]; len(g.in) == 0 && g.full {
		g.full = false
		g.link.Post(g.link.readOn)
	}
	return n, nil
}

// await lets others work on their handshakes meanwhile.
func (g *greeting) await() {
	g.turn.rest()
	for len(g.in) == 0 && g.end == nil {
		g.news.Wait()
	}
	g.mu.Unlock()
	g.turn.begin()
	g.mu.Lock()
}

// readOn reads on for a handshake.
func (k *eventLink) readOn() {
	if !k.closed && k.secure.greeting != nil {
		k.want(wantIn|peerClosed, 0)
	}
}

func (g *greeting) write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.out = append(g.out, p...)
	if !g.posted {
		g.posted = true
		g.link.Post(g.link.sendGreeting)
	}
	return len(p), nil
}

// sendGreeting sends what the handshake has written.
func (k *eventLink) sendGreeting() {
	g := k.secure.greeting
	if g == nil || k.closed {
		return
	}
	g.mu.Lock()
	out := g.out
	g.out, g.posted = nil, false
	g.mu.Unlock()
	if k.secure.out = append(k.secure.out, out...); len(k.secure.out) > 0 {
		k.sendSealed()
	}
}

// greeters bounds the handshakes that are worked on at once to half of the
// cores. One costs as much as hundreds of commands, and a crowd of newcomers is
// not to keep the processors from those who are served already.
type greeters chan struct{}

func newGreeters() greeters { return make(greeters, max(1, runtime.NumCPU()/2)) }

func (g greeters) begin() { g <- struct{}{} }
func (g greeters) rest()  { <-g }
