package web

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// listen opens the port, unless it is open, and serves it.
func (s *Server) listen() error {
	if s.settings.Bool("http-tls") && !s.system.HasTLS() {
		return errors.New("http-tls: there is no certificate")
	}
	for _, listener := range s.given {
		s.gates = append(s.gates, &gate{Listener: listener, server: s})
	}
	if len(s.gates) == 0 {
		if err := s.openPort(); err != nil {
			return err
		}
	}
	for _, g := range s.gates {
		s.group.Go(func() { s.serve(g) })
	}
	s.log.Info("listening", "addresses", s.Addresses(), "tls", s.settings.Bool("http-tls"))
	return nil
}

// openPort opens it: at the host and port that the setting names, or, if it names a
// port alone, at the addresses of bind.
func (s *Server) openPort() error {
	at := s.settings.Text("http")
	hosts, port := s.settings.Words("bind"), at
	if host, number, err := net.SplitHostPort(at); err == nil {
		hosts, port = []string{host}, number
		if host == "" {
			hosts = []string{"*", "-::*"}
		}
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return errors.New("http: " + at + " is neither a port nor an address with one")
	}
	if _, err = s.system.Bind(s.bind, hosts, number); err == nil && len(s.gates) == 0 {
		err = errors.New("http: none of the addresses exists here")
	}
	return err
}

func (s *Server) bind(network, address string) (string, error) {
	listener, err := net.Listen(network, address)
	if err != nil {
		return "", err
	}
	s.gates = append(s.gates, &gate{Listener: listener, server: s})
	return listener.Addr().String(), nil
}

func (s *Server) serve(g *gate) {
	err := error(nil)
	if s.settings.Bool("http-tls") {
		err = s.http.ServeTLS(g, "", "")
	} else {
		err = s.http.Serve(g)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		s.log.Error("no connections are accepted any more", "error", err)
	}
}

// tlsConfig asks for the system's certificates at each connection, as they can
// change.
func (s *Server) tlsConfig() *tls.Config {
	protocols := []string{"h2", "http/1.1"}
	return &tls.Config{NextProtos: protocols, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		c := s.system.TLS().Clone()
		c.NextProtos = protocols
		return c, nil
	}}
}

// gate lets connections in: no more than maxclients at once, as an idle one has no
// session that would count, but for some spares, and not too many a second from one
// address.
type gate struct {
	net.Listener
	server *Server
}

// Accept implements net.Listener.
func (g *gate) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		s := g.server
		if !s.system.Server.Visit(conn.RemoteAddr().String()) {
			conn.Close()
			continue
		}
		if s.open.Add(1) <= s.system.Server.Clients.Load() {
			return &counted{Conn: conn, leave: sync.OnceFunc(func() { s.open.Add(-1) })}, nil
		}
		s.open.Add(-1)
		return s.spares.admit(conn), nil
	}
}

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	leave   func() // may be called twice
	isSpare bool
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.leave()
	return c.Conn.Close()
}
