package transport

import (
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/session"
)

// eventLink is a link of an event loop. All but at belongs to that loop.
type eventLink struct {
	at      atomic.Pointer[eventLoop]
	handler session.Handler
	origin  *eventListener
	peer    netip.AddrPort
	local   string // "" until asked for

	fd        int
	slot, tag int32
	watched   interest // what the poller has been told
	lastSeen  uint32   // the loop's last window with an event

	in     linkInput
	out    linkOutput
	secure *secureLink // nil without TLS

	gathered  bool // has writes that leave at the end of the turn
	due       bool // is in the loop's due list
	unwatched bool // taken out of the poller: it would report a hang-up for ever
	paused    bool
	again     bool // Resume was called since the last Received
	eof       bool // the peer has closed its side and all it sent was read
	peerTold  bool // PeerClosed was called
	flushing  bool // CloseAfterWrites was called
	closing   bool // Close was called, or a write has failed
	closed    bool // Closed was called, or is about to be
	lingering bool // closed, but for the descriptor
	lingerEnd time.Duration
	failure   error
}

func (k *eventLink) loop() *eventLoop { return k.at.Load() }

// start makes a new link known to its loop and to Accept.
func (k *eventLink) start() {
	l := k.loop()
	k.handler = refused{}
	k.adopt(l)
	switch {
	case k.closed:
	case k.origin.secure:
		k.greet()
	default:
		k.meet(l.owner.config.Accept)
	}
}

// meet asks for the link's handler.
func (k *eventLink) meet(accept session.Accept) {
	if handler := accept(k); handler != nil {
		k.handler = handler
	} else {
		k.CloseAfterWrites()
	}
}

// eventReadBytes is what a read takes at most, unless a link fills it.
const eventReadBytes = 16 << 10

// unadopted is the slot of a link that its loop does not watch yet.
const unadopted = -3

// adopt begins to serve the link on l, which its at names already: a task of l
// may have written to the link before, or closed it.
func (k *eventLink) adopt(l *eventLoop) {
	if k.closed {
		return
	}
	k.slot, k.tag = l.links.add(k)
	k.lastSeen = l.window.number
	if k.unwatched {
		return
	}
	if err := l.poll.watch(k.fd, k.slot, k.tag, k.watched); err != nil {
		k.finish(err)
	}
}

// want adds or removes events that the poller reports.
func (k *eventLink) want(add, remove interest) {
	next := k.watched&^remove | add
	if next == k.watched && !(k.unwatched && next != 0) {
		return
	}
	k.watched = next
	if k.slot == unadopted {
		return
	}
	poll := &k.loop().poll
	var err error
	if k.unwatched {
		k.unwatched = false
		err = poll.watch(k.fd, k.slot, k.tag, next)
	} else {
		err = poll.change(k.fd, k.slot, k.tag, next)
	}
	if err != nil {
		k.fail(err)
	}
}

// ready handles what the poller reports.
func (k *eventLink) ready(events interest) {
	if k.lingering {
		k.linger()
		return
	}
	k.loop().window.saw(k)
	if events&(wantOut|failed|hungUp) != 0 && k.unsent() > 0 {
		k.flush()
	}
	if k.closed || k.closing {
		return
	}
	if k.paused && !k.flushing {
		k.readyPaused(events)
		return
	}
	if events&(wantIn|peerClosed|hungUp|failed) != 0 {
		k.receive()
	}
}

// readyPaused turns off what a paused link does not act on, so that it is not
// reported for ever. Most pauses end before there is any such report.
func (k *eventLink) readyPaused(events interest) {
	if events&failed != 0 {
		k.finish(socketError(k.fd))
		return
	}
	if events&hungUp != 0 { // cannot be turned off
		k.loop().poll.forget(k.fd)
		k.unwatched = true
	} else {
		k.want(0, wantIn|events&peerClosed)
	}
	if events&(peerClosed|hungUp) != 0 {
		k.tellPeerClosed()
	}
}

