package main_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp/redistest"
)

// The files of deploy/systemd, as systemd itself reads them where it can be asked,
// and the server as their lines start it.

func TestSystemd(t *testing.T) {
	t.Parallel()
	unit := readUnit(readFile(t, "systemd/troupe.service"))
	one := func(name string) string {
		if len(unit[name]) != 1 {
			t.Fatalf("%s is said %d times", name, len(unit[name]))
		}
		return unit[name][0]
	}
	d := &deployed{environ: map[string]string{}, port: "7379", notify: one("Service.Type") == "notify"}
	words := shellWords(one("Service.ExecStart"))
	if words[0] != installed || !d.notify {
		t.Errorf("%s is started, Type %s", words[0], one("Service.Type"))
	}
	d.args = words[1:]
	state := "/var/lib/" + one("Service.StateDirectory")
	d.dir = state
	for _, entry := range unit["Service.Environment"] {
		name, value, _ := strings.Cut(entry, "=")
		d.environ[name] = strings.ReplaceAll(value, "%S", "/var/lib")
	}
	d.environ["WATCHDOG_USEC"] = one("Service.WatchdogSec") + "000000"
	d.grace = seconds(t, one("Service.TimeoutStopSec"))
	if limit, err := strconv.Atoi(one("Service.LimitNOFILE")); err != nil || limit < 10_032 {
		t.Errorf("LimitNOFILE %d is too low for 10,000 clients", limit)
	}
	d.run(t, func(_ *started, port string) {
		wantPrefix(t, "127.0.0.1:"+port, "+PONG", "PING")
	})
	// What the server is to write, it may: all else is read-only.
	if one("Service.ProtectSystem") != "strict" {
		t.Error("the system is not protected")
	}
	writable := append(strings.Fields(one("Service.ReadWritePaths")), state)
	for line := range strings.Lines(readFile(t, "systemd/tmpfiles.conf")) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "d" && !slices.Contains(writable, words[1]) && !slices.Contains(writable, "-"+words[1]) {
			t.Errorf("the server cannot write to %s", words[1])
		}
	}
	for _, name := range []string{"sysusers.conf", "tmpfiles.conf"} {
		if text := readFile(t, "systemd/"+name); !strings.Contains(text, " "+one("Service.User")+" ") || !strings.Contains(text, d.dir) {
			t.Errorf("%s does not speak of %s and %s", name, one("Service.User"), d.dir)
		}
	}
}

// TestSystemdReadsUnits: systemd finds no fault in the units, and calls them safe.
func TestSystemdReadsUnits(t *testing.T) {
	t.Parallel()
	analyze, dir := redistest.Program(t, "systemd-analyze"), t.TempDir()
	for _, name := range []string{"troupe.service", "troupe.socket"} {
		text := strings.ReplaceAll(readFile(t, "systemd/"+name), installed, program(t))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(analyze, "verify", "--man=no", filepath.Join(dir, name)).CombinedOutput()
		if err != nil || strings.Contains(string(out), dir) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	out, err := exec.Command(analyze, "security", "--offline=true", "--no-pager", filepath.Join(dir, "troupe.service")).CombinedOutput()
	found := regexp.MustCompile(`Overall exposure level for troupe.service: ([0-9.]+)`).FindStringSubmatch(string(out))
	if found == nil {
		t.Fatalf("%v: %s", err, out)
	}
	if score, err := strconv.ParseFloat(found[1], 64); err != nil || score > 1.5 {
		t.Errorf("the exposure is %s of 10:\n%s", found[1], out)
	}
}

func seconds(t *testing.T, text string) time.Duration {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(n) * time.Second
}

// readUnit reads a unit file: the values of each "Section.Name".
func readUnit(text string) map[string][]string {
	values := map[string][]string{}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, value, isValue := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			section = strings.Trim(line, "[]") + "."
		case isValue:
			values[section+name] = append(values[section+name], value)
		}
	}
	return values
}

// supervisor is the end of a NOTIFY_SOCKET where systemd is.
type supervisor struct {
	t    *testing.T
	path string
	conn *net.UnixConn
}

func listenNotify(t *testing.T) *supervisor {
	t.Helper()
	dir := shortDir(t)
	s := &supervisor{t: t, path: filepath.Join(dir, "notify")}
	var err error
	if s.conn, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: s.path, Net: "unixgram"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.conn.Close() })
	return s
}

// shortDir is a folder for sockets, whose paths must be short.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "troupe")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// next is the next message; ok is false when there is none before the time.
func (s *supervisor) next(before time.Time) (message string, ok bool) {
	s.t.Helper()
	if err := s.conn.SetReadDeadline(before); err != nil {
		s.t.Fatal(err)
	}
	buf := make([]byte, 4096)
	n, err := s.conn.Read(buf)
	return string(buf[:n]), err == nil
}

