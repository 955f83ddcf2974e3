package main_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The ways to start it that redis-server's users are used to.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "redis.conf")
	if err := os.WriteFile(file, []byte("timeout 77\nbind 127.0.0.1\nsave 3600 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(stdin string, args ...string) {
		t.Helper()
		port := freePort(t)
		for i, arg := range args {
			args[i] = strings.ReplaceAll(arg, "PORT", port)
		}
		cmd := exec.Command(program(t), args...)
		cmd.Stdin = strings.NewReader(stdin)
		s := startWith(t, cmd, []string{"TROUPE_HZ=7"})
		if got := dial(t, "127.0.0.1:"+port).ask("PING"); got != "+PONG" {
			t.Errorf("%q: %s", args, got)
		}
		s.stop()
	}
	f("", "--port", "PORT", "--save", "", "--appendonly", "no")
	f("", "-p", "PORT", "--bind", "127.0.0.1", "-::1", "--single-threaded")
	f("", file, "--port", "PORT")
	f("", "server", file, "--port=PORT", "--transport", "goroutines", "--protected-mode", "no")
	f("port PORT"[:5]+freePort(t)+"\n", "server", "-", "--port", "PORT")
	f("", "--port", "PORT", "--rename-command", "FLUSHALL", "", "--rename-command", "KEYS", "")
}

// A start that is refused says why, and where, and exits with 1.
func TestRefusals(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "redis.conf")
	if err := os.WriteFile(file, []byte("# ours\ncluster-enabled yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(want string, args ...string) {
		t.Helper()
		s := launch(t, exec.Command(program(t), args...), nil)
		if code := s.exit(); code != 1 || !strings.Contains(s.logged(), want) {
			t.Errorf("%q: exit code %d, %s; want %s", args, code, s.logged(), want)
		}
	}
	f(file+`:2: cluster-enabled: "yes" is not supported yet: there is no cluster`, file)
	f("no such file or directory", file+".gone")
	f("--port: port: argument couldn't be parsed into an integer", "--port", "x")
	f("unknown flag --prot, did you mean one of \"--port\"", "--prot", "1")
	f("a value is missing", "--port")
	f("--min-replicas-to-write: min-replicas-to-write: \"1\" is not supported yet", "server", "--min-replicas-to-write", "1")
	f("listening on 192.0.2.1", "--bind", "192.0.2.1")
	f("no such command: NOPE", "--port", freePort(t), "--rename-command", "NOPE", "X")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	f("address already in use", "--bind", "127.0.0.1", "--port", strconv.Itoa(taken.Addr().(*net.TCPAddr).Port))
}

// What is logged at the start.
func TestStartLog(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"GOMAXPROCS=2"}, "--port", freePort(t), "--always-show-logo", "yes", "--hz", "5", "--event-loops", "3", "--shards", "2")
	for _, want := range []string{
		"|_|", "[WARN]  troupe: these settings have no effect: hz",
		"started: version=" + testVersion + " pid=" + strconv.Itoa(s.cmd.Process.Pid), "cores=2 threads=3 shards=2", "ready to accept connections",
	} {
		if !strings.Contains(s.logged(), want) {
			t.Errorf("%q is missing in\n%s", want, s.logged())
		}
	}
	c := s.dial()
	c.send("INFO", "server")
	for line := ""; !strings.HasPrefix(line, "cores:"); {
		var err error
		if line, err = c.in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "cores:") && line != "cores:2\r\n" {
			t.Errorf("INFO tells %s", line)
		}
	}
	s.stop()
	if !strings.Contains(s.logged(), "signal received: signal=terminated") || !strings.Contains(s.logged(), "stopped") {
		t.Errorf("the end is missing in\n%s", s.logged())
	}
	j := start(t, []string{"TROUPE_LOGFORMAT=json"}, "--port", freePort(t), "--always-show-logo")
	if !strings.HasPrefix(j.logged(), `{"@level":"info"`) {
		t.Errorf("no JSON:\n%s", j.logged())
	}
	j.stop()
}