func (k *eventLink) tellPeerClosed() {
	if k.peerTold {
		return
	}
	k.peerTold = true
	if handler, ok := k.handler.(session.PeerCloser); ok {
		handler.PeerClosed()
	}
}

// receive reads once and shows what came. If more is there, the poller says so
// again, after the other links have had their turn.
func (k *eventLink) receive() {
	pool := &k.loop().pool
	if k.flushing {
		if !k.discard() { // a failure shows again when output is written
			k.eof = true
			k.want(0, wantIn|peerClosed)
		}
		return
	}
	if k.eof {
		k.checkGone()
		return
	}
	if k.secure != nil {
		k.receiveSecure()
		return
	}
	n, again, err := readSocket(k.fd, k.in.room(pool, false))
	switch {
	case n > 0:
		k.in.filled(n)
		k.show()
		return
	case err != nil:
		k.finish(err)
		return
	case !again:
		k.endOfInput()
	}
	if !k.closed && k.in.empty() {
		k.in.release(pool)
	}
}

// endOfInput notes the half-close; the end of the stream would be reported for
// ever, so it is not waited for any more.
func (k *eventLink) endOfInput() {
	k.eof = true
	k.want(0, wantIn|peerClosed)
	k.settle()
}

// checkGone ends a half-closed link whose peer has gone for good, unless there
// is something to be shown yet.
func (k *eventLink) checkGone() {
	if !k.again {
		k.finish(socketError(k.fd))
	}
}

// show calls Received.
func (k *eventLink) show() {
	k.again, k.in.expect = false, 0
	n := k.handler.Received(k.in.bytes())
	k.in.consume(n)
	if k.in.empty() && !k.paused {
		k.in.release(&k.loop().pool)
	}
}

// serve does what was put off to the end of the turn.
func (k *eventLink) serve() {
	if k.closed {
		return
	}
	if k.closing {
		k.finish(k.failure)
		return
	}
	if k.again && !k.paused && !k.flushing {
		k.again = false
		if !k.in.empty() {
			k.show()
		} else {
			k.in.release(&k.loop().pool)
		}
	}
	// A flushing link reads on, or a peer that writes before it reads would
	// never read its replies.
	if !k.eof && (!k.paused || k.flushing) {
		k.want(wantIn|peerClosed, 0)
	}
	k.settle()
}

// settle closes the link if nothing is left to be done for it.
func (k *eventLink) settle() {
	if k.gathered {
		k.loop().sendGathered()
	}
	if k.eof && k.paused && !k.closing {
		k.tellPeerClosed()
	}
	if k.closed || k.unsent() > 0 {
		return
	}
	switch {
	case k.closing:
		k.finish(k.failure)
	case k.flushing:
		k.finish(nil)
	case k.eof && !k.paused && !k.again:
		k.finish(nil)
	}
}

// discard reads once and throws it away; false says that nothing more comes.
func (k *eventLink) discard() (more bool) {
	pool := &k.loop().pool
	buf := pool.get(widestRead)
	n, again, err := readSocket(k.fd, buf)
	pool.put(buf)
	return n > 0 || again && err == nil
}

// fail ends the link soon, from the loop.
func (k *eventLink) fail(err error) {
	if !k.closing {
		k.closing = true
		k.failure = err
	}
	k.loop().later(k)
}

// finish closes the link. Never called while the handler runs.
func (k *eventLink) finish(err error) {
	if k.closed {
		return
	}
	l := k.loop()
	if k.gathered && err == nil {
		l.sendGathered()
	}
	linger := k.flushing && err == nil && !k.eof && k.unsent() == 0
	if err == nil {
		k.sayGoodbye()
	}
	k.closed, k.closing = true, true
	if k.secure != nil && k.secure.greeting != nil {
		k.secure.greeting.stop(net.ErrClosed)
	}
	l.assigned.Add(-1)
	k.out.drop(&l.pool)
	if k.paused {
		k.in.drop() // a batch that is still being answered may look at them
	} else {
		k.in.release(&l.pool)
	}
	if !linger || !l.lingers(k) {
		k.shut()
	}
	k.handler.Closed(err)
}

