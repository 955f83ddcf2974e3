package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/acl"
	"github.com/troupedb/troupe/session/transport"
)

// visitor reads who a request is from:
//
//	Authorization: Basic     a user and his password; no user is the default one
//	Authorization: Bearer    user:password, or the default user's password
//	?ticket=                 a ticket of POST /ticket, for a watch
//	nothing                  the default user, who then needs to have no password
func (s *Server) visitor(r *http.Request) (*session.Visitor, error) {
	v := &session.Visitor{Library: "http"}
	header := r.Header.Get("Authorization")
	if header == "" {
		return v, nil
	}
	user, password, ok := r.BasicAuth()
	if !ok {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return nil, errors.New("ERR the Authorization is neither Basic nor Bearer as it should be")
		}
		if user, password, ok = strings.Cut(strings.TrimSpace(token), ":"); !ok {
			user, password = "", user
		}
	}
	if user == "" {
		user = acl.DefaultName
	}
	v.LogsIn, v.User, v.Password = true, []byte(user), []byte(password)
	return v, nil
}

// watcher is visitor for a watch, where a ticket may say who it is.
func (s *Server) watcher(r *http.Request, values url.Values) (*session.Visitor, error) {
	name := values.Get("ticket")
	if name == "" {
		return s.visitor(r)
	}
	a := s.tickets.redeem(name, time.Now())
	if a == nil {
		return nil, errTicket
	}
	return &session.Visitor{Account: a, Library: "http"}, nil
}

var errTicket = errors.New("WRONGPASS the ticket is not good, or not any more")

// database reads the parameter db.
func (s *Server) database(values url.Values) (int, error) {
	text := values.Get("db")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= s.system.Server.Databases {
		return 0, errors.New(resp.ErrDBIndex.Str())
	}
	return n, nil
}

// link is the visitor's end of a session.
type link struct {
	net.Conn
	*resp.Wire
	session *session.Session
	stop    func() bool
}

// errGone is the answer when a link ends before all is answered: the server stops,
// or the client was killed.
const errGone = "ERR the connection to the data has been closed"

// dial opens a link for a visitor, which lives as long as the context. If it is
// refused the text says why.
func (s *Server) dial(ctx context.Context, r *http.Request, v *session.Visitor) (l *link, refusal string) {
	type outcome struct {
		session *session.Session
		refusal resp.Reply
	}
	made := make(chan outcome, 1)
	conn, err := s.pipes.DialFor(endsOf(r), func(k session.Link) session.Handler {
		handler, one, refusal := s.system.Server.AcceptVisitor(k, v)
		made <- outcome{one, refusal}
		return handler
	})
	if err != nil {
		return nil, errGone
	}
	select {
	case got := <-made:
		if got.refusal.IsError() {
			conn.Close()
			return nil, got.refusal.Str()
		}
		l = &link{Conn: conn, Wire: resp.NewWire(conn), session: got.session}
		l.stop = context.AfterFunc(ctx, func() { conn.Close() })
		return l, ""
	case <-ctx.Done():
	case <-s.life.Done():
	}
	conn.Close()
	return nil, errGone
}

// close ends the link.
func (l *link) close() {
	l.stop()
	l.Conn.Close()
}

// Read is the Wire's.
func (l *link) Read() (resp.Reply, error) { return l.Wire.Read() }

// endsOf are the two ends of the request's connection.
func endsOf(r *http.Request) transport.Ends {
	ends := transport.Ends{Remote: r.RemoteAddr}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		ends.Local = local.String()
	}
	return ends
}
