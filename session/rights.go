package session

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session/acl"
	"github.com/troupedb/troupe/subscription"
	"github.com/troupedb/troupe/subscription/watch"
)

// A link has the rights of the user whom it is logged in as, as they are now:
// what is taken away counts from the next command on, of a transaction or a
// script too. What was going on by these rights is ended, see enforce.

// Account is that of the link's user.
func (p *Public) Account() *acl.Account { return p.holder.Load() }

// Login logs the link in as a user, if the password is his. A failure is noted
// with the command that asked.
func (s *Session) Login(user, password []byte, by *command.Args) bool {
	a := s.server.Users.Login(user, password)
	if a != nil {
		s.setAccount(a)
		s.authenticated = !a.Gone() // who goes looks for his links afterwards
		s.stranger.Store(0)
	}
	if a == nil || a.Gone() {
		s.note(acl.Entry{Reason: acl.DeniedAuth, Object: string(by.Argv()[0]), Username: string(user)}, s.where(), by.Meta())
		return false
	}
	return true
}

func (s *Session) setAccount(a *acl.Account) {
	name := a.Name()
	s.holder.Store(a)
	s.User.Store(&name)
}

// loginDefault makes the link the default user's, and logs it in if he needs no
// password.
func (s *Session) loginDefault() {
	s.setAccount(s.server.Users.Default)
	s.authenticated = s.server.Users.Default.Now().Open()
	since := int64(0)
	if !s.authenticated {
		since = s.server.Millis()
	}
	s.stranger.Store(since)
}

// loginProgram makes the link that of the program which the server is a part of.
func (s *Session) loginProgram() {
	s.setAccount(s.server.Users.Program)
	s.authenticated = true
	s.stranger.Store(0)
}

// LoggedIn reports whether the link may run commands: it has logged in, or
// nobody needs to.
func (s *Session) LoggedIn() bool {
	return s.authenticated || s.server.Users.Default.Now().Open()
}

// mayAll reports whether the link's user may do everything.
func (s *Session) mayAll() bool { return s.holder.Load().Now().MayAll() }

// Denial tells whether the link's user may run a command now. Any goroutine may
// ask.
func (s *Session) Denial(row *Command, argv [][]byte) acl.Denial {
	u := s.holder.Load().Now()
	if s.visits && (row.Name == "OBSERVE" || row.Name == "UNOBSERVE") { // to a Visitor they are no commands
		queries, _ := queriesOf(row, argv)
		return s.server.Catalogue.queriesDenial(u, queries)
	}
	return s.server.Catalogue.Denial(u, row, argv)
}

// ReadsAll reports whether the link's user may read every key by a command. Any
// goroutine may ask.
func (s *Session) ReadsAll(meta *command.Meta, argv [][]byte) bool {
	return s.holder.Load().Now().ReadsAll(meta, argv)
}

// denied refuses a command that the link's user may not run.
func (s *Session) denied(row *Command, argv [][]byte) resp.Reply {
	d := s.Denial(row, argv)
	if !d.Denies() {
		return resp.Nothing
	}
	s.NoteDenial(&d, s.where(), row.Meta)
	return d.Refusal()
}

// where is the context of what the link's present command is refused for.
func (s *Session) where() acl.Context {
	if s.multi != nil || s.inExec {
		return acl.InMulti
	}
	return acl.TopLevel
}

// NoteDenial puts a refusal into the log; by is the command that the client has
// sent. Any goroutine may call it.
func (s *Session) NoteDenial(d *acl.Denial, where acl.Context, by *command.Meta) {
	s.note(acl.Entry{Reason: d.Reason, Object: d.Object(), Username: s.holder.Load().Name()}, where, by)
}

func (s *Session) note(e acl.Entry, where acl.Context, by *command.Meta) {
	s.server.Stats.Denied[e.Reason].Add(1)
	e.Context, e.At = where, s.server.Millis()
	e.Client = string(s.AppendInfo(nil, s, by))
	s.server.Users.Log.Add(e)
}

// Denial tells whether a user may run a command. To watch a query he needs the
// rights of the query too, by whatever command he asks for it.
func (c *Catalogue) Denial(u *acl.User, row *Command, argv [][]byte) acl.Denial {
	if u.MayAll() {
		return acl.Denial{}
	}
	queries, rest := queriesOf(row, argv)
	d := u.Check(row.Meta, rest)
	if !d.Denies() && row.Watches != nil {
		d = queryDenial(u, row.Watches.Meta, argv)
	}
	if d.Denies() {
		return d
	}
	return c.queriesDenial(u, queries)
}

// queriesDenial tells whether a user may watch all of the queries.
func (c *Catalogue) queriesDenial(u *acl.User, queries [][][]byte) (d acl.Denial) {
	for _, words := range queries {
		if d.Denies() || len(words) == 0 {
			break
		}
		if query := c.Lookup(words); query != nil && query.Watchable() && query.ArityOK(len(words)) {
			d = queryDenial(u, query.Meta, words)
		}
	}
	return d
}

