package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/troupedb/troupe/session"
)

// boundListener is a listening socket and, for a unix socket, its file.
type boundListener struct {
	net.Listener
	path   string
	file   fs.FileInfo    // nil: none of ours
	secure bool           // its links come over TLS
	accept session.Accept // of the handlers of links in the clear
}

// unixBinder binds a unix socket at path so that its file never has wider
// permissions than mode.
type unixBinder func(path string, mode fs.FileMode) (net.Listener, error)

// bindListener binds as Transport.Listen promises.
func bindListener(network, address string, mode fs.FileMode, bindUnix unixBinder) (*boundListener, error) {
	switch network {
	case "tcp", "tcp4", "tcp6":
		ln, err := plainListen().Listen(context.Background(), addressFamily(network, address), address)
		if err != nil {
			return nil, err
		}
		return &boundListener{Listener: ln}, nil
	case "unix":
		return bindUnixFile(address, mode, bindUnix)
	}
	return nil, net.UnknownNetworkError(network)
}

// adopted is a listening socket of somebody else's. A file that it has is not ours
// to remove.
func adopted(ln net.Listener) *boundListener {
	b := &boundListener{Listener: ln}
	if at := ln.Addr(); at.Network() == "unix" {
		b.path = at.String()
	}
	return b
}

// plainListen leaves keep-alive to tuneSocket or the transport, and multipath
// TCP out, which costs every connection a detour through a second protocol.
func plainListen() *net.ListenConfig {
	config := &net.ListenConfig{KeepAlive: -1}
	config.SetMultipathTCP(false)
	return config
}

// addressFamily makes an IPv6 literal mean IPv6 only, so that it can be bound
// beside IPv4 at the same port.
func addressFamily(network, address string) string {
	host, _, err := net.SplitHostPort(address)
	if network != "tcp" || err != nil {
		return network
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return network
	case ip.Is4():
		return "tcp4"
	}
	return "tcp6"
}

func bindUnixFile(path string, mode fs.FileMode, bind unixBinder) (*boundListener, error) {
	if err := clearStaleSocket(path); err != nil {
		return nil, err
	}
	ln, err := bind(path, mode)
	if err != nil {
		return nil, err
	}
	file, err := os.Lstat(path)
	if err != nil {
		ln.Close()
		return nil, err
	}
	return &boundListener{Listener: ln, path: path, file: file}, nil
}

// clearStaleSocket removes a socket file that nothing listens on. Anything
// else at path is an error.
func clearStaleSocket(path string) error {
	file, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if file.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("listen on %s: the file exists and is not a socket", path)
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		conn.Close()
		return fmt.Errorf("listen on %s: %w", path, syscall.EADDRINUSE)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("listen on %s: is the socket in use? %w", path, err)
	}
	return os.Remove(path)
}

// address is what Listen returns.
func (b *boundListener) address() string {
	if b.path != "" {
		return b.path
	}
	return b.Addr().String()
}

// removeFile removes the socket's file, unless another has taken its place, or it
// was never ours.
func (b *boundListener) removeFile() {
	if b.file == nil {
		return
	}
	if now, err := os.Lstat(b.path); err == nil && os.SameFile(now, b.file) {
		os.Remove(b.path)
	}
}
