package actors

import (
	"crypto/tls"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/persist"
	"github.com/troupedb/troupe/keyspace/tier"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/script"
	"github.com/troupedb/troupe/session/transport"
	"github.com/troupedb/troupe/subscription"
	"github.com/troupedb/troupe/subscription/watch"
)

// Options are what a server is started with. The zero value of each is the
// choice of a server without configuration, unless it says otherwise.
type Options struct {
	// Binds are the hosts to listen on, in Redis's notation: "*" is any
	// address of IPv4, "::*" any of IPv6, "-" before a host says that this
	// machine may lack it. None: no TCP.
	Binds []string
	// Port is the TCP port; 0 lets the system choose one for all Binds.
	Port int
	// TLSBinds and TLSPort are the same for TLS, which TLS tells how to speak.
	TLSBinds []string
	TLSPort  int
	TLS      *tls.Config
	// Unix is the path of a unix socket to listen on too, UnixMode its
	// permissions (0: what the umask leaves).
	Unix     string
	UnixMode fs.FileMode
	// Inherited are sockets to listen on that are open already.
	Inherited []Inherited
	// Backlog is how many connections may wait to be accepted.
	Backlog int
	// KeepAlive is the silence after which TCP asks for its peer; 0: never.
	KeepAlive time.Duration
	// Goroutines serves each link with a goroutine instead of event loops.
	Goroutines bool
	// Loops and Shards are their numbers; 0 is one a core.
	Loops, Shards int
	// Databases is the number of databases (0: 16), Clients the most links at
	// once (0: 10,000).
	Databases, Clients int
	// Settings are the limits of the keyspace.
	Settings *keyspace.Settings
	// Memory is the most memory to use, in bytes, 0 for any amount; Settings.Policy
	// says what goes when that is reached. Process says that the process is the
	// server's alone: all that it takes counts then, and Go's memory limit is set.
	// Otherwise data, and large requests and replies, count.
	Memory  int64
	Process bool
	// Supervisor is who watches over the process and hears of it, in Redis's word:
	// systemd; "" is nobody.
	Supervisor string
	// Families add the commands of the packages below this one.
	Families []Family
	// Renames are applied to the catalogue when it is complete.
	Renames []Rename
	// Dir is the data directory; "": nothing is kept on disk. Storage says what
	// is kept there.
	Dir     string
	Storage Storage
	// Tier is where values live that have not been used for long, when memory is
	// short; without a Dir all stay in memory.
	Tier tier.Config
	// Halt, once it is closed, has Start give up reading the data directory and
	// return persist.ErrHalted.
	Halt <-chan struct{}
	// OwnsHeap says that nobody else uses Go's heap, so that the server may have
	// it collected and give what is free of it back to the system.
	OwnsHeap bool
	// Ready is called when all is there, before the first link is let in.
	Ready func(*System) error
	Log   hclog.Logger
}

// Family adds commands that run on the system itself. It is called before the
// system serves, when its fields are not yet set; the commands may use them.
type Family func(*System, *session.Catalogue)

// Rename gives a command another name, or takes it away if To is empty. That
// there is no such command is a mistake, unless IfExists.
type Rename struct {
	From, To string
	IfExists bool
}

// System is a running server.
type System struct {
	Server *session.Server
	Node   *keyspace.Node
	// Store is the data directory, nil if nothing is kept on disk.
	Store *persist.Store
	// Tier is the store of cold values, nil if there is none.
	Tier *tier.Store
	// Scripts is what runs scripts.
	Scripts *script.Engine
	// Rebuilds counts the panics of handlers after which shards were rebuilt.
	Rebuilds atomic.Int64
	// Broken tells of the first panic after which that can't be: the process is to
	// end.
	Broken chan *keyspace.Broken
	// Asked tells that a client has asked the server to stop.
	Asked chan Stop

	cores     int
	options   Options
	transport session.Transport
	workers   *keyspace.Workers
	hub       *subscription.Hub
	tree      *tree
	idle      idler
	failures  failures
	memory    memory
	version   atomic.Uint64 // of the last change, without a journal

	shortage   sync.Mutex // held while writers are held up or let go
	savedAtEnd bool       // SaveAtEnd was called
	unwritten  atomic.Bool

	tls atomic.Pointer[tls.Config]

	mu           sync.Mutex // guards what follows
	endpoints    Endpoints
	addresses    []string
	tlsAddresses []string
}

