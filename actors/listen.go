package actors

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Endpoints are where a server listens: see Options.
type Endpoints struct {
	Binds    []string
	Port     int
	TLSBinds []string
	TLSPort  int
	Unix     string
}

// Inherited is a listening socket that whoever started the process has opened, such
// as systemd; TLS says that its links come over that. The server listens on it
// beside its Endpoints, whatever these become.
type Inherited struct {
	File *os.File
	TLS  bool
}

// Addresses are where the server listens now: "host:port" and paths of unix
// sockets. TLSAddresses are where it does for TLS.
func (s *System) Addresses() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.addresses)
}

// TLSAddresses are where the server listens for TLS now, "host:port".
func (s *System) TLSAddresses() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tlsAddresses)
}

// Port is the TCP port that the server listens on, TLSPort that for TLS; 0 if
// there is none.
func (s *System) Port() int { return portOf(s.Addresses()) }

// TLSPort is the TCP port that the server listens on for TLS, 0 if there is none.
func (s *System) TLSPort() int { return portOf(s.TLSAddresses()) }

func portOf(addresses []string) int {
	for _, address := range addresses {
		if at, err := netip.ParseAddrPort(address); err == nil {
			return int(at.Port())
		}
	}
	return 0
}

// Listen makes the server listen at these endpoints and no others; links live
// on. If one cannot be had, it goes back to where it was, and says so.
func (s *System) Listen(to Endpoints) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.endpoints
	s.transport.StopListening() // an address can't be bound a second time beside "*"
	err := s.listen(to)
	if err == nil {
		return nil
	}
	s.transport.StopListening()
	if again := s.listen(before); again != nil {
		return fmt.Errorf("%w; nor could the former addresses be had again: %w", err, again)
	}
	return err
}

func (s *System) listen(to Endpoints) (err error) {
	s.addresses, s.tlsAddresses = nil, nil
	for _, given := range s.options.Inherited {
		if err := s.adopt(given); err != nil {
			return fmt.Errorf("listening on the socket %s: %w", given.File.Name(), err)
		}
	}
	adopted, adoptedTLS := s.addresses, s.tlsAddresses
	if s.addresses, err = s.Bind(s.transport.Listen, to.Binds, to.Port); err != nil {
		return err
	}
	if len(to.TLSBinds) > 0 && !s.HasTLS() {
		return fmt.Errorf("listening for TLS: %w", errNoCertificate)
	}
	if s.tlsAddresses, err = s.Bind(s.transport.ListenSecure, to.TLSBinds, to.TLSPort); err != nil {
		return err
	}
	if to.Unix != "" {
		at, err := s.transport.Listen("unix", to.Unix)
		if err != nil {
			return fmt.Errorf("listening on %s: %w", to.Unix, err)
		}
		s.addresses = append(s.addresses, at)
	}
	s.addresses, s.tlsAddresses = append(adopted, s.addresses...), append(adoptedTLS, s.tlsAddresses...)
	s.endpoints = to
	return nil
}

// adopt listens on a socket that somebody else has opened, by a descriptor of its
// own: that of the file stays, for the next time.
func (s *System) adopt(given Inherited) error {
	if given.TLS && !s.HasTLS() {
		return errNoCertificate
	}
	listener, err := net.FileListener(given.File)
	if err != nil {
		return err
	}
	at, err := s.transport.Adopt(listener, given.TLS)
	if err != nil {
		return err
	}
	if given.TLS {
		s.tlsAddresses = append(s.tlsAddresses, at)
	} else {
		s.addresses = append(s.addresses, at)
	}
	return nil
}

var errNoCertificate = errors.New("there is no certificate")

// Bind listens by a function on all hosts, in the notation of Options.Binds, that
// there are. It returns the addresses bound.
func (s *System) Bind(listen func(network, address string) (string, error), hosts []string, port int) (addresses []string, err error) {
	for _, bind := range hosts {
		host, optional := strings.CutPrefix(bind, "-")
		at, err := listen(networkOf(host), net.JoinHostPort(hostOf(host), strconv.Itoa(port)))
		switch {
		case err == nil:
			addresses = append(addresses, at)
			port = chosenPort(port, at)
		case optional && errors.Is(err, syscall.EADDRNOTAVAIL), isFamilyMissing(err):
			s.options.Log.Debug("not listening", "host", host, "error", err)
		default:
			return addresses, fmt.Errorf("listening on %s port %d: %w", host, port, err)
		}
	}
	return addresses, nil
}

// SetTLS is how links come in over TLS from here on. Those that are there stay as
// they are.
func (s *System) SetTLS(c *tls.Config) { s.tls.Store(c) }

// TLS is how links come in over TLS now, nil if none do.
func (s *System) TLS() *tls.Config { return s.tls.Load() }

// HasTLS reports whether SetTLS was called, or Options.TLS set.
func (s *System) HasTLS() bool { return s.tls.Load() != nil }

// chosenPort is the port for the next bind: the one that the system has chosen
// for the first.
func chosenPort(asked int, at string) int {
	if asked != 0 {
		return asked
	}
	got, err := netip.ParseAddrPort(at)
	if err != nil {
		return 0
	}
	return int(got.Port())
}

func networkOf(host string) string {
	switch host {
	case "*":
		return "tcp4"
	case "::*":
		return "tcp6"
	}
	return "tcp"
}

func hostOf(host string) string {
	switch host {
	case "*":
		return "0.0.0.0"
	case "::*":
		return "::"
	}
	return host
}

// isFamilyMissing tells the errors of a machine without IPv6 or IPv4, which
// Redis takes for no reason not to start.
func isFamilyMissing(err error) bool {
	for _, errno := range []syscall.Errno{
		syscall.EAFNOSUPPORT, syscall.EPFNOSUPPORT, syscall.EPROTONOSUPPORT, syscall.ENOPROTOOPT, syscall.ESOCKTNOSUPPORT,
	} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}
