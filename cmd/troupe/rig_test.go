package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp"
)

// The tests of the whole: servers run in the test's process, each on a free
// port, and are spoken to over sockets.

// seedFlag starts the random tests; 0 draws a seed. It is printed by each.
var seedFlag = flag.Uint64("seed", 0, "of the random tests; 0 draws one")

func drawSeed(tb testing.TB) uint64 {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	tb.Logf("-seed %d", seed)
	return seed
}

// patience is how long tests wait for what must come. Nothing is said about
// speed by it: a machine that is busy with other things takes its time.
const patience = 3 * time.Minute

// shape is what must make no difference to any client.
type shape struct {
	shards     int
	goroutines bool // the transport with a goroutine a link
}

func (s shape) String() string {
	transport := "loops"
	if s.goroutines {
		transport = "goroutines"
	}
	return fmt.Sprintf("%d-shards-%s", s.shards, transport)
}

// shapes are those that the tests run in.
func shapes() (all []shape) {
	for _, shards := range []int{1, 2, 16} {
		all = append(all, shape{shards, false}, shape{shards, true})
	}
	return all
}

// eachShape runs f as a subtest in every shape.
func eachShape(t *testing.T, f func(t *testing.T, sh shape)) {
	for _, sh := range shapes() {
		t.Run(sh.String(), func(t *testing.T) {
			t.Parallel()
			f(t, sh)
		})
	}
}

// server is a server under test.
type server struct {
	*actors.System
	tb   testing.TB
	addr string
	once sync.Once
}

// startServer starts a server, which ends with the test. That a handler has
// panicked fails the test.
func startServer(tb testing.TB, sh shape, settings ...config.Flag) *server {
	tb.Helper()
	transport := "loops"
	if sh.goroutines {
		transport = "goroutines"
	}
	given := []config.Flag{
		{Name: "shards", Words: []string{strconv.Itoa(sh.shards)}},
		{Name: "transport", Words: []string{transport}},
		{Name: "bind", Words: []string{"127.0.0.1"}},
		{Name: "enable-debug-command", Words: []string{"yes"}},
		{Name: "dir", Words: []string{tb.TempDir()}},
		{Name: "appendonly", Words: []string{"no"}},
		{Name: "watch-linger", Words: []string{"0"}},
	}
	loaded, err := config.Load(config.Sources{Flags: append(given, settings...)})
	if err != nil {
		tb.Fatal(err)
	}
	options := assemble(loaded, hclog.New(&hclog.LoggerOptions{Output: os.Stderr, Level: hclog.Error}))
	options.Port = 0 // a free one
	system, err := actors.Start(options)
	if err != nil {
		tb.Fatal(err)
	}
	s := &server{System: system, tb: tb, addr: system.Addresses()[0]}
	tb.Cleanup(s.stop)
	return s
}

// stop ends the server and forgets it: package testing keeps what has been
// given to Cleanup for as long as the parent of a parallel test runs, and a
// server's actor system alone is 2.6 MB.
func (s *server) stop() {
	s.once.Do(func() {
		if n := s.Rebuilds.Load(); n > 0 {
			s.tb.Errorf("%d commands have panicked, see the log", n)
		}
		s.Close()
		select {
		case b := <-s.Broken:
			s.tb.Errorf("%s panicked: %v\n%s", b.Command, b.Reason, b.Stack)
		default:
		}
		s.System = nil
	})
}

// eventually waits until something has become true, which it must.
func eventually(tb testing.TB, what string, isTrue func() bool) {
	tb.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for !isTrue() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			tb.Fatalf("after %v it is not so that %s", patience, what)
		}
	}
}

// wantNobody waits until the last client has gone.
func (s *server) wantNobody() {
	s.tb.Helper()
	eventually(s.tb, "no session is left", func() bool { return s.Server.Connected() == 0 })
}

// dial opens a link for tests that look at bytes.
func (s *server) dial() net.Conn {
	s.tb.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(func() { conn.Close() })
	return conn
}

// client is a link that asks and is answered.
type client struct {
	tb     testing.TB
	conn   net.Conn
	in     []byte
	framer resp.Framer
}

func (s *server) client() *client { return &client{tb: s.tb, conn: s.dial()} }

// ask sends a command and returns the reply in the notation of transcripts.
func (c *client) ask(words ...string) string {
	c.tb.Helper()
	c.send(request(words...))
	return c.receive()
}

// want asks and compares.
func (c *client) want(reply string, words ...string) {
	c.tb.Helper()
	if got := c.ask(words...); got != reply {
		c.tb.Errorf("%q is answered %s, want %s", words, got, reply)
	}
}

func (c *client) send(b []byte) {
	c.tb.Helper()
	if _, err := c.conn.Write(b); err != nil {
		c.tb.Fatal(err)
	}
}

func (c *client) receive() string {
	c.tb.Helper()
	reply, err := c.next()
	if err != nil {
		c.tb.Fatal(err)
	}
	return resp.Format(reply)
}

// next takes a reply, or the error with which the link ends.
func (c *client) next() (resp.Reply, error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return resp.Nothing, err
	}
	for buf := make([]byte, 64<<10); ; {
		n, err := c.framer.Frame(c.in)
		if err != nil {
			return resp.Nothing, err
		}
		if n > 0 {
			reply, _, err := resp.Decode(c.in[:n])
			c.in = c.in[n:]
			return reply, err
		}
		if n, err = c.conn.Read(buf); err != nil {
			return resp.Nothing, err
		}
		c.in = append(c.in, buf[:n]...)
	}
}

// request is a command as clients send it.
func request(words ...string) []byte {
	return resp.V2.Append(nil, resp.Strings(words...))
}