// withDefaults fills in what was left zero.
func (o Options) withDefaults() Options {
	for _, n := range []*int{&o.Loops, &o.Shards} {
		if *n <= 0 {
			*n = cores()
		}
	}
	if o.Databases <= 0 {
		o.Databases = 16
	}
	if o.Clients <= 0 {
		o.Clients = 10_000
	}
	if o.Settings == nil {
		o.Settings = keyspace.DefaultSettings()
	}
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	return o
}

// workers is the number of workers. A command that takes long does so in its
// shards' turn, and a shard has one turn at a time; so with more workers than
// shards some are always free for live queries, clocks and short turns.
func (o Options) workers() int { return o.Shards + max(2, runtime.GOMAXPROCS(0)) }

// Start starts a server. It serves when Start returns.
func Start(o Options) (*System, error) {
	o = o.withDefaults()
	s := &System{
		cores: cores(), options: o, tree: newTree(o.Log), workers: keyspace.NewWorkers(o.workers()),
		Broken: make(chan *keyspace.Broken, 1), Asked: make(chan Stop, 1),
	}
	s.failures.follow(s.tree.system)
	s.tls.Store(o.TLS)
	if err := s.start(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *System) start() (err error) {
	catalogue, err := s.catalogue()
	if err == nil {
		err = s.openTier()
	}
	if err == nil {
		err = s.startNode()
	}
	if err != nil {
		s.closeTier()
		s.workers.Close()
		return err
	}
	s.startServer(catalogue)
	if err = s.openStore(catalogue); err != nil {
		s.closeTier()
		s.workers.Close()
		s.Node.Close()
		return err
	}
	if s.Store != nil {
		s.Server.SetCondition(func(c *session.Condition) { c.Loading = resp.ErrLoading })
	}
	if s.transport, err = s.newTransport(); err != nil {
		s.CloseStore()
		s.closeTier()
		s.workers.Close()
		s.Node.Close()
		return err
	}
	if s.options.OwnsHeap {
		s.idle.heap = newReleaser(s.Node.Bound().Shards)
	}
	s.idle.start(s.Server)
	s.Node.OnShort(s.holdWriters)
	s.memory.start(s.Server, s.options.Process)
	s.SetMemory(s.options.Memory)
	if s.options.Ready != nil {
		err = s.options.Ready(s)
	}
	if err == nil {
		o := &s.options
		err = s.Listen(Endpoints{Binds: o.Binds, Port: o.Port, TLSBinds: o.TLSBinds, TLSPort: o.TLSPort, Unix: o.Unix})
	}
	if err == nil {
		err = s.load()
	}
	if err != nil {
		s.Close()
	}
	return err
}

// catalogue puts all families together.
func (s *System) catalogue() (*session.Catalogue, error) {
	c := &session.Catalogue{}
	families(c)
	s.Scripts = scripts(c)
	for _, family := range s.options.Families {
		family(s, c)
	}
	c.Seal()
	for _, r := range s.options.Renames {
		if err := rename(c, r); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// rename renames a command with its live form, so that taking GET away takes
// GET.WATCH away.
func rename(c *session.Catalogue, r Rename) error {
	if r.IfExists && c.Named(strings.ToUpper(r.From)) == nil {
		return nil
	}
	if err := c.Rename(r.From, r.To); err != nil {
		return fmt.Errorf("renaming a command: %w", err)
	}
	if c.Named(strings.ToUpper(r.From)+session.WatchSuffix) == nil {
		return nil
	}
	to := r.To
	if to != "" {
		to += session.WatchSuffix
	}
	if err := c.Rename(r.From+session.WatchSuffix, to); err != nil {
		return fmt.Errorf("renaming a live query: %w", err)
	}
	return nil
}

func (s *System) startNode() error {
	s.hub = subscription.NewHub(func() int64 { return s.Node.Recent() })
	settings := *s.options.Settings
	settings.Kinds = kinds()
	node, err := keyspace.NewNode(keyspace.Config{
		Shards: s.options.Shards, Databases: s.options.Databases, Settings: &settings,
		Workers: s.workers, Version: &s.version, Ears: s.hub, Broken: s.broken, Tier: s.tierOf(),
		Spawn: s.tree.spawn, Root: s.tree.system.Root,
	})
	s.Node = node
	return err
}

// broken is told of panics in handlers. Their shards are rebuilt from what was
// recorded; if nothing was, the process is to end, and only the first counts.
func (s *System) broken(b *keyspace.Broken) {
	s.failures.ofShards(b)
	if len(b.Shards) > 0 && s.Records() {
		go s.rebuild(b)
		return
	}
	s.giveUp(b)
}

func (s *System) giveUp(b *keyspace.Broken) {
	select {
	case s.Broken <- b:
	default:
	}
}

func (s *System) startServer(catalogue *session.Catalogue) {
	s.Server = session.NewServer(&session.Server{
		Catalogue: catalogue, Node: s.Node, Databases: s.options.Databases, Log: s.options.Log,
		Actors:  session.Actors{Spawn: s.tree.spawn, Root: s.tree.system.Root},
		Hub:     s.hub,
		Watches: watch.NewRegistry(s.Node, s.workers),
	})
	s.Server.Watches.Limits.Linger.Store(watch.LingerMillis)
	s.Server.Watches.Failed = func(path string, reason any) {
		s.options.Log.Error("a live query has failed by a mistake of the program", "actor", path, "reason", reason)
		s.failures.note(path, reason)
	}
	s.tree.system.ProcessRegistry.RegisterAddressResolver(s.Server.Watches.Resolve)
	s.Server.Clients.Store(int64(s.options.Clients))
}

func (s *System) newTransport() (session.Transport, error) {
	config := transport.Config{
		Accept: s.Server.Accept, Loops: s.options.Loops, Backlog: s.options.Backlog,
		KeepAlive: s.options.KeepAlive, UnixMode: s.options.UnixMode, Report: s.reporter(),
		Secure: transport.Secure{
			Config: s.tls.Load, Patience: s.idle.patience,
			Knock: s.Server.Knock, Accept: s.Server.AcceptSecure, Left: s.Server.Left,
		},
	}
	if s.options.Goroutines {
		return transport.NewGoroutines(config), nil
	}
	return transport.New(config)
}

// reporter logs failures of the transport, at most one a second: being out of
// descriptors is reported for each connection that cannot be accepted.
func (s *System) reporter() func(error) {
	var last atomic.Int64
	return func(err error) {
		now := time.Now().Unix()
		if before := last.Load(); before != now && last.CompareAndSwap(before, now) {
			s.options.Log.Warn("connection not accepted", "error", err)
		}
	}
}

// SetKeepAlive changes Options.KeepAlive for links from here on.
func (s *System) SetKeepAlive(d time.Duration) { s.transport.SetKeepAlive(d) }

// Cores is how many cores the process might use when the system was started. The
// Go runtime may be told another number later, for reasons of its scheduling.
func (s *System) Cores() int { return s.cores }

// Supervisor is who watches over the process, "" if nobody does.
func (s *System) Supervisor() string { return s.options.Supervisor }

// Loops is the number of event loops.
func (s *System) Loops() int { return s.transport.Loops() }

// holdWriters has writers wait while memory is short: as it is when it is called, so
// that the last call leaves what is true.
func (s *System) holdWriters() {
	s.shortage.Lock()
	defer s.shortage.Unlock()
	s.Server.SetCondition(func(c *session.Condition) { c.Short = s.Node.Short() })
}

// Close stops the server at once: links are closed as they are. See Drain.
func (s *System) Close() {
	s.idle.close()
	s.memory.close()
	s.Scripts.Close()
	s.transport.Close()
	s.Server.Watches.Close()
	s.Server.Recall()
	s.CloseStore()
	s.closeTier()
	s.workers.Close()
	s.Node.Close()
}
