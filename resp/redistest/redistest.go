// Package redistest starts a real redis-server for the tests that ask it what
// is right. Where there is none they are skipped, and say so.
package redistest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Server is a redis-server with an empty keyspace that saves nothing. It
// lives as long as the test.
type Server struct {
	tb     testing.TB
	socket string
}

// Start starts a redis-server that listens on a unix socket of its own; args
// are further ones of its command line. The test is skipped if the program is
// missing or of another version than 7.0, and fails if it does not start.
func Start(tb testing.TB, args ...string) *Server {
	tb.Helper()
	program := Program(tb, "redis-server")
	if version, _ := exec.Command(program, "--version").Output(); !strings.Contains(string(version), "v=7.0.") {
		Lack(tb, "the answers compared are those of redis-server 7.0, here is %s", version)
	}
	// The test's own directory may have too long a name for a socket.
	dir, err := os.MkdirTemp("", "redis")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	s := &Server{tb: tb, socket: filepath.Join(dir, "sock")}
	args = append([]string{"--port", "0", "--unixsocket", s.socket, "--save", "", "--dir", dir, "--enable-debug-command", "yes"}, args...)
	s.run(exec.Command(program, args...))
	return s
}

// Program is the path of one of Redis's programs. The test is skipped if it is
// missing.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Lack(tb, "there is no %s in PATH", name)
	}
	return path
}

// Lack skips the test aloud for want of something. With TROUPE_CI in the
// environment, where all is there, it fails.
func Lack(tb testing.TB, format string, args ...any) {
	tb.Helper()
	if os.Getenv("TROUPE_CI") != "" {
		tb.Fatalf(format, args...)
	}
	tb.Skipf("SKIPPED: "+format, args...)
}

// run starts the program and waits until it says that it is ready.
func (s *Server) run(cmd *exec.Cmd) {
	s.tb.Helper()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.tb.Fatal(err)
	}
	drained := make(chan struct{})
	s.tb.Cleanup(func() {
		cmd.Process.Kill()
		<-drained
		cmd.Wait()
	})
	lines := bufio.NewReader(out)
	var log strings.Builder
	for !strings.Contains(log.String(), "ready to accept connections") {
		line, err := lines.ReadString('\n')
		log.WriteString(line)
		if err != nil {
			close(drained)
			s.tb.Fatalf("redis-server did not start:\n%s", log.String())
		}
	}
	go func() {
		io.Copy(io.Discard, lines)
		close(drained)
	}()
}

// Dial opens a link to the server.
func (s *Server) Dial() *net.UnixConn {
	s.tb.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: s.socket, Net: "unix"})
	if err != nil {
		s.tb.Fatal(err)
	}
	return conn
}

// Port has the server listen on a free TCP port of this machine too.
func (s *Server) Port() string {
	s.tb.Helper()
	conn := s.Dial()
	defer conn.Close()
	answers := bufio.NewReader(conn)
	for {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.tb.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		listener.Close()
		fmt.Fprintf(conn, "CONFIG SET bind 127.0.0.1 port %s\r\n", port)
		switch answer, err := answers.ReadString('\n'); {
		case err != nil:
			s.tb.Fatal(err)
		case strings.HasPrefix(answer, "+OK"):
			return port
		case !strings.Contains(answer, "Unable to listen"): // else another has it by now
			s.tb.Fatalf("redis-server does not listen on %s: %s", port, answer)
		}
	}
}

// Exchange sends stream on a link of its own, says that no more will follow,
// and returns all that the server sent until it closed.
func (s *Server) Exchange(stream []byte) []byte {
	s.tb.Helper()
	conn := s.Dial()
	defer conn.Close()
	// A server that refuses the stream closes before it has read all of it:
	// so an error of sending is none, and what was answered counts.
	conn.Write(stream)
	conn.CloseWrite()
	answer, _ := io.ReadAll(conn)
	return answer
}
