package transport

import (
	"context"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// The system calls of the event loops; nothing else in the product makes any.
// Reads, writes and polls never block and are raw: the scheduler need not know.
// Only the wait of a loop that has nothing to do is an ordinary call, so that a
// sleeping loop holds no processor and no collection waits for it.

// interest is a set of epoll events.
type interest uint32

const (
	wantIn        interest = syscall.EPOLLIN
	wantOut       interest = syscall.EPOLLOUT
	peerClosed    interest = syscall.EPOLLRDHUP
	hungUp        interest = syscall.EPOLLHUP
	failed        interest = syscall.EPOLLERR
	edgeTriggered interest = 1 << 31
)

// Slots of the poller's own descriptors; links have others.
const (
	wakeSlot   = -1
	listenSlot = -2
)

// poller is an epoll instance and the event descriptor that wakes it.
type poller struct {
	fd, wake int
	events   [128]syscall.EpollEvent
}

// readiness says of which descriptor something is ready. slot and tag are what
// it was watched with.
type readiness struct {
	slot, tag int32
	events    interest
}

func (p *poller) open() error {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	wake, _, errno := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if errno != 0 {
		syscall.Close(fd)
		return os.NewSyscallError("eventfd2", errno)
	}
	p.fd, p.wake = fd, int(wake)
	// Edge-triggered, the descriptor need never be read: each write is an edge.
	if err := p.watch(p.wake, wakeSlot, 0, wantIn|edgeTriggered); err != nil {
		p.close()
		return err
	}
	return nil
}

func (p *poller) close() {
	syscall.Close(p.fd)
	syscall.Close(p.wake)
}

// wakeUp ends the present wait, or the next. It may be called by any goroutine.
func (p *poller) wakeUp() {
	one := uint64(1)
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(p.wake), uintptr(unsafe.Pointer(&one)), 8)
}

func (p *poller) watch(fd int, slot, tag int32, events interest) error {
	return p.control(syscall.EPOLL_CTL_ADD, fd, syscall.EpollEvent{Events: uint32(events), Fd: slot, Pad: tag})
}

func (p *poller) change(fd int, slot, tag int32, events interest) error {
	return p.control(syscall.EPOLL_CTL_MOD, fd, syscall.EpollEvent{Events: uint32(events), Fd: slot, Pad: tag})
}

func (p *poller) forget(fd int) {
	p.control(syscall.EPOLL_CTL_DEL, fd, syscall.EpollEvent{})
}

func (p *poller) control(op, fd int, event syscall.EpollEvent) error {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_CTL, uintptr(p.fd), uintptr(op), uintptr(fd),
		uintptr(unsafe.Pointer(&event)), 0, 0)
	if errno != 0 {
		return os.NewSyscallError("epoll_ctl", errno)
	}
	return nil
}

// poll returns how many descriptors are ready now.
func (p *poller) poll() int {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.fd),
		uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), 0, 0, 0)
	return readyCount(n, errno)
}

// wait sleeps until a descriptor is ready, wakeUp is called, or most has
// passed; below zero, most is without limit.
func (p *poller) wait(most time.Duration) int {
	if n := p.doze(); n > 0 {
		return n
	}
	milliseconds := -1
	if most >= 0 {
		milliseconds = int((most + time.Millisecond - 1) / time.Millisecond)
	}
	n, _, errno := syscall.Syscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.fd),
		uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), uintptr(milliseconds), 0, 0)
	return readyCount(n, errno)
}

// dozeNanos is how long a loop sleeps without telling the scheduler. A busy
// server's sleeps are shorter. For each that is told of and is longer than
// 20 µs, the runtime's monitor takes the processor away, and it looks every
// 20 µs while it finds such: a twentieth of the CPU time of a busy server. The
// price is that the processor is held as long; so a server runs with one
// processor more than it has loops, and what stops the world interrupts the
// call by its signal.
const dozeNanos = 200_000

// sysEpollPwait2 is the same number on all systems that Linux runs on; before
// Linux 5.11 it is none.
const sysEpollPwait2 = 441

// doze waits a moment for an event.
func (p *poller) doze() int {
	timeout := syscall.Timespec{Nsec: dozeNanos}
	n, _, errno := syscall.RawSyscall6(sysEpollPwait2, uintptr(p.fd),
		uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), uintptr(unsafe.Pointer(&timeout)), 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// yield gives the processor to another thread that wants it.
func (p *poller) yield() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }

func readyCount(n uintptr, errno syscall.Errno) int {
	switch errno {
	case 0:
		return int(n)
	case syscall.EINTR:
		return 0
	}
	panic(os.NewSyscallError("epoll_pwait", errno)) // only a descriptor closed by mistake can cause it
}

func (p *poller) ready(i int) readiness {
	e := &p.events[i]
	return readiness{slot: e.Fd, tag: e.Pad, events: interest(e.Events)}
}

// Sockets are read and written by the calls that are only for them: read and
// write find out each time what kind of file it is, and lock its position.

// readSocket reads what is there. n is 0 at the end of the stream; again says
// that nothing is there now.
func readSocket(fd int, buf []byte) (n int, again bool, err error) {
	return socketCall(syscall.SYS_RECVFROM, "read", fd, buf)
}

