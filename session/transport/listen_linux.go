package transport

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/troupedb/troupe/session"
)

// eventLoops is the transport made of event loops.
type eventLoops struct {
	config   Config
	loops    []*eventLoop
	done     sync.WaitGroup
	greeters greeters

	mu        sync.Mutex // guards what follows
	listeners []*eventListener
	listened  int32 // numbers listeners
	closed    bool
	reserve   int // a descriptor for when there are no others
}

// eventListener is a listening socket. The first loop accepts for all.
type eventListener struct {
	fd      int
	number  int32
	address string
	unix    bool
	secure  bool // TLS
	bound   *boundListener
}

// New returns the transport that suits this system.
func New(config Config) (session.Transport, error) { return NewEventLoops(config) }

// NewEventLoops starts event loops that have nothing to do yet. It fails if
// the system is short of descriptors.
func NewEventLoops(config Config) (session.Transport, error) {
	o := &eventLoops{config: config.withDefaults(), greeters: newGreeters(), reserve: reserveDescriptor()}
	for i := range o.config.Loops {
		l := &eventLoop{owner: o, number: i}
		if err := l.poll.open(); err != nil {
			o.abandon()
			return nil, err
		}
		o.loops = append(o.loops, l)
	}
	o.done.Add(len(o.loops))
	for _, l := range o.loops {
		go l.run(&o.done)
	}
	return o, nil
}

// abandon gives up loops that have not been started.
func (o *eventLoops) abandon() {
	for _, l := range o.loops {
		l.poll.close()
	}
	closeSocket(o.reserve)
}

func (o *eventLoops) Loops() int { return len(o.loops) }

func (o *eventLoops) Listen(network, address string) (string, error) {
	return o.listen(network, address, false)
}

func (o *eventLoops) ListenSecure(network, address string) (string, error) {
	return o.listen(network, address, true)
}

func (o *eventLoops) Adopt(ln net.Listener, secure bool) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		ln.Close()
		return "", net.ErrClosed
	}
	return o.take(adopted(ln), secure)
}

func (o *eventLoops) listen(network, address string, secure bool) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return "", net.ErrClosed
	}
	bound, err := bindListener(network, address, o.config.UnixMode, bindUnixPrivately)
	if err != nil {
		return "", err
	}
	return o.take(bound, secure)
}

// take has the first loop accept from a listening socket.
func (o *eventLoops) take(bound *boundListener, secure bool) (string, error) {
	listener := &eventListener{
		number: o.listened, bound: bound, address: bound.address(), unix: bound.path != "", secure: secure,
	}
	if err := o.serveListener(listener); err != nil {
		bound.removeFile()
		return "", err
	}
	o.listened++
	o.listeners = append(o.listeners, listener)
	return listener.address, nil
}

func (o *eventLoops) serveListener(listener *eventListener) error {
	fd, err := takeListener(listener.bound.Listener, o.config.Backlog)
	if err != nil {
		return err
	}
	if !listener.unix {
		tuneSocket(fd, o.config.KeepAlive) // accepted sockets inherit it
	}
	listener.fd = fd
	if err := o.loops[0].poll.watch(fd, listenSlot, listener.number, wantIn); err != nil {
		closeSocket(fd)
		return err
	}
	return nil
}

func (o *eventLoops) SetKeepAlive(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.config.KeepAlive = d
	for _, listener := range o.listeners {
		if !listener.unix {
			tuneSocket(listener.fd, d)
		}
	}
}

func (o *eventLoops) StopListening() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, listener := range o.listeners {
		o.loops[0].poll.forget(listener.fd)
		closeSocket(listener.fd)
		listener.bound.removeFile()
	}
	o.listeners = nil
}

func (o *eventLoops) Close() {
	o.StopListening()
	o.mu.Lock()
	wasClosed := o.closed
	o.closed = true
	o.mu.Unlock()
	if wasClosed {
		o.done.Wait()
		return
	}
	for _, l := range o.loops {
		l.closing.Store(true)
		l.post(func() {})
	}
	o.done.Wait()
	closeSocket(o.reserve)
}

// acceptsMax bounds the connections accepted in a row.
const acceptsMax = 64

// acceptFrom accepts what waits at a listener and gives it to the loops.
func (o *eventLoops) acceptFrom(l *eventLoop, number int32) {
	for _, link := range o.accepted(number) {
		to := o.loops[placeLink(o.loads(), o.config.Sticky)]
		link.at.Store(to)
		to.assigned.Add(1)
		if to == l {
			link.start()
		} else if !to.post(link.start) {
			closeSocket(link.fd)
		}
	}
}

// accepted makes links of waiting connections. The lock keeps the descriptor
// from being closed, and given to something else, meanwhile.
func (o *eventLoops) accepted(number int32) (links []*eventLink) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.listeners, func(ln *eventListener) bool { return ln.number == number })
	if i < 0 {
		return nil
	}
	listener := o.listeners[i]
	for range acceptsMax {
		fd, peer, again, full, err := acceptSocket(listener.fd)
		if err != nil {
			o.config.Report(err)
			if full {
				o.turnAway(listener.fd)
			}
		}
		if err != nil || again {
			return links
		}
		links = append(links, listener.link(fd, peer))
	}
	return links
}

func (ln *eventListener) link(fd int, peer netip.AddrPort) *eventLink {
	return &eventLink{
		origin: ln, fd: fd, peer: peer, slot: unadopted,
		watched: wantIn | peerClosed,
		in:      linkInput{read: eventReadBytes, least: eventReadBytes},
	}
}

// turnAway accepts and closes one connection for which there is no descriptor;
// left waiting, it would be reported for ever.
func (o *eventLoops) turnAway(listening int) {
	if o.reserve < 0 {
		return
	}
	closeSocket(o.reserve)
	if fd, _, again, _, err := acceptSocket(listening); err == nil && !again {
		closeSocket(fd)
	}
	o.reserve = reserveDescriptor()
}
