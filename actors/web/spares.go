package web

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
)

// sparesMax is how many connections there may be beyond maxclients, so that whoever
// asks how the server is gets an answer however many others there are.
const sparesMax = 16

// spares are these connections. One more than may be takes the place of the oldest:
// a probe is answered at once, and who does not ask does not keep it from that.
type spares struct {
	mu    sync.Mutex
	conns []*counted // the oldest first
}

// admit takes a connection in.
func (s *spares) admit(conn net.Conn) *counted {
	c := &counted{Conn: conn, isSpare: true}
	c.leave = func() { s.leave(c) }
	s.mu.Lock()
	s.conns = append(s.conns, c)
	var oldest *counted
	if len(s.conns) > sparesMax {
		oldest = s.conns[0]
	}
	s.mu.Unlock()
	if oldest != nil {
		oldest.Close()
	}
	return c
}

func (s *spares) leave(c *counted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.conns, c); i >= 0 {
		s.conns = slices.Delete(s.conns, i, i+1)
	}
}

// spareKey marks the contexts of requests that come over such a connection.
type spareKey struct{}

// markSpare is the ConnContext of the HTTP server.
func markSpare(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if c, ok := conn.(*counted); ok && c.isSpare {
		return context.WithValue(ctx, spareKey{}, true)
	}
	return ctx
}

func isSpare(r *http.Request) bool { return r.Context().Value(spareKey{}) != nil }
