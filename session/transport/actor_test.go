package transport

import (
	"io"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/conn"
	"github.com/troupedb/troupe/subscription/watch"
)

// newTestServer starts a server that knows the commands on strings, over a
// transport of the kind.
func newTestServer(t *testing.T, kind string, config Config) (*session.Server, *stage) {
	t.Helper()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
	stopping := actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })
	spawn := func(props *actor.Props, name string) (*actor.PID, error) {
		return system.Root.SpawnNamed(props.Configure(actor.WithGuardian(stopping)), name)
	}
	workers := keyspace.NewWorkers(2)
	var version atomic.Uint64
	node, err := keyspace.NewNode(keyspace.Config{
		Shards: 2, Databases: 1, Settings: keyspace.DefaultSettings(), Workers: workers, Version: &version,
		Broken: func(b *keyspace.Broken) { t.Errorf("%v\n%s", b.Reason, b.Stack) }, Spawn: spawn, Root: system.Root,
	})
	if err != nil {
		t.Fatal(err)
	}
	catalogue := &session.Catalogue{}
	catalogue.AddData(&str.Commands)
	catalogue.AddHere(&conn.Commands)
	catalogue.Seal()
	server := session.NewServer(&session.Server{
		Catalogue: catalogue, Node: node, Databases: 1, Log: hclog.NewNullLogger(),
		Actors: session.Actors{Spawn: spawn, Root: system.Root}, Watches: watch.NewRegistry(node, workers),
	})
	server.Clients.Store(10_000)
	config.Accept = server.Accept
	t.Cleanup(func() {
		workers.Close()
		node.Close()
	})
	return server, newStage(t, kind, config, nil)
}
