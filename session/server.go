package session

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unique"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session/acl"
	"github.com/troupedb/troupe/subscription"
	"github.com/troupedb/troupe/subscription/watch"
)

// Server is what the sessions of a server share.
type Server struct {
	Catalogue *Catalogue
	Node      *keyspace.Node
	Databases int
	Log       hclog.Logger
	// Users are those who may log in; NewServer makes them.
	Users *acl.Users
	// UsersFile is the path of their file (aclfile), "" for none. It is set
	// before the first link comes.
	UsersFile string
	filing    sync.Mutex // held by the one who writes it
	// Watches is where live queries are found.
	Watches *watch.Registry
	// Hub is where channels are found.
	Hub *subscription.Hub
	// Actors is where sessions become actors.
	Actors Actors
	// Clients is the most links at once (maxclients).
	Clients atomic.Int64
	// Stats are the counters of all sessions.
	Stats Stats

	condition           condition
	limits, loginLimits atomic.Pointer[Limits]
	protected           atomic.Bool // protected-mode
	rates               rates
	warned              atomic.Int64 // when a browser was last warned of, Unix milliseconds
	bounds              atomic.Pointer[OutputBounds]
	tracer              atomic.Pointer[Tracer]
	nextID              atomic.Uint64
	started             time.Time
	monitors            atomic.Pointer[[]*Session]
	pause               pause
	crowd               crowd
	dice                *diceServer
	outboxes            outboxes
	away                sync.WaitGroup  // work that sessions do away
	ending              context.Context // of what is away
	end                 context.CancelFunc

	mu       sync.Mutex
	sessions map[uint64]*Session
	starting int // places reserved
}

// NewServer completes a Server whose exported fields are set.
func NewServer(s *Server) *Server {
	if s.Hub == nil {
		s.Hub = subscription.NewHub(s.Node.Recent)
	}
	s.started = time.Now()
	s.ending, s.end = context.WithCancel(context.Background())
	s.sessions = map[uint64]*Session{}
	s.Users = acl.NewUsers(acl.NewCommands(s.Catalogue.metas()))
	ours := len(s.Catalogue.List())
	s.Stats.init(ours + 1) // and HANDSHAKE, which is DiceDB's alone
	s.dice = newDiceServer(s.Catalogue, ours)
	none := []*Session(nil)
	s.monitors.Store(&none)
	s.SetLimits(DefaultLimits)
	s.SetOutputBounds(OutputBounds{})
	return s
}

// SetLimits puts other bounds on requests in force.
func (s *Server) SetLimits(l Limits) {
	l.Authenticated = true
	s.limits.Store(&l)
	login := l
	login.Authenticated = false
	s.loginLimits.Store(&login)
}

// SetProtected turns protected mode on or off: with it, and without a
// password, only this machine's own clients are served.
func (s *Server) SetProtected(on bool) { s.protected.Store(on) }

// Millis is the time, Unix milliseconds, as the shards see it.
func (s *Server) Millis() int64 { return s.Node.Clock() }

// Nanos is a monotonic clock, for measuring.
func (s *Server) Nanos() int64 { return int64(time.Since(s.started)) }

// Micros is Millis in microseconds, for TIME.
func (s *Server) Micros() int64 { return s.Node.Micros() }

// Uptime is how long ago the server was made.
func (s *Server) Uptime() time.Duration { return time.Since(s.started) }

// Traffic is the number of bytes received and sent over all links, those that
// have closed included.
func (s *Server) Traffic() (in, out int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, out = s.Stats.BytesIn.Load(), s.Stats.BytesOut.Load()
	for _, one := range s.sessions {
		in += one.Read.Load()
		out += one.Written.Load()
	}
	return in, out
}

// ResetStats is CONFIG RESETSTAT.
func (s *Server) ResetStats() {
	s.Stats.Reset()
	s.Watches.ResetStats()
	s.crowd.evicted.Store(0)
	s.Node.ResetExceeded()
	in, out := s.Traffic()
	s.Stats.BytesIn.Add(-in)
	s.Stats.BytesOut.Add(-out)
}

// Sessions are all sessions now, in no order.
func (s *Server) Sessions() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Session, 0, len(s.sessions))
	for _, one := range s.sessions {
		all = append(all, one)
	}
	return all
}

// Session is the one with the number, or nil.
func (s *Server) Session(id uint64) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id]
}

// Connected is the number of links.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// reserve takes a place for a session that is being started.
func (s *Server) reserve() (accepted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if int64(len(s.sessions)+s.starting) >= s.Clients.Load() {
		return false
	}
	s.starting++
	return true
}

// reserveAnyway takes a place for a session that maxclients does not keep out.
func (s *Server) reserveAnyway() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting++
}