// queryDenial tells whether a user may watch a query. One that reaches keys which
// are not among its words needs to read all; a script is for users who may do
// everything, since its commands are nobody's when it is read again.
func queryDenial(u *acl.User, meta *command.Meta, argv [][]byte) acl.Denial {
	d := u.Check(meta, argv)
	if !d.Denies() && meta.Flags.Has(command.Strays) && !u.MayAll() {
		return acl.Denial{Reason: acl.DeniedKey, Meta: meta, Word: argv[len(argv)-1]}
	}
	if !d.Denies() && meta.Reaches != nil && meta.Reaches(argv) && !u.ReadsAll(meta, argv) {
		return acl.Denial{Reason: acl.DeniedKey, Meta: meta, Word: argv[len(argv)-1]}
	}
	return d
}

// queriesOf are the queries that a command asks to watch by its words, and the
// command without those of them that would pass for channels.
func queriesOf(row *Command, argv [][]byte) (queries [][][]byte, rest [][]byte) {
	switch row.Name {
	case "OBSERVE":
		_, query, _ := watchOptions(argv[1:])
		return [][][]byte{query}, argv
	case "SUBSCRIBE":
		for _, name := range argv {
			if !isQueryChannel(name) {
				rest = append(rest, name)
			} else if words, refusal := queryWords(name); !refusal.IsError() {
				queries = append(queries, words)
			}
		}
		return queries, rest
	}
	return nil, argv
}

// SetUser changes a user by rules, or makes a new one. What his links do by
// rights that he has no more is ended.
func (s *Server) SetUser(name string, rules []string) error {
	a, err := s.Users.Set(name, rules)
	if err == nil {
		s.enforce(a)
	}
	return err
}

// DeleteUser deletes a user, and closes his links; that of the one who asks, once
// he is answered. It reports whether there was such a user.
func (s *Server) DeleteUser(name []byte, asking *Session) bool {
	a := s.Users.Delete(name)
	if a != nil {
		s.enforce(a)
	}
	if a != nil && asking.Account() == a {
		asking.CloseAfterReply()
	}
	return a != nil
}

// LoadUsers replaces all users by those of an aclfile's text. If that is wrong
// nothing changes, and the error says where.
func (s *Server) LoadUsers(text, file string) error {
	gone, err := s.Users.Load(text, file)
	if err == nil {
		s.enforce(append(gone, s.Users.All()...)...)
	}
	return err
}

// enforce ends what the links of users do by rights that these have no more:
// live queries, subscriptions, and the links themselves of users who are gone.
func (s *Server) enforce(changed ...*acl.Account) {
	accounts, less := map[*acl.Account]bool{}, map[string]*acl.User{}
	for _, a := range changed {
		accounts[a] = true
		if u := a.Now(); !u.MayAll() {
			less[a.Name()] = u
		}
	}
	if len(less) > 0 {
		s.Watches.EndIf(func(q *watch.Query) bool { return less[q.User] != nil && !maySee(less[q.User], q) }, errRightTaken)
	}
	for _, one := range s.Sessions() {
		if accounts[one.Account()] {
			one.Send(theRightsChanged)
		}
	}
}

// maySee reports whether a user may watch a query.
func maySee(u *acl.User, q *watch.Query) bool {
	d := queryDenial(u, &q.Spec.Meta, q.Argv)
	return !d.Denies()
}

var errRightTaken = resp.Error("NOPERM the user of the live query has lost a right that it needs")

// rightsChanged is the message that the link's user has other rights.
type rightsChanged struct{}

var theRightsChanged = &rightsChanged{}

// take implements task. A link that listens to what its user may not hear any
// more is closed, as in Redis.
func (*rightsChanged) take(s *Session) {
	a := s.Account()
	switch {
	case s.closing:
	case a.Gone():
		s.server.Log.Info("link closed: its user has been deleted", "session", s.id, "user", a.Name())
		s.kill(&Kill{})
	case !readsUnder(a.Now(), s.Prefixes()):
		s.server.Log.Info("link closed: its user may not read all keys that it is told of any more", "session", s.id, "user", a.Name())
		s.kill(&Kill{})
	case s.overhears(a.Now()):
		s.server.Log.Info("link closed: its user may not listen to its channels any more", "session", s.id, "user", a.Name())
		s.kill(&Kill{})
	}
}

// overhears reports whether the link listens to what a user may not hear.
func (s *Session) overhears(u *acl.User) bool {
	for sort, names := range s.channels.of {
		for name := range names {
			if !u.Hears([]byte(name), subscription.Sort(sort) == subscription.Pattern) {
				return true
			}
		}
	}
	return false
}
