package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
)

// The tests of this package start the program that the Dockerfile builds, as a
// process of its own, on free ports, and stop it by signals.

// patience is how long anything may take that takes a moment.
const patience = time.Minute

var built struct {
	once sync.Once
	dir  string
	path string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// program builds the binary, once, by the line of the Dockerfile.
func program(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "troupe-test-"); built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "troupe")
		variables, args, err := buildLine(readFile(t, "Dockerfile"), built.path)
		if err != nil {
			built.err = err
			return
		}
		build := exec.Command("go", args...)
		build.Dir = filepath.Join("..", "..")
		build.Env = append(os.Environ(), variables...)
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("building: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// started is a running server.
type started struct {
	t         *testing.T
	cmd       *exec.Cmd
	addresses []string // that it says it listens on
	mu        sync.Mutex
	log       bytes.Buffer
	ended     chan struct{}
}

// start starts the program and waits until it says that it is ready.
func start(t *testing.T, environ []string, args ...string) *started {
	t.Helper()
	return startWith(t, exec.Command(program(t), args...), append(environ, "HOME="+t.TempDir()))
}

func startWith(t *testing.T, cmd *exec.Cmd, environ []string) *started {
	t.Helper()
	s := launch(t, cmd, environ)
	s.await("ready to accept connections")
	found := regexp.MustCompile(`addresses"?[=:]"?([^"\n]*)`).FindStringSubmatch(s.logged())
	if found == nil {
		t.Fatalf("no addresses in the log:\n%s", s.logged())
	}
	s.addresses = strings.Fields(found[1])
	return s
}

// launch starts the program.
func launch(t *testing.T, cmd *exec.Cmd, environ []string) *started {
	t.Helper()
	s := &started{t: t, cmd: cmd, ended: make(chan struct{})}
	cmd.Env = append([]string{"XDG_STATE_HOME=" + t.TempDir()}, environ...) // and nothing of the test's own
	cmd.Stderr = s
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.Copy(s, bufio.NewReader(out))
		cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-s.ended
	})
	return s
}

// Write collects what the program prints.
func (s *started) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

func (s *started) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// await waits until the program has printed the text.
func (s *started) await(text string) {
	s.t.Helper()
	eventually(s.t, func() error {
		if strings.Contains(s.logged(), text) {
			return nil
		}
		select {
		case <-s.ended:
			s.t.Fatalf("the server ended, and did not say %q:\n%s", text, s.logged())
		default:
		}
		return fmt.Errorf("the server did not say %q:\n%s", text, s.logged())
	})
}

// eventually tries until there is no error, or patience has ended.
func eventually(t *testing.T, try func() error) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	end := time.After(patience)
	for {
		err := try()
		if err == nil {
			return
		}
		select {
		case <-ticker.C:
		case <-end:
			t.Fatal(err)
		}
	}
}

// signal sends a signal.
func (s *started) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// exit waits for the end and returns the exit code.
func (s *started) exit() int {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Fatalf("the server did not end:\n%s", s.logged())
	}
	return s.cmd.ProcessState.ExitCode()
}

// stop ends the server by SIGTERM; it must exit with 0.
func (s *started) stop() {
	s.t.Helper()
	s.signal(syscall.SIGTERM)
	if code := s.exit(); code != 0 {
		s.t.Errorf("exit code %d:\n%s", code, s.logged())
	}
}

// client is a link to a server.
type client struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// dial connects to an address that the server gave: host:port or a path.
func dial(t *testing.T, address string) *client {
	t.Helper()
	network := "tcp"
	if strings.HasPrefix(address, "/") {
		network = "unix"
	}
	conn, err := net.DialTimeout(network, address, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return &client{t, conn, bufio.NewReader(conn)}
}

func (s *started) dial() *client {
	s.t.Helper()
	return dial(s.t, s.addresses[0])
}

// ask sends a command and returns the first line of the reply.
func (c *client) ask(words ...string) string {
	c.t.Helper()
	c.send(words...)
	line, err := c.in.ReadString('\n')
	if err != nil {
		c.t.Fatalf("reading the reply to %q: %v", words, err)
	}
	return strings.TrimRight(line, "\r\n")
}

// bulk asks for one text.
func (c *client) bulk(words ...string) string {
	c.t.Helper()
	line := c.ask(words...)
	size, err := strconv.Atoi(strings.TrimPrefix(line, "$"))
	if err != nil {
		c.t.Fatalf("%q is answered %s", words, line)
	}
	text := make([]byte, size+2)
	for n := 0; n < len(text); {
		m, err := c.in.Read(text[n:])
		if err != nil {
			c.t.Fatal(err)
		}
		n += m
	}
	return string(text[:size])
}

func (c *client) send(words ...string) {
	c.t.Helper()
	if _, err := c.conn.Write(resp.V2.Append(nil, resp.Strings(words...))); err != nil {
		c.t.Fatal(err)
	}
}

// freePort is a port that nobody listens on, and that hardly anybody will.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// readFile is a file of deploy.
func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
