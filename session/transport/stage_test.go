package transport

import (
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/session"
)

// The suite runs against every transport that this system has. Handlers are
// scripts of functions; what they see is told to the test over channels.

// transports is what the suite runs against; a system may add its own.
var transports = map[string]func(Config) (session.Transport, error){
	"goroutines": func(c Config) (session.Transport, error) { return NewGoroutines(c), nil },
}

// patience is how long a test waits for what must happen.
const patience = time.Minute

// script is a handler whose functions may be nil.
type script struct {
	received func(data []byte) int
	drained  func()
	gone     func()
	closed   chan error
}

func (s *script) Received(data []byte) int {
	if s.received == nil {
		return len(data)
	}
	return s.received(data)
}

func (s *script) Drained() {
	if s.drained != nil {
		s.drained()
	}
}

func (s *script) PeerClosed() {
	if s.gone != nil {
		s.gone()
	}
}

func (s *script) Closed(err error) { s.closed <- err }

// stage is a transport under test, listening on a TCP port.
type stage struct {
	t         testing.TB
	transport session.Transport
	address   string
	secure    bool       // it talks TLS
	closed    chan error // of all scripts
}

// newStage starts a transport whose links play what play sets up.
func newStage(t testing.TB, kind string, config Config, play func(session.Link, *script)) *stage {
	t.Helper()
	s := &stage{t: t, closed: make(chan error, 10_000)}
	if config.Accept == nil {
		config.Accept = func(link session.Link) session.Handler {
			actor := &script{closed: s.closed}
			play(link, actor)
			return actor
		}
	}
	if config.Loops == 0 {
		config.Loops = 2
	}
	config.Report = func(err error) { t.Logf("reported: %v", err) }
	kind, s.secure = strings.CutSuffix(kind, overTLS)
	if config.Secure.Config == nil {
		config.Secure.Config = certified
	}
	transport, err := transports[kind](config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.Close)
	s.transport = transport
	listen := transport.Listen
	if s.secure {
		listen = transport.ListenSecure
	}
	if s.address, err = listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	return s
}

// overTLS ends the names of the kinds whose stages talk TLS.
const overTLS = " over TLS"

// kinds are the transports, in the clear and over TLS.
func kinds() (all []string) {
	for name := range transports {
		all = append(all, name, name+overTLS)
	}
	return all
}

// eachTransport runs test once for each kind.
func eachTransport(t *testing.T, test func(t *testing.T, kind string)) {
	t.Parallel()
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, kind)
		})
	}
}

// peer is the client's end of a link.
type peer struct {
	net.Conn
	tcp *net.TCPConn
}

// CloseWrite tells that nothing more is sent: over TLS as peers do that leave, by
// its own word for that and by TCP's, which is heard of a paused link too.
func (p peer) CloseWrite() error {
	err := p.Conn.(interface{ CloseWrite() error }).CloseWrite()
	if err == nil && p.Conn != net.Conn(p.tcp) {
		err = p.tcp.CloseWrite()
	}
	return err
}

// reset makes the peer's end of the link an error.
func (p peer) reset() {
	p.tcp.SetLinger(0)
	p.tcp.Close()
}

func (s *stage) open() (peer, error) {
	conn, err := net.DialTimeout("tcp", s.address, patience)
	if err != nil {
		return peer{}, err
	}
	conn.SetDeadline(time.Now().Add(patience))
	p := peer{conn, conn.(*net.TCPConn)}
	if s.secure {
		p.Conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	}
	return p, nil
}

func (s *stage) dial() peer {
	s.t.Helper()
	p, err := s.open()
	if err == nil && s.secure {
		err = p.Conn.(*tls.Conn).Handshake()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { p.tcp.Close() })
	return p
}

// awaitClosed is the error of the next Closed.
func (s *stage) awaitClosed() error {
	s.t.Helper()
	return await(s.t, s.closed, "Closed")
}

func await[T any](t testing.TB, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("no %s", what)
		panic("unreachable")
	}
}

// awaitThat waits until something has become true.
func awaitThat(t testing.TB, what string, isTrue func() bool) {
	t.Helper()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for end := time.Now().Add(patience); !isTrue(); <-ticker.C {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

func send(t *testing.T, conn net.Conn, data string) {
	t.Helper()
	if _, err := io.WriteString(conn, data); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
		t.Fatalf("read %.200q, %v; want %.200q", got, err, want)
	}
}

// expectEnd reads to the end of the stream.
func expectEnd(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	got, err := io.ReadAll(conn)
	if err != nil || string(got) != want {
		t.Fatalf("read %.200q and %v to the end, want %.200q", got, err, want)
	}
}

func echo(link session.Link, actor *script) {
	actor.received = func(data []byte) int {
		link.Write(data)
		return len(data)
	}
}

// frames are a length in two bytes and as much data.
func frame(data string) string {
	return string(binary.BigEndian.AppendUint16(nil, uint16(len(data)))) + data
}

// eachFrame calls do with whole frames until it says stop, and returns the
// bytes of those done.
func eachFrame(data []byte, do func(frame []byte) (more bool)) int {
	done := 0
	for len(data)-done >= 2 {
		size := 2 + int(binary.BigEndian.Uint16(data[done:]))
		if len(data)-done < size {
			break
		}
		done += size
		if !do(data[done-size+2 : done]) {
			break
		}
	}
	return done
}

// echoFrames answers each frame with its data in brackets.
func echoFrames(link session.Link, actor *script) {
	actor.received = func(data []byte) int {
		var replies []byte
		n := eachFrame(data, func(frame []byte) bool {
			replies = fmt.Appendf(replies, "[%s]", frame)
			return true
		})
		link.Write(replies)
		return n
	}
}