// await reads until a message has a line that begins so, and returns that message.
func (s *supervisor) await(line string) string {
	s.t.Helper()
	var heard []string
	for {
		message, ok := s.next(time.Now().Add(patience))
		if !ok {
			s.t.Fatalf("systemd was not told %s, but %q", line, heard)
		}
		if strings.Contains("\n"+message, "\n"+line) {
			return message
		}
		heard = append(heard, message)
	}
}

// systemd is told how far loading is, when the server is ready, when it reads its
// files again and when it stops; the pid file is there in between.
func TestSupervised(t *testing.T) {
	t.Parallel()
	systemd, pidfile := listenNotify(t), filepath.Join(t.TempDir(), "pid")
	s := start(t, []string{"NOTIFY_SOCKET=" + systemd.path}, "--port", freePort(t), "--pidfile", pidfile, "--supervised", "systemd")
	f := func(got string, want ...string) {
		t.Helper()
		for _, line := range want {
			if !regexp.MustCompile(`(?m)^` + line + `$`).MatchString(got) {
				t.Errorf("systemd was told %q, and not %q", got, line)
			}
		}
	}
	f(systemd.await("STATUS="), "STATUS=starting")
	f(systemd.await("READY=1"), "READY=1", "STATUS=serving at 127.0.0.1:[0-9]+.*")
	if got := s.dial().bulk("INFO", "server"); !strings.Contains(got, "process_supervised:systemd\r\n") {
		t.Error(got)
	}
	if text, _ := os.ReadFile(pidfile); string(text) != strconv.Itoa(s.cmd.Process.Pid)+"\n" {
		t.Errorf("the pid file holds %q", text)
	}
	s.signal(syscall.SIGHUP)
	f(systemd.await("RELOADING=1"), "RELOADING=1", "MONOTONIC_USEC=[0-9]+")
	f(systemd.await("READY=1"), "READY=1", "STATUS=serving at .*")
	s.stop()
	f(systemd.await("STOPPING=1"), "STOPPING=1", "STATUS=stopping", "EXTEND_TIMEOUT_USEC=40000000")
	if _, err := os.Stat(pidfile); !os.IsNotExist(err) {
		t.Errorf("the pid file is still there: %v", err)
	}
}

// The watchdog hears of the server as long as all its shards are well, and no more
// when one is stuck.
func TestWatchdogOfSystemd(t *testing.T) {
	t.Parallel()
	systemd := listenNotify(t)
	s := start(t, []string{"NOTIFY_SOCKET=" + systemd.path, "WATCHDOG_USEC=30000"}, "--port", freePort(t), "--enable-debug-command", "yes")
	systemd.await("READY=1")
	for range 3 {
		systemd.await("WATCHDOG=1")
	}
	s.dial().send("DEBUG", "SLEEP", "1000")
	const many = 2000 // in twenty seconds, if nothing is noticed
	for range many {
		if _, ok := systemd.next(time.Now().Add(time.Second)); !ok {
			return // a second without a word: it was noticed
		}
	}
	t.Error("no shard answers, and systemd is told that all is well")
}

// Sockets that systemd has opened are served, by their names; what else the settings
// would open is not.
func TestSocketActivation(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"loops", "goroutines"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			testSocketActivation(t, transport)
		})
	}
}

func testSocketActivation(t *testing.T, transport string) {
	port := freePort(t)
	dir := shortDir(t)
	var files []*os.File
	var addresses []string
	for _, network := range []string{"tcp", "unix", "tcp"} {
		address := "127.0.0.1:0"
		if network == "unix" {
			address = filepath.Join(dir, "s")
		}
		listener, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		file, err := listener.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		files, addresses = append(files, file), append(addresses, listener.Addr().String())
	}
	// Somebody who comes before the server waits for it.
	early := dial(t, addresses[0])
	early.send("PING")
	// The process must be the one that the sockets are meant for.
	cmd := exec.Command("/bin/sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, program(t), "--port", port, "--transport", transport)
	cmd.ExtraFiles = files
	s := launch(t, cmd, []string{"LISTEN_FDS=3", "LISTEN_FDNAMES=resp:resp:http"})
	if line, err := early.in.ReadString('\n'); err != nil || line != "+PONG\r\n" && !strings.HasPrefix(line, "-LOADING") {
		t.Errorf("who came early was answered %q, %v", line, err)
	}
	s.await("ready to accept connections")
	for _, address := range addresses[:2] {
		wantPrefix(t, address, "+PONG", "PING")
	}
	body := get(t, "http://"+addresses[2]+"/readyz")
	body.Close()
	if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
		conn.Close()
		t.Error("the port of the settings is open too")
	}
	if got := dial(t, addresses[0]).ask("CONFIG", "SET", "bind", "127.0.0.1"); got != "+OK" {
		t.Error(got)
	}
	wantPrefix(t, addresses[0], "+PONG", "PING")
	s.stop()
	if _, err := os.Stat(addresses[1]); err != nil {
		t.Errorf("the socket of somebody else was removed: %v", err)
	}
}
