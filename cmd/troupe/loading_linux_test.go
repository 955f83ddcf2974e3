package main_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/rdb"
)

// loading starts a server on a directory whose RDB file is a pipe, so that it reads
// for as long as the test wants. What it reads is written to the pipe.
func loading(t *testing.T, environ ...string) (s *started, dir string, pipe *os.File) {
	t.Helper()
	dir = t.TempDir()
	name := filepath.Join(dir, "dump.rdb")
	if out, err := exec.Command("mkfifo", name).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	pipe, err := os.OpenFile(name, os.O_RDWR, 0) // both, so that it waits for nobody
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() })
	e := rdb.NewEncoder(nil)
	for i := range 100 {
		e.KeyText(rdb.NoMeta, fmt.Append(nil, "key:", i), []byte("value"))
	}
	// The server looks what the file is, and opens it anew.
	if _, err := pipe.WriteString("REDIS" + "REDIS0010" + string(e.Bytes())); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	s = launch(t, exec.Command(program(t), "--port", port, "--bind", "127.0.0.1", "--dir", dir), environ)
	s.addresses = []string{"127.0.0.1:" + port}
	eventually(t, func() error {
		conn, err := net.Dial("tcp", s.addresses[0])
		if err == nil {
			conn.Close()
		}
		return err
	})
	return s, dir, pipe
}

// healthcheck runs `troupe healthcheck`.
func healthcheck(t *testing.T, s *started, args ...string) (code int) {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"healthcheck", "--addr", s.addresses[0]}, args...)...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err, string(out))
	}
	return cmd.ProcessState.ExitCode()
}

// A server that loads says so, and is not ready; once all is there, it serves.
func TestNotReadyWhileLoading(t *testing.T) {
	t.Parallel()
	s, _, pipe := loading(t)
	c := s.dial()
	for _, words := range [][]string{{"PING"}, {"GET", "key:1"}, {"SET", "k", "v"}, {"EVAL", "return 1", "0"}} {
		if got := c.ask(words...); !strings.HasPrefix(got, "-LOADING") {
			t.Errorf("%q is answered %s", words, got)
		}
	}
	for _, words := range [][]string{{"INFO", "persistence"}, {"CONFIG", "GET", "port"}} {
		if got := dial(t, s.addresses[0]).ask(words...); strings.HasPrefix(got, "-") {
			t.Errorf("%q is answered %s", words, got)
		}
	}
	if code := healthcheck(t, s); code != 1 {
		t.Errorf("healthcheck ends with %d", code)
	}
	if code := healthcheck(t, s, "--live"); code != 0 {
		t.Errorf("healthcheck --live ends with %d", code)
	}
	if _, err := pipe.Write(append([]byte{0xff}, make([]byte, 8)...)); err != nil { // the end, without a checksum
		t.Fatal(err)
	}
	pipe.Close()
	s.await("ready to accept connections")
	if code := healthcheck(t, s); code != 0 {
		t.Errorf("healthcheck ends with %d", code)
	}
	if got := c.ask("DBSIZE"); got != ":100" {
		t.Errorf("%s keys", got)
	}
	s.stop()
}

// systemd is told how far loading is, and given a reason to wait; that the server is
// ready it is told only then.
func TestSupervisedWhileLoading(t *testing.T) {
	t.Parallel()
	systemd := listenNotify(t)
	s, _, pipe := loading(t, "NOTIFY_SOCKET="+systemd.path)
	first, _ := systemd.next(time.Now().Add(patience))
	if !regexp.MustCompile(`^STATUS=(starting|loading .*: \d+ keys.*)\nEXTEND_TIMEOUT_USEC=30000000$`).MatchString(first) {
		t.Errorf("systemd was told %q", first)
	}
	systemd.await("STATUS=loading ")
	if _, err := pipe.Write(append([]byte{0xff}, make([]byte, 8)...)); err != nil { // the end, without a checksum
		t.Fatal(err)
	}
	pipe.Close()
	systemd.await("READY=1")
	s.stop()
}

// A signal ends a server that loads at once and in good order, whatever its disk
// does; so does SHUTDOWN. Nothing has changed.
func TestStopWhileLoading(t *testing.T) {
	t.Parallel()
	f := func(stop func(s *started, pipe *os.File)) {
		t.Helper()
		s, dir, pipe := loading(t)
		stop(s, pipe)
		if code := s.exit(); code != 0 || !strings.Contains(s.logged(), "stopped while loading") {
			t.Errorf("exit code %d:\n%s", code, s.logged())
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 2 { // the pipe and the lock
			t.Errorf("%v, %v", entries, err)
		}
	}
	f(func(s *started, _ *os.File) { s.signal(syscall.SIGTERM) }) // the disk does not answer
	f(func(s *started, pipe *os.File) {
		s.signal(syscall.SIGINT)
		s.await("signal received")
		feed(s, pipe)
	})
	f(func(s *started, pipe *os.File) {
		s.dial().send("SHUTDOWN", "NOSAVE")
		feed(s, pipe)
	})
}

// feed gives a server something to load until it ends.
func feed(s *started, pipe *os.File) {
	for _, err := pipe.WriteString("\xfa\x00\x00"); err == nil; _, err = pipe.WriteString("\xfa\x00\x00") {
		select {
		case <-s.ended:
			return
		default:
		}
	}
}
