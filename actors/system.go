// Package actors starts the server: it spawns the actors, wires them to each
// other, and decides what follows when one fails.
package actors

import (
	"fmt"
	"net"
	"strconv"
	"sync/atomic"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

// Options are what a server is started with.
type Options struct {
	Binds              []string
	Port               int
	Loops, Shards      int
	Databases, Clients int
	Log                hclog.Logger
}

// System is a running server.
type System struct {
	Server    *session.Server
	Node      *keyspace.Node
	Broken    chan *keyspace.Broken
	transport session.Transport
	workers   *keyspace.Workers
	tree      *tree
	addresses []string
}

// Start starts a server. It serves when Start returns.
func Start(o Options) (*System, error) {
	s := &System{tree: newTree(o.Log), workers: keyspace.NewWorkers(4), Broken: make(chan *keyspace.Broken, 1)}
	var version atomic.Uint64
	node, err := keyspace.NewNode(keyspace.Config{
		Shards: o.Shards, Databases: o.Databases, Settings: keyspace.DefaultSettings(), Workers: s.workers,
		Version: &version, Broken: func(b *keyspace.Broken) {
			select {
			case s.Broken <- b:
			default:
			}
		},
		Spawn: s.tree.spawn, Root: s.tree.system.Root,
	})
	if err != nil {
		return nil, err
	}
	s.Node = node
	catalogue := &session.Catalogue{}
	families(catalogue)
	catalogue.Seal(func(*session.Session, *session.Command, *command.Args) resp.Reply { return resp.Nil })
	s.Server = session.NewServer(&session.Server{
		Catalogue: catalogue, Node: node, Databases: o.Databases, Log: o.Log,
		Actors: session.Actors{Spawn: s.tree.spawn, Root: s.tree.system.Root},
	})
	s.Server.Clients.Store(int64(o.Clients))
	s.transport, err = session.NewTransport(session.TransportConfig{Accept: s.Server.Accept, Loops: o.Loops})
	if err != nil {
		return nil, err
	}
	for _, bind := range o.Binds {
		at, err := s.transport.Listen("tcp", net.JoinHostPort(bind, strconv.Itoa(o.Port)))
		if err != nil {
			return nil, fmt.Errorf("listening on %s: %w", bind, err)
		}
		s.addresses = append(s.addresses, at)
	}
	return s, nil
}

// Close stops the server.
func (s *System) Close() {
	s.transport.Close()
	s.workers.Close()
	s.Node.Close()
}