// SIGINT stops as SIGTERM does; what was asked before is answered.
func TestSignalAnswersFirst(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--port", freePort(t))
	c := s.dial()
	c.ask("SET", "k", strings.Repeat("v", 1<<20))
	const asked = 64
	request := bytes.Repeat([]byte("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"), asked)
	if _, err := c.conn.Write(request); err != nil {
		t.Fatal(err)
	}
	if _, err := c.in.ReadString('\n'); err != nil { // they are under way
		t.Fatal(err)
	}
	s.signal(syscall.SIGINT)
	s.await("signal received")
	rest, err := io.ReadAll(c.in)
	if err != nil {
		t.Fatal(err)
	}
	if len(rest) < 1<<20 || !bytes.HasSuffix(rest, []byte("v\r\n")) {
		t.Errorf("%d bytes came, not a number of whole replies", len(rest))
	}
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(s.logged(), "cut off") {
		t.Errorf("links were cut:\n%s", s.logged())
	}
}

// unread is a client that has asked for more than it reads.
func unread(s *started) *client {
	c := s.dial()
	c.ask("SET", "k", strings.Repeat("v", 8<<20))
	c.send("GET", "k")
	if _, err := c.in.ReadByte(); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// A client that does not read its replies holds the end up for as long as the
// settings say, and no longer.
func TestStopIsBounded(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--port", freePort(t), "--shutdown-timeout", "1")
	unread(s)
	begun := time.Now()
	s.stop()
	if took := time.Since(begun); took < 900*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	if !strings.Contains(s.logged(), "links were cut off: links=1") {
		t.Errorf("not said:\n%s", s.logged())
	}
	now := start(t, nil, "--port", freePort(t), "--shutdown-timeout", "1000", "--shutdown-on-sigterm", "now")
	unread(now)
	now.stop()
}

// A second SIGTERM changes nothing, a second signal that is SIGINT ends it at
// once.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--port", freePort(t), "--shutdown-timeout", "1000")
	c := unread(s)
	s.signal(syscall.SIGTERM)
	s.await("signal received")
	s.signal(syscall.SIGTERM)
	s.signal(syscall.SIGTERM)
	if rest, err := io.ReadAll(c.in); err != nil || len(rest) < 8<<20 {
		t.Errorf("%d bytes came, %v", len(rest), err)
	}
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, first := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		s := start(t, nil, "--port", freePort(t), "--shutdown-timeout", "1000")
		unread(s)
		s.signal(first)
		s.await("signal received")
		s.signal(syscall.SIGINT)
		if code := s.exit(); code != 128+int(syscall.SIGINT) {
			t.Errorf("exit code %d", code)
		}
	}
}

// SHUTDOWN stops as a signal does.
func TestShutdown(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--port", freePort(t))
	c, other := s.dial(), s.dial()
	f := func(want string, words ...string) {
		t.Helper()
		if got := c.ask(words...); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
	f("-ERR syntax error", "SHUTDOWN", "SOON")
	f("-ERR No shutdown in progress.", "SHUTDOWN", "ABORT")
	f("-ERR syntax error", "SHUTDOWN", "SAVE", "NOSAVE")
	other.ask("PING")
	c.send("SHUTDOWN", "NOSAVE")
	for _, link := range []*client{c, other} {
		if rest, err := io.ReadAll(link.in); err != nil || len(rest) > 0 {
			t.Errorf("%q, %v", rest, err)
		}
	}
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A handler that panics ends a server without a journal with 70; its client gets
// an answer first, and the log says what it was.
func TestCrash(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--port", freePort(t), "--enable-debug-command", "local", "--shards", "2", "--appendonly", "no")
	if got := s.dial().ask("DEBUG", "CRASH", "shard/1"); !strings.HasPrefix(got, "-ERR internal error") {
		t.Error(got)
	}
	if code := s.exit(); code != 70 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"the server cannot go on", "DEBUG CRASH shard/1", "goroutine"} {
		if !strings.Contains(s.logged(), want) {
			t.Errorf("%q is missing in\n%s", want, s.logged())
		}
	}
}
