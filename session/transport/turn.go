package transport

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/session"
)

// turnLoop serializes the handlers of its links: they are called by whoever
// holds turn.
type turnLoop struct {
	number  int
	turn    sync.Mutex
	pool    bufferPool // guarded by turn
	running []func()   // guarded by turn

	mu     sync.Mutex // guards what follows
	tasks  []func()
	called bool // a goroutine is on its way to run the tasks
}

func (t *turnLoop) post(task func()) {
	t.mu.Lock()
	t.tasks = append(t.tasks, task)
	call := !t.called
	t.called = true
	t.mu.Unlock()
	if call {
		go t.runTasks()
	}
}

func (t *turnLoop) runTasks() {
	t.turn.Lock()
	defer t.turn.Unlock()
	t.mu.Lock()
	t.running, t.tasks = t.tasks, t.running[:0]
	t.called = false
	t.mu.Unlock()
	for _, task := range t.running {
		task()
	}
	clear(t.running)
}

// drain waits until all tasks posted before it have run.
func (t *turnLoop) drain() {
	ran := make(chan struct{})
	t.post(func() { close(ran) })
	<-ran
}

// turnLink is a link of the goroutine transport. What has no mark is guarded by
// the loop's turn.
type turnLink struct {
	owner   *goroutines
	loop    *turnLoop
	handler session.Handler
	conn    net.Conn
	accept  session.Accept
	path    string    // of the unix socket it came over
	secure  *tls.Conn // conn, if the link came over TLS

	in      linkInput // the goroutine that reads writes behind its end, without the turn
	mayRead sync.Cond // on turn
	out     turnOutput

	greeting  bool // the handshake of TLS is not done
	due       bool // serve has been posted
	paused    bool
	unshown   int  // bytes that have come while the link was paused
	again     bool // Resume was called since the last Received
	untold    bool // Drained is owed
	eof       bool
	peerTold  bool
	flushing  bool
	closing   bool
	closed    bool
	lingering bool // closed after writes
	broken    bool // closed for a failure
	failure   error
}

// turnReadBytes is what a read takes at least: an idle link holds that much.
const turnReadBytes = 2 << 10

func newTurnLink(g *goroutines, loop *turnLoop, conn net.Conn, from *boundListener) *turnLink {
	k := &turnLink{
		owner: g, loop: loop, handler: refused{}, conn: conn, accept: from.accept, path: from.path,
		in:      linkInput{read: turnReadBytes, least: turnReadBytes},
		mayRead: sync.Cond{L: &loop.turn},
	}
	if from.secure {
		k.greeting = true
		k.accept = g.config.Secure.Accept
		k.secure = tls.Server(conn, g.config.Secure.Config())
	}
	return k
}

// refused is the handler of a link that Accept did not want.
type refused struct{}

func (refused) Received(data []byte) int { return len(data) }
func (refused) Drained()                 {}
func (refused) Closed(error)             {}

// unshownMax is how many bytes are read of a paused link, into space that nobody
// looks at, to hear of its peer's end.
const unshownMax = 16 << 10

// run reads until the link is closed.
func (k *turnLink) run() {
	if k.secure != nil {
		k.greet()
	}
	k.loop.turn.Lock()
	k.start()
	for !k.closed {
		buf := k.in.room(&k.loop.pool, k.paused)
		k.loop.turn.Unlock()
		n, err := k.conn.Read(buf)
		k.loop.turn.Lock()
		k.arrived(n, err)
		for !k.closed && (k.eof || k.paused && k.unshown >= unshownMax) {
			k.mayRead.Wait()
		}
	}
	lingering, broken := k.lingering, k.broken
	if k.paused {
		k.in.drop() // a batch that is still being answered may look at them
	} else {
		k.in.release(&k.loop.pool)
	}
	k.loop.turn.Unlock()
	if lingering {
		linger(k.conn)
	}
	if k.secure != nil && broken {
		k.secure.NetConn().Close() // there is nobody to say goodbye to
		return
	}
	k.conn.Close()
}

func (k *turnLink) start() {
	if k.closed {
		return
	}
	if handler := k.accept(k); handler != nil {
		k.handler = handler
	} else {
		k.CloseAfterWrites()
	}
}

// lingerMax is how long a link that was closed after its writes is still read
// from, if its peer does not close it before.
const lingerMax = 2 * time.Second

// linger throws away what the peer still sends. Unread, it would make close
// reset the connection, and the peer might lose the reply that tells it why.
func linger(conn net.Conn) {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	conn.SetReadDeadline(time.Now().Add(lingerMax))
	io.Copy(io.Discard, conn)
}

