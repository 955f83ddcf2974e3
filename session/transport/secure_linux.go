package transport

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"
)

// TLS on event loops. crypto/tls wants a connection that waits, and a loop does
// not wait: so it is given a wire, which holds what the loop has read, and has
// nothing yet when that is used up. To crypto/tls this is a passing failure,
// after which it goes on where it was. Only the handshake, which can't be
// interrupted so, has a goroutine until it is done: see greeting.
//
// Text is encrypted when the socket takes it, not before; so what a link has
// not read lies in its output as it does without TLS, and beside that are at
// most sealMax bytes that are encrypted already.

// secureLink is the TLS of a link. It belongs to the link's loop, but for conn
// while there is a greeting.
type secureLink struct {
	conn     *tls.Conn
	greeting *greeting // nil when the handshake is done
	in       []byte    // encrypted, to be read by conn; of the loop's buffer
	out      []byte    // encrypted, to be taken by the socket
	ended    bool      // nothing comes after in
}

// sealMax is how many bytes are encrypted before the socket is asked whether it
// takes them: some records of the greatest length, 16 KB.
const sealMax = 64 << 10

// cipherReadBytes is how much is read of a link at once.
const cipherReadBytes = 64 << 10

// wire is the connection as crypto/tls sees it.
type wire struct {
	*secureLink
	link *eventLink
}

// notYet is the passing failure of a wire that has nothing more.
type notYet struct{}

func (notYet) Error() string   { return "nothing has come yet" }
func (notYet) Timeout() bool   { return true }
func (notYet) Temporary() bool { return true }

var errNotYet net.Error = notYet{}

func (w wire) Read(p []byte) (int, error) {
	switch {
	case w.greeting != nil:
		return w.greeting.read(p)
	case len(w.in) > 0:
		n := copy(p, w.in)
		w.in = w.in[n:]
		return n, nil
	case w.ended:
		return 0, io.EOF
	}
	return 0, errNotYet
}

func (w wire) Write(p []byte) (int, error) {
	if w.greeting != nil {
		return w.greeting.write(p)
	}
	w.out = append(w.out, p...)
	return len(p), nil
}

// What else a connection has is not used: who is at the other end is known to
// the link, and deadlines are the greeting's.
func (w wire) Close() error                     { return nil }
func (w wire) LocalAddr() net.Addr              { return wireAddr(w.link.LocalAddr()) }
func (w wire) RemoteAddr() net.Addr             { return wireAddr(w.link.RemoteAddr()) }
func (w wire) SetDeadline(time.Time) error      { return nil }
func (w wire) SetReadDeadline(time.Time) error  { return nil }
func (w wire) SetWriteDeadline(time.Time) error { return nil }

type wireAddr string

func (wireAddr) Network() string  { return "tcp" }
func (a wireAddr) String() string { return string(a) }

// receiveSecure is receive for a link over TLS.
func (k *eventLink) receiveSecure() {
	l := k.loop()
	if l.cipher == nil {
		l.cipher = make([]byte, cipherReadBytes)
	}
	n, again, err := readSocket(k.fd, l.cipher)
	switch {
	case again:
		return
	case err != nil:
		k.finish(err)
		return
	}
	if g := k.secure.greeting; g != nil {
		g.feed(l.cipher[:n])
		return
	}
	k.secure.ended = n == 0
	k.unseal(l.cipher[:n])
}

// unseal shows what was encrypted. All of it is looked at, as the poller does
// not know of what has been read.
func (k *eventLink) unseal(cipher []byte) {
	s, pool := k.secure, &k.loop().pool
	s.in = cipher
	var n, got int
	var err error
	for err == nil {
		n, err = s.conn.Read(k.in.room(pool, false))
		if n > 0 {
			k.in.filled(n)
			got += n
		}
	}
	s.in = nil
	if len(s.out) > 0 { // TLS itself had something to answer
		k.sendSealed()
	}
	if got > 0 && !k.closing {
		k.show()
	} else if k.in.empty() {
		k.in.release(pool)
	}
	switch {
	case k.closed, k.closing, err == errNotYet:
	case errors.Is(err, io.EOF):
		k.endOfInput()
	default:
		k.finish(err)
	}
}

// writeOut is writeSocket through the link's TLS, if it has any: n bytes of p
// have left or will. Again says that the socket takes no more now.
func (k *eventLink) writeOut(p []byte) (n int, again bool, err error) {
	s := k.secure
	if s == nil {
		return writeSocket(k.fd, p)
	}
	if len(s.out) > 0 {
		if again, err = k.writeSealed(); again || err != nil {
			return 0, again, err
		}
	}
	if n = min(len(p), sealMax); n == 0 {
		return 0, false, nil
	}
	l := k.loop()
	s.out = l.sealed[:0]
	if _, err = s.conn.Write(p[:n]); err != nil {
		s.out = nil
		return 0, false, err
	}
	l.sealed = s.out
	again, err = k.writeSealed()
	if len(s.out) > 0 {
		s.out = append([]byte(nil), s.out...) // the loop needs its buffer
	}
	return n, again, err
}

// writeSealed writes what is encrypted, as far as the socket takes it.
func (k *eventLink) writeSealed() (again bool, err error) {
	s := k.secure
	n, again, err := writeSocket(k.fd, s.out)
	if s.out = s.out[n:]; len(s.out) == 0 {
		s.out = nil
	}
	return again || len(s.out) > 0, err
}

// sendSealed sends what TLS itself has to say.
func (k *eventLink) sendSealed() {
	switch again, err := k.writeSealed(); {
	case err != nil:
		k.fail(err)
	case again:
		k.want(wantOut, 0)
	}
}

// unsent is the number of bytes that the socket has yet to take.
func (k *eventLink) unsent() int {
	if k.secure == nil {
		return k.out.size
	}
	return k.out.size + len(k.secure.out)
}

// sayGoodbye tells the peer that the link was ended on purpose, if there is room
// for that.
func (k *eventLink) sayGoodbye() {
	if k.secure == nil || k.secure.greeting != nil || k.unsent() > 0 {
		return
	}
	if k.secure.conn.CloseWrite() == nil {
		writeSocket(k.fd, k.secure.out)
	}
	k.secure.out = nil
}
