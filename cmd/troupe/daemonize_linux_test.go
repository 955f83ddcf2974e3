package main_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A server in the background: the command that starts it ends when it serves, and
// says why if it does not.

// daemon is what there is of a server in the background.
type daemon struct {
	t       *testing.T
	dir     string
	port    string
	pidfile string
	logfile string
}

func newDaemon(t *testing.T) *daemon {
	t.Helper()
	dir := t.TempDir()
	d := &daemon{t, dir, freePort(t), filepath.Join(dir, "pid"), filepath.Join(dir, "log")}
	t.Cleanup(func() {
		if pid, ok := d.pid(); ok {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Error(err)
			}
		}
	})
	return d
}

// settings are lines of redis.conf.
func (d *daemon) settings(more ...string) string {
	return strings.Join(append([]string{
		"daemonize yes", "bind 127.0.0.1", "port " + d.port, "dir " + d.dir, "pidfile " + d.pidfile, "logfile " + d.logfile,
	}, more...), "\n") + "\n"
}

// start runs the command that starts it, until that ends.
func (d *daemon) start(stdin string, args ...string) (said string, code int) {
	d.t.Helper()
	cmd := exec.Command(program(d.t), args...)
	cmd.Env, cmd.Stdin = []string{"HOME=" + d.dir}, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		d.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// pid is the number in the pid file.
func (d *daemon) pid() (pid int, ok bool) {
	text, err := os.ReadFile(d.pidfile)
	if err != nil {
		return 0, false
	}
	pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
	return pid, err == nil
}

func TestDaemonize(t *testing.T) {
	t.Parallel()
	f := func(give func(d *daemon) (stdin string, args []string)) {
		t.Helper()
		d := newDaemon(t)
		stdin, args := give(d)
		if said, code := d.start(stdin, args...); said != "" || code != 0 {
			t.Fatalf("exit code %d: %s", code, said)
		}
		pid, ok := d.pid()
		if !ok {
			t.Fatal("it serves, and there is no pid file")
		}
		wantPrefix(t, "127.0.0.1:"+d.port, "+PONG", "PING")
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, after, _ := strings.Cut(string(text), ") ")
		if session := strings.Fields(after)[3]; session != strconv.Itoa(pid) {
			t.Errorf("its session is %s, it is %d", session, pid)
		}
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error {
			if log, _ := os.ReadFile(d.logfile); !strings.Contains(string(log), "troupe: stopped") {
				return fmt.Errorf("it did not stop:\n%s", log)
			}
			if _, err := os.Stat(d.pidfile); err == nil {
				return errors.New("the pid file is still there")
			}
			return nil
		})
	}
	f(func(d *daemon) (string, []string) {
		path := filepath.Join(d.dir, "redis.conf")
		if err := os.WriteFile(path, []byte(d.settings()), 0o600); err != nil {
			t.Fatal(err)
		}
		return "", []string{path}
	})
	f(func(d *daemon) (string, []string) { return d.settings("supervised auto"), []string{"server", "-"} })
}

// What keeps a server from serving is said by the command that was to start it.
func TestDaemonizeFails(t *testing.T) {
	t.Parallel()
	f := func(want string, more ...string) {
		t.Helper()
		d := newDaemon(t)
		said, code := d.start(d.settings(more...), "-")
		if code != 1 || !strings.Contains(said, want) || strings.Count(said, "\n") != 1 {
			t.Errorf("exit code %d: %s, and not %s", code, said, want)
		}
		if pid, ok := d.pid(); ok {
			t.Errorf("the pid file says %d", pid)
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	f("address already in use", "port "+strconv.Itoa(taken.Addr().(*net.TCPAddr).Port))
	f("unknown setting", "nonsense 1")
	f("opening the log", "logfile /dev/null/log")
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "dump.rdb"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	f("it is neither an RDB file", "dir "+damaged)
}

// Who ends the command that waits for a server which loads ends the server.
func TestDaemonizeIsGivenUp(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	if out, err := exec.Command("mkfifo", filepath.Join(d.dir, "dump.rdb")).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	pipe, err := os.OpenFile(filepath.Join(d.dir, "dump.rdb"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if _, err := pipe.WriteString("REDIS" + "REDIS0010"); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program(t), "-")
	cmd.Stdin = strings.NewReader(d.settings())
	s := launch(t, cmd, []string{"HOME=" + d.dir})
	eventually(t, func() error {
		conn, err := net.Dial("tcp", "127.0.0.1:"+d.port)
		if err == nil {
			conn.Close()
		}
		return err
	})
	s.signal(syscall.SIGTERM)
	if code := s.exit(); code != 1 || !strings.Contains(s.logged(), "stopped before it was ready") {
		t.Errorf("exit code %d: %s", code, s.logged())
	}
	if log, _ := os.ReadFile(d.logfile); !strings.Contains(string(log), "stopped while loading") {
		t.Errorf("the log says\n%s", log)
	}
}

// Who is watched over stays where he is.
func TestDaemonizeNotIfSupervised(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--daemonize", "yes", "--supervised", "systemd", "--port", freePort(t))
	s.await("not in the background")
	wantPrefix(t, s.addresses[0], "+PONG", "PING")
	s.stop()
}
