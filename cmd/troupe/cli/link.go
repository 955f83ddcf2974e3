package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/troupedb/troupe/resp"
)

// dialWait is how long a link may take to come about.
const dialWait = 10 * time.Second

// arrival is what has come over a link: a reply, or the error with which it has
// ended, which is the last arrival.
type arrival struct {
	reply resp.Reply
	err   error
}

// link is a connection. One goroutine reads it; what it has read waits in a
// channel of a few replies, and beyond that in the sockets.
type link struct {
	conn net.Conn
	in   chan arrival
	gone chan struct{} // closed by close
}

// arrivalsMax is how many replies wait decoded.
const arrivalsMax = 64

// dial opens a link.
func (o *Options) dial(ctx context.Context) (*link, error) {
	conn, err := o.connect(ctx)
	if err != nil {
		return nil, err
	}
	l := &link{conn: conn, in: make(chan arrival, arrivalsMax), gone: make(chan struct{})}
	go l.read()
	return l, nil
}

// connect opens the connection of a link.
func (o *Options) connect(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	config, err := o.secure()
	if err != nil {
		return nil, err
	}
	network, address := "tcp", net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
	if o.Socket != "" {
		network, address = "unix", o.Socket
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil || config == nil {
		return conn, err
	}
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secured, nil
}

// read takes replies off the wire until the link ends.
func (l *link) read() {
	var framer resp.Framer
	var held []byte
	for buf := make([]byte, 64<<10); ; {
		size, err := framer.Frame(held)
		if size == 0 && err == nil {
			var n int
			if n, err = l.conn.Read(buf); n > 0 {
				held = append(held, buf[:n]...)
				continue
			}
		}
		var r resp.Reply
		if err == nil {
			r, _, err = resp.Decode(held[:size])
			held = held[size:]
		}
		if !l.deliver(arrival{r, err}) || err != nil {
			return
		}
	}
}

func (l *link) deliver(a arrival) bool {
	select {
	case l.in <- a:
		return true
	case <-l.gone:
		return false
	}
}

// send writes a command.
func (l *link) send(words ...string) error {
	_, err := l.conn.Write(resp.V2.Append(nil, resp.Strings(words...)))
	return err
}

// next waits for what comes.
func (l *link) next(ctx context.Context) (resp.Reply, error) {
	select {
	case a := <-l.in:
		return a.reply, a.err
	case <-ctx.Done():
		return resp.Nothing, ctx.Err()
	}
}

// close ends the link. It may be called once.
func (l *link) close() {
	close(l.gone)
	l.conn.Close()
}

// endOf says in words why a link has ended.
func endOf(err error) string {
	if errors.Is(err, io.EOF) {
		return "Server closed the connection"
	}
	return plainly(err)
}

// plainly is an error of the network without Go's words around it.
func plainly(err error) string {
	var sys *os.SyscallError
	var number syscall.Errno
	switch {
	case errors.As(err, &number):
		text := number.Error()
		return strings.ToUpper(text[:1]) + text[1:]
	case errors.As(err, &sys):
		return sys.Err.Error()
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err.Error()
	}
	return err.Error()
}
