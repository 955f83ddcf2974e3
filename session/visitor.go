package session

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session/acl"
)

// Visitor is a client that speaks to a server of another protocol in this
// process (HTTP), which carries its commands over links of transport.Pipes. It
// is served as a client that comes over RESP3, by its own rights, with three
// differences: it logs in, and chooses its database, before it says a word;
// the frames of its live queries are messages whose payload is JSON; and for OBSERVE
// and UNOBSERVE, which stand for another protocol's words, it needs the rights of
// the query alone.
type Visitor struct {
	// Account is whom the visitor has proved to be before; if it is nil,
	// LogsIn says that User and Password are to be asked. Without either it is
	// the default user, if he needs no password.
	Account        *acl.Account
	LogsIn         bool
	User, Password []byte
	// Database must exist.
	Database int
	// Brief says that it shows who it is, sends nothing, and goes: it is not counted in
	// maxclients.
	Brief bool
	// Library is what it uses to speak, for CLIENT LIST.
	Library string
}

// AcceptVisitor makes the session of a visitor's link, on the link's loop. One
// that is refused has neither handler nor session, but the reason.
func (s *Server) AcceptVisitor(link Link, v *Visitor) (Handler, *Session, resp.Reply) {
	if s.isStrange(link) {
		s.Stats.Rejected.Add(1)
		return nil, nil, resp.Error(protectedText)
	}
	if v.Brief {
		s.reserveAnyway()
	} else if !s.reserve() {
		s.Stats.Rejected.Add(1)
		return nil, nil, resp.ErrMaxClients
	}
	one := s.newSession(link)
	one.front = &one.reader
	one.visits = true
	one.LibName.Store(&v.Library)
	one.SetProtocol(3)
	one.Select(v.Database)
	if !one.loginVisitor(v) {
		s.giveUp()
		if v.LogsIn || v.Account != nil {
			return nil, nil, resp.ErrWrongPass
		}
		return nil, nil, resp.ErrNoAuth
	}
	handler, err := start(one)
	if err != nil {
		s.Log.Error("session not started", "session", one.id, "error", err)
		s.giveUp()
		return nil, nil, resp.Error("ERR the session could not be started")
	}
	s.enter(one)
	return handler, one, resp.Nothing
}

// loginVisitor makes the link its user's. A failure is noted as that of AUTH.
func (s *Session) loginVisitor(v *Visitor) bool {
	a := v.Account
	switch {
	case a != nil && !a.Now().Enabled():
		return false
	case a == nil && v.LogsIn:
		if a = s.server.Users.Login(v.User, v.Password); a == nil {
			s.note(acl.Entry{Reason: acl.DeniedAuth, Object: "AUTH", Username: string(v.User)}, acl.TopLevel, nil)
			return false
		}
	case a == nil:
		return s.authenticated
	}
	s.setAccount(a)
	s.authenticated = !a.Gone()
	s.stranger.Store(0)
	return s.authenticated
}

// Visit counts a connection to the other server, and says whether it is let in:
// not if its address opens too many a second.
func (s *Server) Visit(remote string) bool {
	s.Stats.Accepted.Add(1)
	if s.rates.allow(remote, s.Nanos()) {
		return true
	}
	s.Stats.RateLimited.Add(1)
	s.Stats.Rejected.Add(1)
	return false
}

// Guarded reports whether protected mode keeps out who is not of this machine,
// as there is no password.
func (s *Server) Guarded() bool { return s.protected.Load() && s.Users.Default.Now().NoPass() }
