package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// checkup runs healthcheck in this process.
func checkup(environ []string, args ...string) (string, error) {
	var out bytes.Buffer
	err := run(process{args: append([]string{"healthcheck"}, args...), environ: environ, out: &out})
	return strings.TrimSpace(out.String()), err
}

// answering is a server that answers the first bytes of each link with text
// and closes it.
func answering(t *testing.T, network, address, text string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 64))
			conn.Write([]byte(text))
			conn.Close()
		}
	}()
	return l.Addr().String()
}

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	f := func(answer string, well, alive bool) {
		t.Helper()
		address := answering(t, "tcp", "127.0.0.1:0", answer)
		if _, err := checkup(nil, "--addr", address); (err == nil) != well {
			t.Errorf("%q: %v", answer, err)
		}
		if _, err := checkup(nil, "--addr", address, "--live"); (err == nil) != alive {
			t.Errorf("%q, live: %v", answer, err)
		}
	}
	f("+PONG\r\n", true, true)
	f("-NOAUTH Authentication required.\r\n", true, true)
	f("-LOADING Troupe is loading the dataset in memory\r\n", false, true)
	f("-ERR max number of clients reached\r\n", true, true)
	f("HTTP/1.1 400 Bad Request\r\n", false, false)
	f("+PON", false, false)
	f("", false, false)
}

// Nobody there, and nobody who answers, are found out in time.
func TestHealthcheckFails(t *testing.T) {
	t.Parallel()
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody.Close()
	if _, err := checkup(nil, "--addr", nobody.Addr().String()); err == nil {
		t.Error("nobody is well")
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if _, err := checkup(nil, "--addr", silent.Addr().String(), "--timeout", "50ms"); err == nil || !strings.Contains(err.Error(), "timeout") {
		t.Error(err)
	}
}

// By default it asks where a server with the same environment listens.
func TestHealthcheckTargets(t *testing.T) {
	t.Parallel()
	f := func(network, addresses string, environ ...string) {
		t.Helper()
		n, a, err := (&healthcheckCmd{}).targets(environ)
		if err != nil || n != network || strings.Join(a, " ") != addresses {
			t.Errorf("%q: %s %s %v, want %s %s", environ, n, a, err, network, addresses)
		}
	}
	f("tcp", "127.0.0.1:7379 [::1]:7379")
	f("tcp", "127.0.0.1:7000 [::1]:7000", "TROUPE_PORT=7000", "TROUPE_REQUIREPASS=x")
	f("tcp", "127.0.0.1:7379 [::1]:7379", "TROUPE_PORT=tcp://10.0.0.1:7379")
	f("tcp", "127.0.0.1:7379 [::1]:7379", "TROUPE_BIND=* -::*")
	f("tcp", "[::1]:7379 10.0.0.1:7379", "TROUPE_BIND=10.0.0.1 -::1")
	f("unix", "/tmp/s", "TROUPE_PORT=0", "TROUPE_UNIXSOCKET=/tmp/s")
	f("tls", "127.0.0.1:7380 [::1]:7380", "TROUPE_PORT=0", "TROUPE_TLS_PORT=7380")
}

// One address that is well is enough.
func TestHealthcheckTriesAll(t *testing.T) {
	t.Parallel()
	address := answering(t, "tcp", "127.0.0.1:0", "+PONG\r\n")
	_, port, _ := net.SplitHostPort(address)
	if got, err := checkup([]string{"TROUPE_BIND=-::1 127.0.0.1", "TROUPE_PORT=" + port}); err != nil || got != "+PONG" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestHealthcheckUnix(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "troupe") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	answering(t, "unix", path, "+PONG\r\n")
	if got, err := checkup(nil, "--addr", path); err != nil || got != "+PONG" {
		t.Errorf("%s, %v", got, err)
	}
}
