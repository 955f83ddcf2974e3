package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/resp/redistest"
	"github.com/troupedb/troupe/resp/tlstest"
)

// secured is a server that speaks TLS, and who vouches for it.
type secured struct {
	t         *testing.T
	config    *Config
	system    *actors.System
	authority *tlstest.Authority
	files     tlstest.Files
	dir       string
}

func startSecured(t *testing.T, flags ...Flag) *secured {
	t.Helper()
	s := &secured{t: t, dir: t.TempDir(), authority: newAuthority(t)}
	s.files = s.write(s.authority)
	s.config, s.system = started(t, Sources{Flags: append([]Flag{
		{"tls-port", []string{freePort(t)}}, {"bind", []string{"127.0.0.1"}}, {"tls-cert-file", []string{s.files.Cert}},
		{"tls-key-file", []string{s.files.Key}}, {"tls-ca-cert-file", []string{s.files.Authority}},
	}, flags...)})
	return s
}

func newAuthority(t *testing.T) *tlstest.Authority {
	t.Helper()
	a, err := tlstest.New()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (s *secured) write(a *tlstest.Authority) tlstest.Files {
	s.t.Helper()
	f, err := a.Write(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

// pair is a client's certificate.
func (s *secured) pair(a *tlstest.Authority) []tls.Certificate {
	s.t.Helper()
	pair, err := a.Pair("client")
	if err != nil {
		s.t.Fatal(err)
	}
	return []tls.Certificate{pair}
}

// talk asks for PING over TLS, as a client that trusts the authority.
func (s *secured) talk(with *tls.Config) (tls.ConnectionState, error) {
	s.t.Helper()
	if with.RootCAs == nil {
		with.RootCAs = s.authority.Pool()
	}
	with.ServerName = "localhost"
	conn, err := tls.Dial("tcp", s.system.TLSAddresses()[0], with)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	answer := make([]byte, 7)
	if _, err = conn.Write([]byte("PING\r\n")); err == nil {
		_, err = conn.Read(answer) // of TLS 1.3 a refusal of the client's certificate comes here
	}
	if err == nil && string(answer) != "+PONG\r\n" {
		s.t.Errorf("answered %q", answer)
	}
	return conn.ConnectionState(), err
}

// set is the answer to CONFIG SET, asked over the unix socket.
func (s *secured) set(words ...string) string {
	s.t.Helper()
	return local(s.t, s.config).ask(append([]string{"CONFIG", "SET"}, words...)...)
}

// Clients must show a certificate, may, or need not.
func TestTLSClients(t *testing.T) {
	t.Parallel()
	s := startSecured(t)
	own, foreign := s.pair(s.authority), s.pair(newAuthority(t))
	f := func(mode string, bare, strange bool) {
		t.Helper()
		if got := s.set("tls-auth-clients", mode); got != "+OK" {
			t.Fatal(got)
		}
		for _, c := range []struct {
			what string
			with []tls.Certificate
			want bool
		}{{"its certificate", own, true}, {"none", nil, bare}, {"a stranger's", foreign, strange}} {
			for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
				// A client of Go's does not show a certificate that was not asked for.
				give := func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
					if c.with == nil {
						return &tls.Certificate{}, nil
					}
					return &c.with[0], nil
				}
				if _, err := s.talk(&tls.Config{GetClientCertificate: give, MaxVersion: version}); (err == nil) != c.want {
					t.Errorf("%s, with %s: %v", mode, c.what, err)
				}
			}
		}
	}
	f("yes", false, false)
	f("optional", true, false)
	f("no", true, true)
	if got := s.system.Server.Stats.HandshakesFailed.Load(); got != 6 {
		t.Errorf("%d handshakes failed", got)
	}
}

// Certificates that have been replaced are shown from the next CONFIG SET or
// reload on; what can't be read leaves the old ones in force.
func TestTLSReload(t *testing.T) {
	t.Parallel()
	s := startSecured(t, Flag{"tls-auth-clients", []string{"no"}})
	if _, err := s.talk(&tls.Config{}); err != nil {
		t.Fatal(err)
	}
	other := newAuthority(t)
	s.write(other)
	if _, err := s.talk(&tls.Config{}); err != nil {
		t.Errorf("before it is told: %v", err)
	}
	if got := s.set("tls-cert-file", s.files.Cert); got != "+OK" {
		t.Error(got)
	}
	if _, err := s.talk(&tls.Config{RootCAs: other.Pool()}); err != nil {
		t.Errorf("after CONFIG SET: %v", err)
	}
	s.write(s.authority)
	if err := s.config.Reload(); err != nil {
		t.Error(err)
	}
	if _, err := s.talk(&tls.Config{}); err != nil {
		t.Errorf("after a reload: %v", err)
	}
	if err := os.WriteFile(s.files.Key, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	const refused = "-ERR CONFIG SET failed (possibly related to argument 'tls-key-file') - Unable to update TLS configuration. Check server logs."
	if got := s.set("requirepass", "secret", "tls-key-file", s.files.Key); got != refused {
		t.Error(got)
	}
	if err := s.config.Reload(); err == nil {
		t.Error("nonsense was read")
	}
	if _, err := s.talk(&tls.Config{}); err != nil || s.config.Text("requirepass") != "" {
		t.Errorf("after a mistake: %v", err)
	}
}

// Ports come and go; without a certificate there is none for TLS.
func TestTLSPort(t *testing.T) {
	t.Parallel()
	s := startSecured(t, Flag{"tls-auth-clients", []string{"no"}})
	first := s.config.Text("tls-port")
	if got := strconv.Itoa(s.system.TLSPort()); got != first || s.system.Port() != 0 {
		t.Errorf("TLS at %s, want %s; the other port is %d", got, first, s.system.Port())
	}
	for _, port := range []string{"0", freePort(t), first} {
		if got := s.set("tls-port", port); got != "+OK" {
			t.Fatal(got)
		}
		if port != "0" {
			if _, err := s.talk(&tls.Config{}); err != nil {
				t.Errorf("port %s: %v", port, err)
			}
		} else if len(s.system.TLSAddresses()) > 0 {
			t.Error("it listens on")
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	want := "-ERR CONFIG SET failed (possibly related to argument 'tls-port') - Unable to listen on this port. Check server logs."
	if got := s.set("tls-port", strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)); got != want {
		t.Error(got)
	}
	if _, err := s.talk(&tls.Config{}); err != nil {
		t.Errorf("after a port that is taken: %v", err)
	}
}

// What is missing at the start is told.
func TestTLSMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, err := newAuthority(t).Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := func(want, lines string) {
		t.Helper()
		c, err := Load(Sources{File: "-", Stdin: strings.NewReader("port 0\ntls-port " + freePort(t) + "\nappendonly no\nbind 127.0.0.1\ndir " + t.TempDir() + "\n" + lines)})
		if err != nil {
			t.Fatal(err)
		}
		system, err := actors.Start(c.Options(hclog.NewNullLogger()))
		if err == nil {
			system.Close()
			t.Errorf("%s: it starts", want)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %s", want, err)
		}
	}
	f("No tls-cert-file configured!", "")
	f("No tls-key-file configured!", "tls-cert-file "+files.Cert)
	pair := "tls-cert-file " + files.Cert + "\ntls-key-file " + files.Key + "\n"
	f("Either tls-ca-cert-file or tls-ca-cert-dir must be specified", pair)
	f("no such file", pair+"tls-ca-cert-file /nosuch\n")
	f("there is no certificate in", pair+"tls-ca-cert-file "+files.Key+"\n")
	f("there is no certificate in", pair+"tls-ca-cert-dir "+t.TempDir()+"\n")
	f("Failed to load certificate", "tls-cert-file /nosuch\ntls-key-file "+files.Key+"\n")
	f("Failed to load private key", "tls-key-file /nosuch\ntls-cert-file "+files.Cert+"\n")
	f("Failed to load certificate", "tls-key-file "+files.Client+"\ntls-cert-file "+files.Cert+"\n") // another's key
}

// Versions and cipher suites are those of the settings.
func TestTLSVersions(t *testing.T) {
	t.Parallel()
	s := startSecured(t, Flag{"tls-auth-clients", []string{"no"}})
	f := func(want bool, with *tls.Config, words ...string) {
		t.Helper()
		if got := s.set(words...); got != "+OK" {
			t.Fatal(got)
		}
		if _, err := s.talk(with); (err == nil) != want {
			t.Errorf("%v: %v", words, err)
		}
	}
	only := func(version uint16) *tls.Config { return &tls.Config{MinVersion: version, MaxVersion: version} }
	f(true, only(tls.VersionTLS12), "tls-protocols", "")
	f(true, only(tls.VersionTLS13), "tls-protocols", "")
	f(false, only(tls.VersionTLS11), "tls-protocols", "")
	f(false, only(tls.VersionTLS12), "tls-protocols", "TLSv1.3")
	f(false, only(tls.VersionTLS13), "tls-protocols", "TLSv1.2")
	f(true, only(tls.VersionTLS11), "tls-protocols", "tlsv1.1 tlsv1.2")
	chacha := only(tls.VersionTLS12)
	chacha.CipherSuites = []uint16{tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256}
	f(false, chacha, "tls-ciphers", "ECDHE-ECDSA-AES128-GCM-SHA256:!MD5")
	f(true, chacha, "tls-ciphers", "DEFAULT:!MEDIUM", "tls-ciphersuites", "")
}

// Who comes again has a shorter handshake, unless he is not to, or it has been too
// long.
func TestTLSSessions(t *testing.T) {
	t.Parallel()
	s := startSecured(t, Flag{"tls-auth-clients", []string{"no"}})
	f := func(want bool, words ...string) {
		t.Helper()
		if got := s.set(words...); got != "+OK" {
			t.Fatal(got)
		}
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			with := &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(1), MaxVersion: version}
			for again := range 3 {
				state, err := s.talk(with)
				if err != nil || state.DidResume != (want && again > 0) {
					t.Errorf("%v, time %d: resumed %v, %v", words, again, state.DidResume, err)
				}
			}
		}
	}
	f(true, "tls-session-caching", "yes")
	f(false, "tls-session-caching", "no")
	f(true, "tls-session-caching", "yes", "tls-session-cache-timeout", "0")
}

