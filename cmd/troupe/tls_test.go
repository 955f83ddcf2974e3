package main_test

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp/tlstest"
)

// securedProgram is the program with TLS, and who vouches for it.
type securedProgram struct {
	*started
	authority *tlstest.Authority
	dir       string
	files     tlstest.Files
	port      string
}

func startTLS(t *testing.T, args ...string) *securedProgram {
	t.Helper()
	authority, err := tlstest.New()
	if err != nil {
		t.Fatal(err)
	}
	s := &securedProgram{authority: authority, dir: t.TempDir(), port: freePort(t)}
	if s.files, err = authority.Write(s.dir); err != nil {
		t.Fatal(err)
	}
	all := append([]string{"server", "--port", "0", "--bind", "127.0.0.1", "--tls-port", s.port, "--appendonly", "no"}, s.files.Settings()...)
	s.started = start(t, nil, append(all, args...)...)
	return s
}

// dialTLS shows a certificate of the server's own authority, and returns the one
// that the server shows.
func (s *securedProgram) dialTLS() (*tls.Conn, []byte) {
	s.t.Helper()
	pair, err := s.authority.Pair("client")
	if err != nil {
		s.t.Fatal(err)
	}
	conn, err := tls.Dial("tcp", "127.0.0.1:"+s.port, &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: s.authority.Pool(), ServerName: "localhost"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	return conn, conn.ConnectionState().PeerCertificates[0].Raw
}

// redis-cli and redis-benchmark speak with it; nothing is served in the clear; a
// SIGHUP shows the new certificate.
func TestTLSProgram(t *testing.T) {
	t.Parallel()
	s := startTLS(t)
	cli := func(args ...string) string {
		out, err := exec.Command("redis-cli", append([]string{"-p", s.port, "--cacert", s.files.Authority}, args...)...).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "rror") {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	own := []string{"--tls", "--cert", s.files.Client, "--key", s.files.Client}
	if got := cli(append(own, "SET", "k", "v")...); got != "OK" {
		t.Errorf("SET is answered %s", got)
	}
	if got := cli("--tls", "GET", "k"); !strings.Contains(got, "rror") {
		t.Errorf("without a certificate: %s", got)
	}
	if got := cli("-u", "rediss://127.0.0.1:"+s.port+"/0", "--cert", s.files.Client, "--key", s.files.Client, "GET", "k"); got != "v" {
		t.Errorf("rediss: %s", got)
	}
	if got := cli(append(own, "INFO", "server")...); !strings.Contains(got, "tcp_port:"+s.port) || !strings.Contains(got, "tls_port:"+s.port) {
		t.Errorf("INFO: %s", got)
	}
	bench := exec.Command("redis-benchmark", append(own, "-p", s.port, "--cacert", s.files.Authority, "-n", "2000", "-c", "10", "-P", "16", "-d", "2000", "-q", "-t", "set,get")...)
	if out, err := bench.CombinedOutput(); err != nil || !strings.Contains(string(out), "GET") {
		t.Errorf("redis-benchmark: %v\n%s", err, out)
	}
	plain, err := net.Dial("tcp", "127.0.0.1:"+s.port)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	plain.SetDeadline(time.Now().Add(patience))
	if _, err := plain.Write([]byte("GET k\r\n")); err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(plain); strings.Contains(string(got), "v") {
		t.Errorf("answered in the clear: %q", got)
	}
	s.reloads()
}

func (s *securedProgram) reloads() {
	s.t.Helper()
	_, before := s.dialTLS()
	if _, err := s.authority.Write(s.dir); err != nil {
		s.t.Fatal(err)
	}
	s.cmd.Process.Signal(syscall.SIGHUP)
	s.await("files read again")
	if _, after := s.dialTLS(); string(before) == string(after) {
		s.t.Error("the old certificate is shown after SIGHUP")
	}
	if err := os.WriteFile(s.files.Cert, []byte("nonsense"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.cmd.Process.Signal(syscall.SIGHUP)
	s.await("not all files could be read again")
	s.dialTLS()
}

// The healthcheck finds a server that has no port but that for TLS.
func TestHealthcheckOverTLS(t *testing.T) {
	t.Parallel()
	s := startTLS(t)
	check := exec.Command(program(t), "healthcheck")
	check.Env = []string{"TROUPE_PORT=0", "TROUPE_TLS_PORT=" + s.port, "TROUPE_BIND=127.0.0.1", "TROUPE_TLS_CERT_FILE=" + s.files.Cert, "TROUPE_TLS_KEY_FILE=" + s.files.Key}
	if out, err := check.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "+PONG" {
		t.Errorf("%s, %v", out, err)
	}
}