// enter lists a session whose place was reserved. It must be complete: from
// here on others may send it messages.
func (s *Server) enter(one *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting--
	s.sessions[one.id] = one
}

// giveUp frees the place of a session that was not started.
func (s *Server) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting--
}

func (s *Server) leave(one *Session) {
	s.StopMonitor(one)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Stats.BytesIn.Add(one.Read.Load())
	s.Stats.BytesOut.Add(one.Written.Load())
	delete(s.sessions, one.id)
}

// protectedText is Redis's explanation of why a stranger is not served.
const protectedText = "DENIED Troupe is running in protected mode because protected mode is enabled and no password is set for the default user. " +
	"In this mode connections are only accepted from the loopback interface. " +
	"If you want to connect from external computers, set a password (--requirepass), or turn protected mode off with " +
	"'CONFIG SET protected-mode no' from a client on this machine or with '--protected-mode no' at the start. " +
	"Make sure that the server is not reachable from the internet if you do so."

// Accept makes the session of a new link: the Accept of transports.
func (s *Server) Accept(link Link) Handler {
	s.Stats.Accepted.Add(1)
	if !link.Unix() && !s.rates.allow(link.RemoteAddr(), s.Nanos()) {
		s.Stats.RateLimited.Add(1)
		return s.refuse(link, errTooFast)
	}
	if s.isStrange(link) {
		return s.refuse(link, resp.Error(protectedText))
	}
	if !s.reserve() {
		return s.refuse(link, resp.ErrMaxClients)
	}
	return s.admit(link)
}

// Knock asks whether a link that comes over TLS is let in, before its handshake;
// if so, it has a place, and AcceptSecure or Left follows.
func (s *Server) Knock(remote string) bool {
	s.Stats.Accepted.Add(1)
	allowed := s.rates.allow(remote, s.Nanos())
	if !allowed {
		s.Stats.RateLimited.Add(1)
	}
	if allowed && s.reserve() {
		return true
	}
	s.Stats.Rejected.Add(1)
	return false
}

// AcceptSecure is Accept for a link that has knocked and whose handshake is done.
func (s *Server) AcceptSecure(link Link) Handler {
	if s.isStrange(link) {
		s.giveUp()
		return s.refuse(link, resp.Error(protectedText))
	}
	return s.admit(link)
}

// Left hears of links that have knocked and whose handshake has failed.
func (s *Server) Left(remote string, why error) {
	s.giveUp()
	if errors.Is(why, os.ErrDeadlineExceeded) {
		s.Stats.HandshakesLate.Add(1)
	} else {
		s.Stats.HandshakesFailed.Add(1)
	}
	s.Log.Debug("TLS handshake failed", "address", remote, "error", why)
}

// isStrange reports whether protected mode keeps a link out.
func (s *Server) isStrange(link Link) bool {
	return s.Guarded() && !isLocal(link)
}

// refuse tells a link why it is not served.
func (s *Server) refuse(link Link, why resp.Reply) Handler {
	s.Stats.Rejected.Add(1)
	link.Write(resp.V2.Append(nil, why))
	return nil
}

// admit makes the session of a link that has a place.
func (s *Server) admit(link Link) Handler {
	one := s.newSession(link)
	handler, err := start(one)
	if err != nil {
		s.Log.Error("session not started", "session", one.id, "error", err)
		s.giveUp()
		return nil
	}
	s.enter(one)
	return handler
}

func (s *Server) newSession(link Link) *Session {
	one := s.blank()
	one.link = link
	one.front = (*greeting)(one)
	one.meet(link)
	return one
}

// blank is a session that knows no link.
func (s *Server) blank() *Session {
	one := &Session{server: s, encoder: resp.V2, catalogue: s.Catalogue}
	one.id = s.nextID.Add(1)
	one.Born = s.Millis()
	one.Used.Store(one.Born)
	one.Proto.Store(2)
	one.Queued.Store(-1)
	one.Redirect.Store(-1)
	empty := ""
	one.Name.Store(&empty)
	one.LibName.Store(&empty)
	one.LibVer.Store(&empty)
	one.loginDefault()
	return one
}

// meet notes who is at the two ends of the link. Local addresses are few, and
// kept once for all links.
func (p *Public) meet(link Link) {
	p.address, p.local = link.RemoteAddr(), link.LocalAddr()
	p.fd, p.unix = int32(link.FD()), link.Unix()
	if p.unix {
		p.local += ":0"
		p.address = p.local
	}
	p.local = unique.Make(p.local).Value()
}

// isLocal reports whether the link comes from this machine.
func isLocal(link Link) bool {
	return link.Unix() || isLoopback(link.RemoteAddr())
}
