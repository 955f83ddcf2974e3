package transport

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// certified is the TLS of a server that nobody vouches for.
var certified = sync.OnceValue(newCertified)

func newCertified() *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "test"},
		NotAfter:     time.Now().Add(time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
}

// eachSecure runs test once for each transport, over TLS.
func eachSecure(t *testing.T, test func(t *testing.T, kind string)) {
	t.Parallel()
	for name := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, name+overTLS)
		})
	}
}

// Who does not do a handshake never becomes a link, and the server hears why.
func TestSecureRefusesOthers(t *testing.T) {
	eachSecure(t, func(t *testing.T, kind string) {
		left := make(chan error, 10)
		s := newStage(t, kind, Config{Secure: Secure{Left: func(_ string, why error) { left <- why }}}, echoFrames)
		f := func(what string, talk func(conn net.Conn)) {
			t.Helper()
			conn, err := net.Dial("tcp", s.address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			talk(conn)
			if why := await(t, left, "failed handshake"); why == nil {
				t.Errorf("%s: no reason", what)
			}
		}
		f("in the clear", func(conn net.Conn) { send(t, conn, "PING\r\n") })
		f("a browser", func(conn net.Conn) { send(t, conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") })
		f("gone at once", func(conn net.Conn) { conn.Close() })
		f("gone in the middle", func(conn net.Conn) { send(t, conn, "\x16\x03\x01\x02\x00\x01"); conn.Close() })
		f("reset", func(conn net.Conn) { conn.(*net.TCPConn).SetLinger(0); conn.Close() })
		f("too old", func(conn net.Conn) {
			tls.Client(conn, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}).Handshake()
		})
		waiting, err := net.Dial("tcp", s.address) // says nothing
		if err != nil {
			t.Fatal(err)
		}
		defer waiting.Close()
		conn := s.dial()
		send(t, conn, frame("one"))
		expect(t, conn, "[one]")
		conn.Close()
		s.awaitClosed()
		s.transport.Close()
		if n := len(s.closed); n != 0 {
			t.Errorf("%d more links", n)
		}
		if _, err := waiting.Read(make([]byte, 1)); err == nil {
			t.Error("who said nothing was answered")
		}
	})
}

// A handshake has its time, and others are served meanwhile.
func TestSecurePatience(t *testing.T) {
	eachSecure(t, func(t *testing.T, kind string) {
		left := make(chan error, 10)
		var patience atomic.Int64
		s := newStage(t, kind, Config{Secure: Secure{
			Left:     func(_ string, why error) { left <- why },
			Patience: func() time.Duration { return time.Duration(patience.Load()) },
		}}, echoFrames)
		conn := s.dial()
		patience.Store(int64(50 * time.Millisecond))
		slow, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer slow.Close()
		send(t, slow, "\x16\x03\x01\x02\x00\x01")
		if why := await(t, left, "failed handshake"); !errors.Is(why, os.ErrDeadlineExceeded) {
			t.Errorf("failed by %v", why)
		}
		io.Copy(io.Discard, slow) // is closed
		send(t, conn, frame("one"))
		expect(t, conn, "[one]")
	})
}

// Links are asked for at the door, and only those who knocked are missed.
func TestSecureKnock(t *testing.T) {
	eachSecure(t, func(t *testing.T, kind string) {
		var open atomic.Bool
		s := newStage(t, kind, Config{Secure: Secure{
			Knock: func(remote string) bool { return open.Load() && remote != "" },
			Left:  func(_ string, why error) { t.Errorf("left: %v", why) },
		}}, echoFrames)
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		expectEnd(t, conn, "")
		open.Store(true)
		let := s.dial()
		send(t, let, frame("one"))
		expect(t, let, "[one]")
	})
}

// Some text comes at once with the end of the handshake, much more than is read
// ahead, while the handshake is slow.
func TestSecureEagerClient(t *testing.T) {
	eachSecure(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{}, echoFrames)
		s.secure = false
		plain := s.dial()
		conn := tls.Client(plain, &tls.Config{InsecureSkipVerify: true})
		big := string(make([]byte, 60_000))
		go func() {
			for range 20 {
				conn.Write([]byte(frame(big)))
			}
			conn.CloseWrite()
		}()
		for range 20 {
			expect(t, conn, "["+big+"]")
		}
		expectEnd(t, conn, "")
		if err := s.awaitClosed(); err != nil {
			t.Errorf("Closed(%v)", err)
		}
	})
}

// Certificates change for links from then on, and not for those that are there.
func TestSecureConfigChanges(t *testing.T) {
	eachSecure(t, func(t *testing.T, kind string) {
		var current atomic.Pointer[tls.Config]
		current.Store(newCertified())
		s := newStage(t, kind, Config{Secure: Secure{Config: current.Load}}, echoFrames)
		shown := func(p peer) []byte {
			send(t, p, frame("one"))
			expect(t, p, "[one]")
			return p.Conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Raw
		}
		before := s.dial()
		first := shown(before)
		current.Store(newCertified())
		if bytes.Equal(first, shown(s.dial())) {
			t.Error("the old certificate is shown")
		}
		shown(before)
	})
}
