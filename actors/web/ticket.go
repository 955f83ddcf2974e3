package web

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/troupedb/troupe/session/acl"
)

// A ticket stands for a user who has shown his password, for one GET /watch within
// ticketLife: an EventSource and a browser's WebSocket cannot send a header, and an
// address, which may be written to the logs of proxies, is no place for a password.
const (
	ticketLife  = 30 * time.Second
	ticketBytes = 24 // that nobody guesses
	ticketsMax  = 10_000
)

// ticket is one that was given out and not yet used.
type ticket struct {
	account *acl.Account
	user    *acl.User // as he was then: any change of his makes it void
	until   time.Time
}

// tickets are those.
type tickets struct {
	mu  sync.Mutex
	all map[string]ticket
}

// issue makes a ticket for a user. ok is false if there are too many.
func (t *tickets) issue(a *acl.Account, now time.Time) (name string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) >= ticketsMax {
		for name, one := range t.all {
			if now.After(one.until) {
				delete(t.all, name)
			}
		}
	}
	if len(t.all) >= ticketsMax {
		return "", false
	}
	var secret [ticketBytes]byte
	rand.Read(secret[:]) // never fails: see its documentation
	name = base64.RawURLEncoding.EncodeToString(secret[:])
	if t.all == nil {
		t.all = map[string]ticket{}
	}
	t.all[name] = ticket{a, a.Now(), now.Add(ticketLife)}
	return name, true
}

// redeem uses a ticket up. It is nobody's if there is none of that name, or it is
// too late.
func (t *tickets) redeem(name string, now time.Time) *acl.Account {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, ok := t.all[name]
	delete(t.all, name)
	if !ok || now.After(one.until) || one.account.Gone() || one.account.Now() != one.user {
		return nil
	}
	return one.account
}

// ticket answers POST /ticket: {"ticket":"…","seconds":30}.
func (s *Server) ticket(w http.ResponseWriter, r *http.Request) {
	l := s.login(w, r)
	if l == nil {
		return
	}
	defer l.close()
	name, ok := s.tickets.issue(l.session.Account(), time.Now())
	if !ok {
		fail(w, http.StatusServiceUnavailable, "ERR too many tickets are in use")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprintf(w, "{\"ticket\":%q,\"seconds\":%d}\n", name, int(ticketLife.Seconds()))
}

// login opens a link for who is asking, or answers why not. It is only to show who that
// is: with as many clients as may be, metrics are told all the same.
func (s *Server) login(w http.ResponseWriter, r *http.Request) *link {
	v, err := s.visitor(r)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return nil
	}
	v.Brief = true
	l, refusal := s.dial(r.Context(), r, v)
	if l == nil {
		refuse(w, r, refusal)
	}
	return l
}
