package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/troupedb/troupe/actors/config"
)

// healthcheckCmd asks a server whether it is well. It needs no shell and no
// password: that a server asks for one is a sign of health.
type healthcheckCmd struct {
	Addr    string        `help:"host:port, or the path of a unix socket. By default where a server with this environment (TROUPE_PORT, TROUPE_BIND, TROUPE_UNIXSOCKET) listens."`
	Timeout time.Duration `default:"3s" help:"How long the answer may take."`
	Live    bool          `help:"Ask only whether the server is alive: any answer will do, such as that it is still loading."`
}

// Run prints the answer; an error is a server that is not well.
func (c *healthcheckCmd) Run(p process) error {
	network, address, err := c.target(p.environ)
	if err != nil {
		return err
	}
	answer, err := ping(network, address, c.Timeout)
	if err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	if !c.isHealthy(answer) {
		return fmt.Errorf("%s: answered %q", address, answer)
	}
	_, err = fmt.Fprintln(p.out, answer)
	return err
}

// target is where to ask.
func (c *healthcheckCmd) target(environ []string) (network, address string, err error) {
	if strings.Contains(c.Addr, "/") {
		return "unix", c.Addr, nil
	}
	if c.Addr != "" {
		return "tcp", c.Addr, nil
	}
	settings, err := config.Load(config.Sources{Environ: environ})
	if err != nil {
		return "", "", err
	}
	if settings.Int("port") == 0 {
		return "unix", settings.Text("unixsocket"), nil
	}
	return "tcp", net.JoinHostPort(nearest(settings.Words("bind")), strconv.FormatInt(settings.Int("port"), 10)), nil
}

// nearest is the host to reach a server at that listens on binds: the loopback
// address where it can, for protected mode serves no other.
func nearest(binds []string) string {
	for _, host := range []string{"*", "0.0.0.0", "127.0.0.1", "localhost"} {
		if slices.Contains(binds, host) || slices.Contains(binds, "-"+host) {
			return "127.0.0.1"
		}
	}
	for _, host := range []string{"::*", "::", "::1"} {
		if slices.Contains(binds, host) || slices.Contains(binds, "-"+host) {
			return "::1"
		}
	}
	if len(binds) == 0 {
		return "127.0.0.1"
	}
	return strings.TrimPrefix(binds[0], "-")
}

// ping asks, and returns the first line of the answer.
func ping(network, address string, timeout time.Duration) (string, error) {
	conn, err := net.DialTimeout(network, address, timeout)
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

// isHealthy judges an answer. A server that asks for a password serves; one
// that is loading lives, and serves nobody yet.
func (c *healthcheckCmd) isHealthy(answer string) bool {
	return c.Live || answer == "+PONG" || strings.HasPrefix(answer, "-NOAUTH")
}
