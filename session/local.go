package session

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/subscription/watch"
)

// Local is a client in the server's own process: the program that the server is
// a part of, which needs no password. What it asks of the shards goes there
// straight from the goroutine that asks, without a link and without an actor in
// between; any number of goroutines may share one Local.
//
// It obeys the guards of dispatch, which Admit asks. Commands that need a session
// (see GoesToShards) are for a link: that of a transport.Pipes is one inside the
// process.
type Local struct{ session *Session }

// NewLocal makes a client of the database db, which must exist.
func (s *Server) NewLocal(db int) *Local {
	one := s.blank()
	one.address, one.local, one.fd = localAddress, localAddress, -1
	one.encoder = resp.V3
	one.loginProgram()
	one.Proto.Store(3)
	one.Select(db)
	return &Local{one}
}

// localAddress is what a Local has for an address, in MONITOR and the slow log.
const localAddress = "local:0"

// AcceptLocal is Accept for links from inside the process: nobody asks them for
// a password, and they are not counted in maxclients.
func (s *Server) AcceptLocal(link Link) Handler {
	one := s.newSession(link)
	one.front = &one.reader
	one.loginProgram()
	one.SetProtocol(3)
	handler, err := start(one)
	if err != nil {
		s.Log.Error("session not started", "session", one.id, "error", err)
		return nil
	}
	s.reserveAnyway()
	s.enter(one)
	return handler
}

// unguarded reports whether nothing is in force that makes commands wait, fail,
// or show themselves to somebody.
func (s *Server) unguarded() bool {
	return s.condition.Load() == nil && s.pause.until.Load() == 0 && len(*s.monitors.Load()) == 0
}

// GoesToShards reports whether a command is nothing but a handler that runs in
// shards, and has its answer when it has run.
func (c *Command) GoesToShards() bool {
	return c.Data != nil && c.Translate == nil && c.Guard == nil && !c.Flags.Has(command.Blocking)
}

// Admit asks the guards of a command, which is nil if there is none of that name:
// it may run, unless it is refused, or must wait and ask again later.
func (l *Local) Admit(row *Command, argv [][]byte) (refusal resp.Reply, wait bool) {
	s := l.session
	if row != nil && s.server.unguarded() && row.ArityOK(len(argv)) {
		return resp.Nothing, false
	}
	if refusal = s.refusal(row, argv); refusal.Kind() != resp.None {
		s.server.refused(row, refusal)
		return refusal, false
	}
	return resp.Nothing, s.mustPause(row)
}

// ArgumentMax is the longest word, in bytes, that a command may have.
func (l *Local) ArgumentMax() int { return min(l.session.limits().BulkMax, keyspace.TextMax) }

// Aim adds a command that was admitted to a batch, and makes that visit the shards
// which the command concerns.
func (l *Local) Aim(x *keyspace.Execute, row *Command, argv [][]byte) {
	s := l.session
	s.server.feedMonitors(s, row, argv)
	x.Caller = s
	x.Heavy = x.Heavy || row.Flags.Has(command.Heavy)
	x.Requests = append(x.Requests, keyspace.Request{Spec: row.Data, Argv: argv, DB: s.db})
	pos := row.SingleKey()
	switch {
	case pos > 0:
		x.Visit(s.server.Node.ShardOf(argv[pos]))
	case row.Flags.Has(command.ByCursor):
		l.visitFrom(x, argv[1])
	case row.NeedsAll(argv), x.Atomic && row.Flags.Has(command.Strays):
		s.server.Node.VisitAll(x)
	default:
		l.visitKeys(x, row, argv)
	}
}

// visitFrom visits the shards of a SCAN: see Session.fromCursor.
func (l *Local) visitFrom(x *keyspace.Execute, word []byte) {
	first, shards := 0, l.session.server.Node.Len()
	if cursor, ok := keyspace.ParseCursor(word); ok {
		first = keyspace.CursorShard(cursor, shards)
	}
	for ; first < shards; first++ {
		x.Visit(first)
	}
}

func (l *Local) visitKeys(x *keyspace.Execute, row *Command, argv [][]byte) {
	node := l.session.server.Node
	var few [16]command.KeyAt
	keys, _ := row.AppendKeys(few[:0], argv)
	for i := 0; i < len(keys) && len(x.Shards) < node.Len(); i++ {
		x.Visit(node.ShardOf(argv[keys[i].Pos]))
	}
	if len(x.Shards) == 0 {
		x.Visit(0)
	}
}

// Query is the live query of a command, or why there can be none.
func (l *Local) Query(argv [][]byte) (*watch.Query, resp.Reply) {
	row, refusal := l.session.observable(argv)
	if row == nil {
		return nil, refusal
	}
	return watch.NewQuery(row.Data, argv[row.Words():], l.session.db, *l.session.User.Load()), resp.Nothing
}

// NewLock makes an optimistic lock, which Watch adds keys to.
func (l *Local) NewLock() *Lock { return &Lock{} }

// Watch adds a request to a batch that watches keys for a lock. Keys that the lock
// has already stay as they are watched.
func (l *Local) Watch(x *keyspace.Execute, lock *Lock, keys [][]byte) {
	x.Caller = l.session
	x.Requests = append(x.Requests, lock.watch(x, l.session, keys))
}

// Guard makes a transaction depend on a lock, which ends when it runs.
func (l *Local) Guard(x *keyspace.Execute, lock *Lock) { lock.guard(x, l.session.server.Node) }

// Unwatch ends a lock in the shards; nobody waits for that.
func (l *Local) Unwatch(lock *Lock) { lock.drop(l.session.server.Node) }

// abandon is the message that nobody waits for the present command any more.
type abandon struct{}

// Abandon gives up what the session waits for, now or in a moment, or closes its
// link if that cannot be given up. If something was found for the command
// already, it is answered all the same, so that nothing is lost. It is for links
// that are not used again. Any goroutine may call it.
func (s *Session) Abandon() { s.send(&abandon{}) }

// take implements task.
func (*abandon) take(s *Session) {
	s.abandoned = true
	switch {
	case s.wait.Load() != nil:
		s.Unblock(true)
	case s.later != nil, s.parked:
		s.link.Close()
	}
}
