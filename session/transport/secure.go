package transport

import (
	"crypto/tls"
	"time"

	"github.com/troupedb/troupe/session"
)

// Secure is how links come in over TLS: those of listeners of ListenSecure.
// Its functions are called from any goroutine and must not block.
type Secure struct {
	// Config is asked at each link, so that certificates can change.
	Config func() *tls.Config
	// Patience, if set, is how long a handshake may take; 0 is without limit.
	Patience func() time.Duration
	// Knock, if set, is asked before the handshake whether a link from an
	// address (as RemoteAddr gives it) is let in. One that is not is closed
	// without a word, as it could not understand any yet.
	Knock func(remote string) bool
	// Accept makes the handlers of links whose handshake is done.
	Accept session.Accept
	// Left, if set, hears of each link that was let in and whose handshake came
	// to nothing, and why.
	Left func(remote string, why error)
}

// withDefaults fills in what was left nil.
func (s Secure) withDefaults(accept session.Accept) Secure {
	if s.Accept == nil {
		s.Accept = accept
	}
	if s.Patience == nil {
		s.Patience = func() time.Duration { return 0 }
	}
	if s.Knock == nil {
		s.Knock = func(string) bool { return true }
	}
	if s.Left == nil {
		s.Left = func(string, error) {}
	}
	return s
}