// Keys are read whichever way they are encrypted.
func TestEncryptedKeys(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(plain, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	openssl := redistest.Program(t, "openssl")
	f := func(words ...string) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "encrypted")
		line := exec.Command(openssl, append(words, "-in", plain, "-out", out, "-passout", "pass:geheim")...)
		if said, err := line.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, said)
		}
		text, err := os.ReadFile(out)
		if err != nil || !strings.Contains(string(text), "ENCRYPTED") {
			t.Fatalf("%v makes %s, %v", words, text, err)
		}
		read, err := decryptKey(text, "geheim")
		if err == nil {
			block, _ := pem.Decode(read)
			var got any
			if got, err = x509.ParsePKCS8PrivateKey(block.Bytes); err != nil {
				got, err = x509.ParseECPrivateKey(block.Bytes)
			}
			if err == nil && !key.Equal(got) {
				t.Errorf("%v: another key", words)
			}
		}
		if err != nil {
			t.Errorf("%v: %v", words, err)
		}
		if _, err := decryptKey(text, "wrong"); err == nil || strings.Contains(err.Error(), "wrong") {
			t.Errorf("%v: with a wrong password: %v", words, err)
		}
	}
	f("pkcs8", "-topk8", "-v2", "aes-256-cbc")
	f("pkcs8", "-topk8", "-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512")
	f("pkcs8", "-topk8", "-v2", "aes-192-cbc", "-v2prf", "hmacWithSHA1", "-iter", "5")
	f("ec", "-aes128")
	f("ec", "-des3")
	if text, err := os.ReadFile(plain); err != nil {
		t.Fatal(err)
	} else if same, err := decryptKey(text, ""); err != nil || !slices.Equal(same, text) {
		t.Errorf("a plain key: %v", err)
	}
}
