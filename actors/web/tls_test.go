package web_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp/tlstest"
)

// secured is a port over TLS, and who vouches for it.
func secured(t *testing.T, lines ...string) (p *port, authority *tlstest.Authority, files tlstest.Files) {
	t.Helper()
	authority, err := tlstest.New()
	if err != nil {
		t.Fatal(err)
	}
	if files, err = authority.Write(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	all := append([]string{"http-tls yes", "tls-cert-file " + files.Cert, "tls-key-file " + files.Key, "tls-ca-cert-file " + files.Authority}, lines...)
	p = start(t, all...)
	p.url = strings.Replace(strings.Replace(p.url, "http:", "https:", 1), "127.0.0.1", "localhost", 1)
	return p, authority, files
}

// TestTLS: HTTP/2 and events over TLS; a new certificate is shown once it is set.
func TestTLS(t *testing.T) {
	t.Parallel()
	p, authority, files := secured(t, "tls-auth-clients no")
	ask := func() (*http.Response, string) {
		t.Helper()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authority.Pool()}, ForceAttemptHTTP2: true, DisableKeepAlives: true}}
		answer, err := client.Do(p.request("POST", "/command", `["PING"]`))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer, string(text)
	}
	answer, text := ask()
	if answer.ProtoMajor != 2 || text != "{\"result\":\"PONG\"}\n" {
		t.Errorf("%s %s", answer.Proto, text)
	}
	first := answer.TLS.PeerCertificates[0].Raw
	certificate, key, err := authority.Issue("localhost")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string][]byte{files.Cert: certificate, files.Key: key} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.ask("CONFIG", "SET", "tls-cert-file", files.Cert); got != "+OK" {
		t.Fatal(got)
	}
	if answer, _ = ask(); bytes.Equal(answer.TLS.PeerCertificates[0].Raw, first) {
		t.Error("the former certificate is shown still")
	}
}

// Clients must show a certificate where the settings say so.
func TestTLSClients(t *testing.T) {
	t.Parallel()
	p, authority, _ := secured(t)
	f := func(certificates []tls.Certificate, lets bool) {
		t.Helper()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authority.Pool(), Certificates: certificates}, DisableKeepAlives: true}}
		answer, err := client.Do(p.request("POST", "/command", `["PING"]`))
		if err == nil {
			answer.Body.Close()
		}
		if (err == nil) != lets {
			t.Errorf("with %d certificates: %v", len(certificates), err)
		}
	}
	pair, err := authority.Pair("client")
	if err != nil {
		t.Fatal(err)
	}
	f([]tls.Certificate{pair}, true)
	f(nil, false)
}