// writeSocket writes what the socket takes; again says that it takes nothing.
func writeSocket(fd int, buf []byte) (n int, again bool, err error) {
	return socketCall(syscall.SYS_SENDTO, "write", fd, buf)
}

func socketCall(call uintptr, name string, fd int, buf []byte) (n int, again bool, err error) {
	for {
		r, _, errno := syscall.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)),
			syscall.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			return int(r), false, nil
		case syscall.EAGAIN:
			return 0, true, nil
		case syscall.EINTR:
		default:
			return 0, false, os.NewSyscallError(name, errno)
		}
	}
}

func closeSocket(fd int) { syscall.Close(fd) }

// endOutput tells the peer that nothing more will come.
func endOutput(fd int) error { return syscall.Shutdown(fd, syscall.SHUT_WR) }

// socketError takes the error that waits on a socket.
func socketError(fd int) error {
	errno, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ERROR)
	if err != nil {
		return os.NewSyscallError("getsockopt", err)
	}
	if errno == 0 {
		errno = int(syscall.ECONNRESET)
	}
	return os.NewSyscallError("poll", syscall.Errno(errno))
}

// acceptSocket takes one waiting connection; again says that there is none.
// full says that it could not be taken for want of descriptors or memory.
func acceptSocket(fd int) (accepted int, peer netip.AddrPort, again, full bool, err error) {
	for {
		accepted, from, err := syscall.Accept4(fd, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
		switch err {
		case nil:
			return accepted, addressOf(from), false, false, nil
		case syscall.EAGAIN:
			return 0, peer, true, false, nil
		case syscall.EINTR, syscall.ECONNABORTED:
		case syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM:
			return 0, peer, false, true, os.NewSyscallError("accept4", err)
		default:
			return 0, peer, false, false, os.NewSyscallError("accept4", err)
		}
	}
}

// reserveDescriptor holds a descriptor that can be given up when there are no
// others; -1 if there is none.
func reserveDescriptor() int {
	fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

// localAddress is the address that a socket is bound to.
func localAddress(fd int) netip.AddrPort {
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		return netip.AddrPort{}
	}
	return addressOf(bound)
}

// addressOf is the zero AddrPort for a unix socket.
func addressOf(sa syscall.Sockaddr) netip.AddrPort {
	switch sa := sa.(type) {
	case *syscall.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *syscall.SockaddrInet6:
		addr := netip.AddrFrom16(sa.Addr).Unmap()
		if sa.ZoneId != 0 && addr.Is6() {
			if ifi, err := net.InterfaceByIndex(int(sa.ZoneId)); err == nil {
				addr = addr.WithZone(ifi.Name)
			}
		}
		return netip.AddrPortFrom(addr, uint16(sa.Port))
	}
	return netip.AddrPort{}
}

// tuneSocket turns Nagle's algorithm off, and keep-alive probes on as redis
// does: a third of the idle time apart, dead after three.
func tuneSocket(fd int, keepAlive time.Duration) {
	syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
	if keepAlive <= 0 {
		syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 0)
		return
	}
	idle := min(max(int(keepAlive/time.Second), 1), keepIdleMax)
	syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1)
	syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE, idle)
	syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL, max(idle/3, 1))
	syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT, 3)
}

// keepIdleMax is the most seconds that Linux takes.
const keepIdleMax = 32767

// takeListener gives the event loops a descriptor of their own of a listening
// socket, and closes net's.
func takeListener(ln net.Listener, backlog int) (int, error) {
	defer ln.Close()
	conn, err := ln.(syscall.Conn).SyscallConn()
	if err != nil {
		return 0, err
	}
	fd := uintptr(0)
	errno := syscall.Errno(0)
	err = conn.Control(func(listening uintptr) {
		fd, _, errno = syscall.RawSyscall(syscall.SYS_FCNTL, listening, syscall.F_DUPFD_CLOEXEC, 0)
	})
	if err != nil {
		return 0, err
	}
	if errno != 0 {
		return 0, os.NewSyscallError("fcntl", errno)
	}
	if err := syscall.Listen(int(fd), backlog); err != nil { // a second call sets the backlog
		syscall.Close(int(fd))
		return 0, os.NewSyscallError("listen", err)
	}
	return int(fd), nil
}

// bindUnixPrivately gives the socket its permissions before it has a name, and
// afterwards those that the umask has taken away.
func bindUnixPrivately(path string, mode fs.FileMode) (net.Listener, error) {
	config := plainListen()
	if mode != 0 {
		config.Control = func(_, _ string, conn syscall.RawConn) error { return unixSocketMode(conn, mode) }
	}
	ln, err := config.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	ln.(*net.UnixListener).SetUnlinkOnClose(false)
	if mode != 0 {
		if err := os.Chmod(path, mode.Perm()); err != nil {
			ln.Close()
			return nil, err
		}
	}
	return ln, nil
}

// unixSocketMode gives a unix socket its permissions before it is bound, so
// that its file never has others (the kernel takes the socket's, less umask).
func unixSocketMode(conn syscall.RawConn, mode fs.FileMode) error {
	var failure error
	err := conn.Control(func(fd uintptr) { failure = syscall.Fchmod(int(fd), uint32(mode.Perm())) })
	if err != nil {
		return err
	}
	return os.NewSyscallError("fchmod", failure)
}

// threadTime is the CPU time that the calling thread has used.
func threadTime() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var ts syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}