// arrived handles what a read brought.
func (k *turnLink) arrived(n int, err error) {
	if k.closed {
		return
	}
	k.in.filled(n)
	switch {
	case n == 0:
	case k.flushing:
		k.in.consume(n)
	case k.paused:
		k.unshown += n
	case !k.closing:
		k.show()
	}
	switch {
	case err == nil:
	case k.closing:
		k.finish(k.failure)
	case errors.Is(err, io.EOF):
		k.endOfInput()
	default:
		k.finish(err)
	}
}

func (k *turnLink) endOfInput() {
	k.eof = true
	k.settle()
}

func (k *turnLink) tellPeerClosed() {
	if k.peerTold {
		return
	}
	k.peerTold = true
	if handler, ok := k.handler.(session.PeerCloser); ok {
		handler.PeerClosed()
	}
}

func (k *turnLink) show() {
	k.again, k.unshown, k.in.expect = false, 0, 0
	k.in.consume(k.handler.Received(k.in.bytes()))
}

// later has the link served from its loop.
func (k *turnLink) later() {
	if !k.due {
		k.due = true
		k.loop.post(k.serve)
	}
}

func (k *turnLink) serve() {
	k.due = false
	if k.closed {
		return
	}
	if k.closing {
		k.finish(k.failure)
		return
	}
	if k.again && !k.paused && !k.flushing {
		k.again, k.unshown = false, 0
		k.in.returned()
		if !k.in.empty() {
			k.show()
		}
	}
	k.mayRead.Signal()
	k.settle()
}

// settle closes the link if nothing is left to be done for it.
func (k *turnLink) settle() {
	if k.eof && k.paused && !k.closing {
		k.tellPeerClosed()
	}
	if k.closed || k.untold || k.out.size.Load() > 0 {
		return
	}
	switch {
	case k.closing:
		k.finish(k.failure)
	case k.flushing:
		k.lingering = true
		k.finish(nil)
	case k.eof && !k.paused && !k.again:
		k.finish(nil)
	}
}

func (k *turnLink) fail(err error) {
	if !k.closing {
		k.closing = true
		k.failure = err
	}
	k.later()
}

// finish ends the link; the goroutine that reads closes the connection.
func (k *turnLink) finish(err error) {
	if k.closed {
		return
	}
	k.closed, k.closing, k.broken = true, true, err != nil
	if k.greeting {
		k.conn.Close() // greet sets deadlines of its own
	} else {
		k.conn.SetDeadline(longAgo)
	}
	k.mayRead.Signal()
	k.handler.Closed(err)
}

// longAgo as a deadline ends calls that wait.
var longAgo = time.Unix(1, 0)

func (k *turnLink) Write(p []byte) {
	if k.closing || len(p) == 0 {
		return
	}
	k.sendSoon(k.out.add(p))
}

// Give is Write without the copy.
func (k *turnLink) Give(large *slab.Buffer, p []byte) {
	if k.closing || len(p) == 0 {
		large.Free()
		return
	}
	k.sendSoon(k.out.give(large, p))
}

func (k *turnLink) sendSoon(start bool) {
	if start {
		k.owner.done.Add(1)
		go k.send()
	}
	k.untold = k.untold || k.Unsent() > 0
}

func (k *turnLink) Expect(n int) { k.in.expect = n }

// send writes until there is no output left.
func (k *turnLink) send() {
	defer k.owner.done.Done()
	err := k.out.sendTo(k.conn)
	k.loop.post(func() { k.sent(err) })
}

func (k *turnLink) sent(err error) {
	if k.closed {
		return
	}
	if err != nil {
		k.finish(err)
		return
	}
	if k.untold && k.out.size.Load() == 0 && !k.closing {
		k.untold = false
		k.handler.Drained()
	}
	k.settle()
}

// Unsent leaves out what a socket's own buffer would have taken, so that no
// link needs to hear of Drained that is not behind.
func (k *turnLink) Unsent() int { return max(int(k.out.size.Load())-turnTakenBytes, 0) }

func (k *turnLink) Pause() { k.paused = true }

func (k *turnLink) Resume() {
	if !k.paused || k.closing {
		return
	}
	k.paused = false
	k.again = true
	k.later()
}

func (k *turnLink) CloseAfterWrites() {
	if k.closing || k.flushing {
		return
	}
	k.flushing = true
	k.later()
}

func (k *turnLink) Close() {
	if !k.closing {
		k.fail(nil)
	}
}

func (k *turnLink) Post(task func()) { k.loop.post(task) }

func (k *turnLink) RemoteAddr() string {
	if k.Unix() {
		return k.path
	}
	return k.conn.RemoteAddr().String()
}

func (k *turnLink) LocalAddr() string {
	if k.Unix() {
		return k.path
	}
	return k.conn.LocalAddr().String()
}

func (k *turnLink) Unix() bool { return k.path != "" }
func (k *turnLink) Loop() int  { return k.loop.number }
func (k *turnLink) FD() int    { return -1 }
