package actors

import (
	"bufio"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/session"
)

// patience is how long anything may take that takes a moment.
const patience = time.Minute

// run starts a system that ends with the test.
func run(t *testing.T, o Options) *System {
	t.Helper()
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// call opens a link, sends a line and returns the first line of the answer.
func call(t *testing.T, address, line string) (net.Conn, string) {
	t.Helper()
	network := "tcp"
	if strings.HasPrefix(address, "/") {
		network = "unix"
	}
	conn, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, line+"\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return conn, strings.TrimSpace(answer)
}

// socketPath is short enough for a socket.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "troupe")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// All endpoints serve; a port that the system chooses is the same for all.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	unix := socketPath(t)
	s := run(t, Options{Binds: []string{"127.0.0.1", "-::1", "-192.0.2.1"}, Unix: unix, UnixMode: 0o600})
	addresses := s.Addresses()
	if len(addresses) < 2 || addresses[len(addresses)-1] != unix {
		t.Fatalf("it listens on %q", addresses)
	}
	for _, address := range addresses {
		if _, got := call(t, address, "PING"); got != "+PONG" {
			t.Errorf("%s: %s", address, got)
		}
		if port := ":" + strconv.Itoa(s.Port()); address != unix && !strings.HasSuffix(address, port) {
			t.Errorf("%s is not at %s", address, port)
		}
	}
	if info, err := os.Stat(unix); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info, err)
	}
}

// "*" and "::*" are all addresses of their families, side by side.
func TestAnyAddress(t *testing.T) {
	t.Parallel()
	s := run(t, Options{Binds: []string{"*", "-::*"}})
	if _, got := call(t, "127.0.0.1:"+strconv.Itoa(s.Port()), "PING"); got != "+PONG" {
		t.Error(got)
	}
	if len(s.Addresses()) == 2 { // there is IPv6
		if _, got := call(t, "[::1]:"+strconv.Itoa(s.Port()), "PING"); got != "+PONG" {
			t.Error(got)
		}
	}
}

// An address that must be there and isn't stops the start.
func TestNoSuchAddress(t *testing.T) {
	t.Parallel()
	f := func(want string, binds ...string) {
		t.Helper()
		if _, err := Start(Options{Binds: binds}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", binds, err)
		}
	}
	f("listening on 192.0.2.1 port", "127.0.0.1", "192.0.2.1")
	f("listening on no.such.host.invalid", "no.such.host.invalid")
}

// Listen moves the listeners; what cannot be had leaves them where they were.
func TestListenMoves(t *testing.T) {
	t.Parallel()
	s := run(t, Options{Binds: []string{"127.0.0.1"}})
	first := s.Addresses()[0]
	link, _ := call(t, first, "PING")
	if err := s.Listen(Endpoints{Binds: []string{"127.0.0.1"}, Unix: socketPath(t)}); err != nil {
		t.Fatal(err)
	}
	second := s.Addresses()
	if _, err := net.Dial("tcp", first); err == nil && second[0] != first {
		t.Errorf("%s still listens", first)
	}
	if err := s.Listen(Endpoints{Binds: []string{"192.0.2.1"}}); err == nil {
		t.Error("192.0.2.1 is ours")
	}
	for _, address := range s.Addresses() {
		if _, got := call(t, address, "PING"); got != "+PONG" {
			t.Errorf("%s: %s", address, got)
		}
	}
	if _, err := io.WriteString(link, "PING\r\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := bufio.NewReader(link).ReadString('\n'); err != nil || got != "+PONG\r\n" {
		t.Errorf("a link from before: %q, %v", got, err)
	}
}

// gone waits for the end of a link.
func gone(t *testing.T, conn net.Conn) {
	t.Helper()
	if n, err := io.Copy(io.Discard, conn); err != nil || n > 0 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// Who says nothing is let go, but not who waits on purpose.
func TestIdle(t *testing.T) {
	t.Parallel()
	s := run(t, Options{Binds: []string{"127.0.0.1"}})
	idle, _ := call(t, s.Addresses()[0], "PING")
	waiting, _ := call(t, s.Addresses()[0], "PING")
	for _, one := range s.Server.Sessions() {
		if one.Address() == waiting.LocalAddr().String() {
			one.SetFlag(session.FlagBlocked, true)
		}
	}
	s.SetIdle(time.Millisecond)
	gone(t, idle)
	if _, err := io.WriteString(waiting, "PING\r\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := bufio.NewReader(waiting).ReadString('\n'); err != nil || got != "+PONG\r\n" {
		t.Errorf("who waits on purpose: %q, %v", got, err)
	}
}

// Draining ends all links, lets nobody in, and says whether it was in time.
func TestDrain(t *testing.T) {
	t.Parallel()
	s := run(t, Options{Binds: []string{"127.0.0.1"}, Shards: 4})
	at := s.Addresses()[0]
	var links []net.Conn
	for range 20 {
		link, _ := call(t, at, "PING")
		links = append(links, link)
	}
	if !s.Drain(patience) {
		t.Error("not in time")
	}
	for _, link := range links {
		gone(t, link)
	}
	if conn, err := net.Dial("tcp", at); err == nil {
		conn.Close()
		t.Error("somebody was let in")
	}
}

// A client that does not read holds draining up until the time is up.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	s := run(t, Options{Binds: []string{"127.0.0.1"}})
	at := s.Addresses()[0]
	call(t, at, "SET k "+strings.Repeat("v", 60_000))
	call(t, at, strings.Repeat("GET k\r\n", 400)) // 24 MB, more than sockets hold
	if s.Drain(10 * time.Millisecond) {
		t.Error("it says that all have gone")
	}
}

// The options of others see the system before the first link is let in.
func TestReady(t *testing.T) {
	t.Parallel()
	s := run(t, Options{Binds: []string{"127.0.0.1"}, Ready: func(s *System) error {
		if len(s.Addresses()) > 0 {
			t.Error("it listens already")
		}
		s.Server.Users.SetPassword("secret")
		return nil
	}})
	if _, got := call(t, s.Addresses()[0], "PING"); got != "-NOAUTH Authentication required." {
		t.Error(got)
	}
	if _, err := Start(Options{Ready: func(*System) error { return io.ErrUnexpectedEOF }}); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}
