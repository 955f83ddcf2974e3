package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/troupedb/troupe/resp"
)

// link is a client's connection.
type link struct {
	conn     net.Conn
	patience time.Duration
	in       *bufio.Reader
	held     []byte // received and not yet a whole reply
	framer   resp.Framer
}

// link is the client's, opened if need be.
func (r *run) link(client int) (*link, error) {
	if l := r.links[client]; l != nil {
		return l, nil
	}
	conn, err := r.Dial()
	if err != nil {
		return nil, err
	}
	l := &link{conn: conn, patience: r.Patience, in: bufio.NewReader(conn)}
	r.links[client] = l
	if r.wire || r.Proto != 3 {
		return l, nil
	}
	if err := l.write([]byte("HELLO 3\r\n")); err != nil {
		return nil, err
	}
	frame, err := l.next(r.Patience)
	if err == nil && frame[0] != '%' {
		err = fmt.Errorf("HELLO 3 is answered %q", frame)
	}
	return l, err
}

func (l *link) write(b []byte) error {
	if err := l.conn.SetWriteDeadline(time.Now().Add(l.patience)); err != nil {
		return err
	}
	_, err := l.conn.Write(b)
	return err
}

func (l *link) halfClose() error {
	half, can := l.conn.(interface{ CloseWrite() error })
	if !can {
		return errors.New("this kind of link cannot be closed by half")
	}
	return half.CloseWrite()
}

// next takes the bytes of one reply, for which it waits that long.
func (l *link) next(patience time.Duration) ([]byte, error) {
	if err := l.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	for buf := make([]byte, 4<<10); ; {
		n, err := l.framer.Frame(l.held)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			frame := l.held[:n:n]
			l.held = l.held[n:]
			return frame, nil
		}
		if n, err = l.in.Read(buf); n == 0 && err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the server has closed the link")
			}
			return nil, err
		}
		l.held = append(l.held, buf[:n]...)
	}
}
