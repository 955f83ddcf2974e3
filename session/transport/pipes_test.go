package transport

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/troupedb/troupe/session"
)

// repeater answers with what it gets.
type repeater struct{ link session.Link }

func (e repeater) Received(data []byte) int {
	e.link.Write(data)
	return len(data)
}
func (repeater) Drained()     {}
func (repeater) Closed(error) {}

func TestPipes(t *testing.T) {
	t.Parallel()
	p := NewPipes(Config{Loops: 2, FirstLoop: 7, Accept: func(link session.Link) session.Handler {
		if link.Loop() < 7 || link.Loop() > 8 {
			t.Errorf("loop %d", link.Loop())
		}
		return repeater{link}
	}})
	conn, err := p.Dial()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "hello"); err != nil {
		t.Fatal(err)
	}
	var got [5]byte
	if _, err := io.ReadFull(conn, got[:]); err != nil || string(got[:]) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	p.Close()
	if _, err := conn.Read(got[:]); err != io.EOF {
		t.Errorf("reading from a closed transport: %v", err)
	}
	if _, err := p.Dial(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("dialing a closed transport: %v", err)
	}
}
