package web_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// connection is one to the HTTP port that stays open.
type connection struct {
	*testing.T
	net.Conn
	in *bufio.Reader
}

func (p *port) connect() *connection {
	p.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		p.Fatal(err)
	}
	return &connection{p.T, conn, bufio.NewReader(conn)}
}

// want asks, and holds that it is answered with a status, and whether the connection
// stays.
func (c *connection) want(status int, stays bool, method, path string) {
	c.Helper()
	if _, err := io.WriteString(c, method+" "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"); err != nil {
		c.Fatal(err)
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status || answer.Close == stays {
		c.Errorf("%s %s: %s, closing %v: %s, %v", method, path, answer.Status, answer.Close, text, err)
	}
	if !stays {
		c.wantEnd()
	}
}

func (c *connection) wantEnd() {
	c.Helper()
	if b, err := c.in.ReadByte(); err == nil || errors.Is(err, net.ErrClosed) {
		c.Errorf("the connection is not closed: %q, %v", b, err)
	}
}

// With as many connections as may be, probes are answered over a few more, and nothing
// else is. Whoever holds those and says nothing goes when others come.
func TestProbesBeyondMaxclients(t *testing.T) {
	t.Parallel()
	const most, spares = 3, 16
	p := start(t, "maxclients 3")
	full := make([]*connection, most)
	for i := range full {
		full[i] = p.connect()
		full[i].want(http.StatusOK, true, "GET", "/livez") // it is in
	}
	p.connect().want(http.StatusOK, false, "GET", "/livez")
	p.connect().want(http.StatusOK, false, "GET", "/readyz")
	p.connect().want(http.StatusServiceUnavailable, false, "POST", "/command")
	p.connect().want(http.StatusServiceUnavailable, false, "GET", "/metrics")
	idle := make([]*connection, 2*spares)
	for i := range idle {
		idle[i] = p.connect()
	}
	for _, c := range idle[:spares] {
		c.wantEnd()
	}
	p.connect().want(http.StatusOK, false, "GET", "/readyz")
	idle[spares].wantEnd()
	idle[2*spares-1].want(http.StatusOK, false, "GET", "/livez")
	full[0].want(http.StatusOK, true, "GET", "/livez")
}

// With as many links as may be, health and metrics are still told.
func TestHealthWithMaxclients(t *testing.T) {
	t.Parallel()
	p := start(t, "maxclients 1")
	link, err := net.Dial("tcp", p.system.Addresses()[0])
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	if _, err := io.WriteString(link, "PING\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(link).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	c := p.connect()
	c.want(http.StatusOK, true, "GET", "/livez")
	c.want(http.StatusOK, true, "GET", "/readyz")
	c.want(http.StatusOK, true, "GET", "/metrics")
	if status, text := p.do("POST", "/command", `["PING"]`); status != http.StatusServiceUnavailable {
		t.Errorf("a command is answered %d %s", status, text)
	}
}
