// Package tlstest makes certificates for tests and measurements: an authority
// that nobody knows, and what it vouches for. They are good for a day.
package tlstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority vouches for servers and clients.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// New makes an authority.
func New() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	template := newTemplate("authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	return &Authority{certificate, key}, err
}

func newTemplate(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62)) // it does not fail
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

// PEM is the authority's own certificate.
func (a *Authority) PEM() []byte { return encode("CERTIFICATE", a.certificate.Raw) }

// Pool trusts the authority alone.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// Issue makes a certificate, for this machine, and its private key, in PEM.
func (a *Authority) Issue(name string) (certificate, key []byte, err error) {
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("making a key: %w", err)
	}
	der, err := x509.CreateCertificate(rand.Reader, newTemplate(name), a.certificate, &own.PublicKey, a.key)
	if err != nil {
		return nil, nil, fmt.Errorf("making a certificate: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(own)
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", private), err
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// Pair is Issue for a program of Go.
func (a *Authority) Pair(name string) (tls.Certificate, error) {
	certificate, key, err := a.Issue(name)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(certificate, key)
}

// Files are the paths of what a server and a client need.
type Files struct {
	Authority, Cert, Key string
	// Client is a file of a client's certificate and key together.
	Client string
}

// Write makes a server's certificate and a client's, and writes them, with the
// authority's, into a folder, in place of those that are there.
func (a *Authority) Write(dir string) (Files, error) {
	f := Files{
		Authority: filepath.Join(dir, "ca.crt"), Cert: filepath.Join(dir, "server.crt"),
		Key: filepath.Join(dir, "server.key"), Client: filepath.Join(dir, "client.pem"),
	}
	certificate, key, err := a.Issue("server")
	if err != nil {
		return f, err
	}
	own, ownKey, err := a.Issue("client")
	if err != nil {
		return f, err
	}
	for path, text := range map[string][]byte{
		f.Authority: a.PEM(), f.Cert: certificate, f.Key: key, f.Client: append(own, ownKey...),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return f, err
		}
	}
	return f, nil
}

// Settings are the words of a server's command line that say so, without the port.
func (f Files) Settings() []string {
	return []string{"--tls-cert-file", f.Cert, "--tls-key-file", f.Key, "--tls-ca-cert-file", f.Authority}
}
