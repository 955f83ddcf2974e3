package main

import (
	"fmt"
	"net"
	"os"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/config"
)

// sockets are those that systemd has opened before it started the process
// (sd_listen_fds(3)). Who connects while the server is being started again waits,
// and is not refused.
type sockets struct {
	links []actors.Inherited
	web   []net.Listener
}

// The names of sockets (FileDescriptorName= of a socket unit) that are not for links
// in the clear.
const (
	tlsSocket  = "tls"
	httpSocket = "http"
)

// takeSockets takes the sockets. The process has them once.
func takeSockets() (*sockets, error) { return sortSockets(activation.Files(true)) }

// sortSockets tells by their names what they are for.
func sortSockets(files []*os.File) (*sockets, error) {
	s := &sockets{}
	for _, file := range files {
		if file.Name() != httpSocket {
			s.links = append(s.links, actors.Inherited{File: file, TLS: file.Name() == tlsSocket})
			continue
		}
		listener, err := net.FileListener(file)
		if err != nil {
			return nil, fmt.Errorf("listening on the socket %s: %w", file.Name(), err)
		}
		file.Close()
		s.web = append(s.web, listener)
	}
	return s, nil
}

// kinds are what the sockets are for.
func (s *sockets) kinds() (kinds config.Sockets) {
	kinds.HTTP = len(s.web) > 0
	for _, link := range s.links {
		if link.TLS {
			kinds.TLS = true
		} else {
			kinds.Plain = true
		}
	}
	return kinds
}
