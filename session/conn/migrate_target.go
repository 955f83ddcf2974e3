package conn

import (
	"bufio"
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/troupedb/troupe/resp"
)

// The answers to trouble with the network, in Redis's words.
var (
	errConnecting = resp.Error("IOERR error or timeout connecting to the client")
	errWriting    = resp.Error("IOERR error or timeout writing to target instance")
	errReading    = resp.Error("IOERR error or timeout reading to target instance")
)

// target is a link to the server that keys are moved to. It waits for each
// piece that is written and for each reply no longer than the timeout, and for
// nothing once the server here is to end.
type target struct {
	conn    net.Conn
	timeout time.Duration
	in      *bufio.Reader
	out     []byte
	err     error // of writing
	release func() bool
}

const (
	lineMax   = 4 << 10  // bytes of a reply
	pieceSize = 64 << 10 // bytes written in one timeout
)

// dial connects to the target.
func dial(ctx context.Context, m *migration) (*target, resp.Reply) {
	dialer := net.Dialer{Timeout: m.timeout}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(m.host, m.port))
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, errWriting // where redis-server, too, notices it
	case err != nil:
		return nil, errConnecting
	}
	t := &target{conn: conn, timeout: m.timeout, in: bufio.NewReaderSize(conn, lineMax)}
	t.release = context.AfterFunc(ctx, func() { conn.Close() })
	return t, resp.OK
}

func (t *target) close() {
	t.release()
	t.conn.Close()
}

// command writes a command.
func (t *target) command(words ...[]byte) {
	t.out = resp.AppendHeader(t.out, '*', len(words))
	for _, word := range words {
		t.out = resp.AppendHeader(t.out, '$', len(word))
		t.write(word)
		t.out = append(t.out, "\r\n"...)
	}
	if len(t.out) > pieceSize {
		t.flush()
	}
}

// write writes a word: a long one by itself, without a copy.
func (t *target) write(word []byte) {
	if len(word) <= pieceSize {
		t.out = append(t.out, word...)
		return
	}
	t.flush()
	t.push(word)
}

// flush sends what was written. The first error sticks.
func (t *target) flush() error {
	t.push(t.out)
	t.out = t.out[:0]
	return t.err
}

// push sends bytes piece by piece.
func (t *target) push(b []byte) {
	for len(b) > 0 && t.err == nil {
		n := min(len(b), pieceSize)
		if t.err = t.conn.SetWriteDeadline(time.Now().Add(t.timeout)); t.err == nil {
			_, t.err = t.conn.Write(b[:n])
		}
		b = b[n:]
	}
}

// line reads a reply of one line, without its end. It is good until the next.
func (t *target) line() ([]byte, error) {
	if err := t.conn.SetReadDeadline(time.Now().Add(t.timeout)); err != nil {
		return nil, err
	}
	line, err := t.in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line, nil
}
