package main

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp"
)

// healthcheckCmd asks a server whether it is well. It needs no shell and no
// password: that a server asks for one is a sign of health.
type healthcheckCmd struct {
	Addr    string        `help:"host:port, redis://host:port, for TLS rediss://host:port, or the path of a unix socket. By default where a server with this environment (TROUPE_PORT, TROUPE_BIND, TROUPE_UNIXSOCKET) listens."`
	Timeout time.Duration `default:"3s" help:"How long the answer may take."`
	Live    bool          `help:"Ask only whether the server is alive: any answer will do, such as that it is still loading."`
}

// Run prints the answer; an error is a server that is not well.
func (c *healthcheckCmd) Run(p process) error {
	network, addresses, err := c.targets(p.environ)
	if err != nil {
		return err
	}
	dial := c.dialer(network, p.environ)
	for _, address := range addresses {
		var answer string
		if answer, err = c.examine(dial, address); err == nil {
			_, err = fmt.Fprintln(p.out, answer)
			return err
		}
	}
	return err
}

// examine asks at one address; an error is a server that is not well.
func (c *healthcheckCmd) examine(dial dialer, address string) (answer string, err error) {
	answer, err = ping(dial, address, c.Timeout)
	if err != nil {
		return "", fmt.Errorf("%s: %w", address, err)
	}
	if !c.isHealthy(answer) {
		return "", fmt.Errorf("%s: answered %q", address, answer)
	}
	return answer, nil
}

// targets are where to ask, one after the other.
func (c *healthcheckCmd) targets(environ []string) (network string, addresses []string, err error) {
	plain, isPlain := strings.CutPrefix(c.Addr, "redis://")
	secure, isSecure := strings.CutPrefix(c.Addr, "rediss://")
	switch {
	case isSecure:
		return "tls", []string{secure}, nil
	case isPlain:
		return "tcp", []string{plain}, nil
	case strings.Contains(c.Addr, "/"):
		return "unix", []string{c.Addr}, nil
	case c.Addr != "":
		return "tcp", []string{c.Addr}, nil
	}
	settings, err := config.Load(config.Sources{Environ: environ})
	if err != nil {
		return "", nil, err
	}
	network, port := "tcp", "port"
	if settings.Int("port") == 0 {
		network, port = "tls", "tls-port"
	}
	if settings.Int(port) == 0 {
		return "unix", []string{settings.Text("unixsocket")}, nil
	}
	for _, host := range hosts(settings.Words("bind")) {
		addresses = append(addresses, net.JoinHostPort(host, settings.Text(port)))
	}
	return network, addresses, nil
}

// dialer opens a link to a server.
type dialer func(address string) (net.Conn, error)

// dialer is how to come to a server. Over TLS the client shows the certificate of
// the server with this environment, if it has one, as clients may have to show
// any. Whose certificate the server shows is not looked at: it is told nothing,
// and asked only whether it is well.
func (c *healthcheckCmd) dialer(network string, environ []string) dialer {
	plain := &net.Dialer{Timeout: c.Timeout}
	if network != "tls" {
		return func(address string) (net.Conn, error) { return plain.Dial(network, address) }
	}
	with := &tls.Config{InsecureSkipVerify: true}
	if settings, err := config.Load(config.Sources{Environ: environ}); err == nil {
		if own, err := settings.Certificate(); err == nil {
			with.Certificates = []tls.Certificate{own}
		}
	}
	return func(address string) (net.Conn, error) { return tls.DialWithDialer(plain, "tcp", address, with) }
}

// hosts are the addresses at which a server that listens on binds is reached
// from its own machine: those of the loopback first, for protected mode serves
// no others.
func hosts(binds []string) []string {
	var near, far []string
	for _, bind := range binds {
		switch host := strings.TrimPrefix(bind, "-"); host {
		case "*", "0.0.0.0":
			near = append(near, "127.0.0.1")
		case "::*", "::":
			near = append(near, "::1")
		case "127.0.0.1", "::1", "localhost":
			near = append(near, host)
		default:
			far = append(far, host)
		}
	}
	return append(near, far...)
}

// ping asks, and returns the first line of the answer.
func ping(dial dialer, address string, timeout time.Duration) (string, error) {
	conn, err := dial(address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return "", err
	}
	if _, err := conn.Write([]byte("*1\r\n$4\r\nPING\r\n")); err != nil {
		return "", err
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return "", err
	}
	if answer[0] != '+' && answer[0] != '-' {
		return "", errors.New("what answers is no server of this kind")
	}
	return strings.TrimRight(answer, "\r\n"), nil
}

// isHealthy judges an answer. A server that asks for a password serves, and one that
// has as many clients as it may serves these; one that is loading lives, and serves
// nobody yet.
func (c *healthcheckCmd) isHealthy(answer string) bool {
	return c.Live || answer == "+PONG" || strings.HasPrefix(answer, "-NOAUTH") || answer == "-"+resp.ErrMaxClients.Str()
}
