package main_test

import (
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The files of deploy are read as their programs read them, as far as that
// goes, and the server is driven with exactly what they say: arguments,
// variables, ports, probes, the way to stop. Only the port is another, at
// every place that names it, and the data folder.

// testVersion is the version of the program that the tests build, testCommit what it
// is told that it is built from.
const (
	testVersion = "0.1.0-test"
	testCommit  = "0123456789abcdef0123456789abcdef01234567"
)

const installed = "/usr/bin/troupe"

// deployed is what a file of deploy says about running the server.
type deployed struct {
	args    []string
	environ map[string]string
	port    string // that clients are sent to
	dir     string // where data survives
	probes  map[string]probe
	grace   time.Duration // from SIGTERM to the end
	notify  bool
}

type probe struct {
	args    []string
	timeout time.Duration
}

// run starts the server, looks whether it is where the file says, and stops
// it. In between, with the client of it, it is examined.
func (d *deployed) run(t *testing.T, examine func(s *started, port string)) {
	t.Helper()
	if port := d.environ["TROUPE_PORT"]; port != "" && port != d.port || port == "" && d.port != "7379" {
		t.Errorf("the server listens on %q, clients are sent to %q", port, d.port)
	}
	if d.environ["TROUPE_DIR"] != d.dir {
		t.Errorf("the server writes to %q, what survives is %q", d.environ["TROUPE_DIR"], d.dir)
	}
	port := freePort(t)
	d.environ["TROUPE_PORT"], d.environ["TROUPE_DIR"] = port, t.TempDir()
	d.probe(t, false)
	var systemd *supervisor
	if d.notify {
		systemd = listenNotify(t)
		d.environ["NOTIFY_SOCKET"] = systemd.path
	}
	s := startWith(t, exec.Command(program(t), d.args...), d.variables())
	if d.notify {
		systemd.await("READY=1")
	}
	if strings.Contains(s.logged(), "WARN") || strings.Contains(s.logged(), `"warn"`) {
		t.Errorf("it is warned about:\n%s", s.logged())
	}
	d.probe(t, true)
	examine(s, port)
	begun := time.Now()
	s.stop()
	if took := time.Since(begun); took > d.grace {
		t.Errorf("it took %v to stop, %v are given", took, d.grace)
	}
}

func (d *deployed) variables() (all []string) {
	for name, value := range d.environ {
		all = append(all, name+"="+value)
	}
	return all
}

// probe runs all probes, which must find the server well or not.
func (d *deployed) probe(t *testing.T, well bool) {
	t.Helper()
	for name, p := range d.probes {
		cmd := exec.Command(program(t), p.args...)
		cmd.Env = d.variables()
		begun := time.Now()
		out, err := cmd.CombinedOutput()
		if (err == nil) != well {
			t.Errorf("%s: %v, %s", name, err, out)
		}
		if took := time.Since(begun); took > p.timeout {
			t.Errorf("%s took %v, %v are given", name, took, p.timeout)
		}
	}
}

// wantPrefix asks at an address.
func wantPrefix(t *testing.T, address, want string, words ...string) {
	t.Helper()
	if got := dial(t, address).ask(words...); !strings.HasPrefix(got, want) {
		t.Errorf("%q at %s: %s, want %s", words, address, got, want)
	}
}

// outside is an address of this machine as strangers reach it, "" if there is
// none.
func outside() string {
	addresses, _ := net.InterfaceAddrs()
	for _, address := range addresses {
		if ip, ok := address.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	return ""
}

// buildLine takes from a Dockerfile how it builds the program, with out as the
// place of the result: the variables and arguments of go.
func buildLine(dockerfile, out string) (variables, args []string, err error) {
	for line := range strings.Lines(dockerfile) {
		command, found := strings.CutPrefix(strings.TrimSpace(line), "RUN ")
		if !found || !strings.Contains(command, " go build ") {
			continue
		}
		command = strings.NewReplacer("${VERSION}", testVersion, "${COMMIT}", testCommit, "/out/troupe", out).Replace(command)
		before, after, _ := strings.Cut(command, " go ")
		return strings.Fields(before), shellWords(after), nil
	}
	return nil, nil, fmt.Errorf("the Dockerfile has no line with go build")
}

// shellWords splits at blanks outside of double quotes.
func shellWords(text string) []string {
	var words []string
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}