// shut closes the descriptor.
func (k *eventLink) shut() {
	closeSocket(k.fd)
	k.fd = -1
	k.lingering = false
	if k.slot != unadopted {
		k.loop().links.remove(k.slot)
	}
}

// linger throws away what the peer of a closed link still sends.
func (k *eventLink) linger() {
	if !k.discard() {
		k.shut()
	}
}

// flushBytesMax bounds what one link sends in a turn.
const flushBytesMax = 1 << 20

// flush sends what is unsent, as far as the socket takes it.
func (k *eventLink) flush() {
	for sent := 0; k.unsent() > 0 && sent < flushBytesMax; {
		n, again, err := k.writeOut(k.out.front())
		if err != nil {
			k.finish(err)
			return
		}
		if n > 0 {
			k.out.advance(n, &k.loop().pool)
		}
		sent += n
		if again {
			return
		}
	}
	if k.unsent() > 0 {
		return
	}
	k.want(0, wantOut)
	if !k.closing {
		k.handler.Drained()
	}
	k.settle()
}

func (k *eventLink) Write(p []byte) {
	if k.closing || len(p) == 0 {
		return
	}
	k.loop().window.saw(k)
	if len(p) <= gatherMax/8 && k.unsent() == 0 {
		k.loop().gather(k, p)
		return
	}
	k.loop().sendGathered()
	k.send(p)
}

// send writes p as far as the socket takes it, behind what is unsent.
func (k *eventLink) send(p []byte) {
	k.gathered = false
	if k.closing {
		return
	}
	if k.unsent() == 0 {
		n, _, err := k.writeOut(p)
		if err != nil {
			k.fail(err)
			return
		}
		if p = p[n:]; len(p) == 0 && k.unsent() == 0 {
			return
		}
	}
	if len(p) > 0 {
		k.out.add(p, &k.loop().pool)
	}
	k.want(wantOut, 0)
}

// Give lets the bytes leave when the poller says that the socket takes them:
// they are too many for one turn anyway.
func (k *eventLink) Give(large *slab.Buffer, p []byte) {
	if k.closing || len(p) == 0 {
		large.Free()
		return
	}
	k.loop().window.saw(k)
	k.loop().sendGathered()
	if k.closing { // by a failure of what was gathered
		large.Free()
		return
	}
	k.out.give(large, p)
	k.want(wantOut, 0)
}

func (k *eventLink) Unsent() int { return k.unsent() }

func (k *eventLink) Expect(n int) { k.in.expect = n }

func (k *eventLink) Pause() { k.paused = true }

func (k *eventLink) Resume() {
	if !k.paused || k.closing {
		return
	}
	k.paused = false
	k.again = true
	k.loop().later(k)
}

func (k *eventLink) CloseAfterWrites() {
	if k.closing || k.flushing {
		return
	}
	k.flushing = true
	k.loop().later(k)
}

func (k *eventLink) Close() {
	if !k.closing {
		k.fail(nil)
	}
}

// Post adds the task to the queue of the loop that serves the link. A link
// changes loops under the locks of both, its queued tasks along with it.
func (k *eventLink) Post(task func()) {
	for {
		l := k.loop()
		l.mu.Lock()
		if k.loop() == l {
			l.addAndUnlock(posted{link: k, run: task})
			return
		}
		l.mu.Unlock()
	}
}

func (k *eventLink) RemoteAddr() string {
	if k.Unix() {
		return k.origin.address
	}
	return k.peer.String()
}

func (k *eventLink) LocalAddr() string {
	switch {
	case k.Unix():
		return k.origin.address
	case k.local == "" && !k.closed:
		k.local = localAddress(k.fd).String()
	}
	return k.local
}

func (k *eventLink) Unix() bool { return k.origin.unix }

func (k *eventLink) Loop() int {
	l := k.loop()
	return l.owner.config.FirstLoop + l.number
}

func (k *eventLink) FD() int {
	if k.closed {
		return -1
	}
	return k.fd
}
