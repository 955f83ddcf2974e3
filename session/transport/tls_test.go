package transport

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"
)

// selfSigned is a TLS configuration of a server that nobody vouches for.
func selfSigned(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "test"},
		NotAfter:     time.Now().Add(time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
}

func TestTransportWrapsConnections(t *testing.T) {
	t.Parallel()
	server := selfSigned(t)
	s := newStage(t, "goroutines", Config{
		Wrap: func(conn net.Conn) (net.Conn, error) {
			wrapped := tls.Server(conn, server)
			return wrapped, wrapped.Handshake()
		},
	}, echoFrames)
	plain := s.dial()
	send(t, plain, "PING\r\n") // never becomes a link
	waiting := s.dial()        // nor does one that says nothing

	conn := tls.Client(s.dial(), &tls.Config{InsecureSkipVerify: true})
	big := string(bytes.Repeat([]byte{'x'}, 50_000))
	go func() {
		conn.Write([]byte(frame("one") + frame(big) + frame("three")))
		conn.CloseWrite()
	}()
	expectEnd(t, conn, "[one]["+big+"][three]")
	if err := s.awaitClosed(); err != nil {
		t.Fatalf("Closed(%v)", err)
	}
	s.transport.Close()
	if n := len(s.closed); n != 0 {
		t.Fatalf("%d more links", n)
	}
	expectEnd(t, waiting, "")
}
