package session

import (
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/subscription"
)

// What a client may not do for long, or not often: leave its replies unread, come
// without logging in, come again and again. Each of these ends with the link
// closed, a reason in the log or for the client, and a counter in INFO.

// OutputBounds says when links that do not read are cut off
// (client-output-buffer-limit): those with live queries, and others. What waits
// for those that listen to channels is bounded by subscription.Hub.Limits. A
// link with much unsent is not read from either, so there is no bound by default.
type OutputBounds struct{ Normal, Watch subscription.Limits }

// SetOutputBounds puts other bounds in force.
func (s *Server) SetOutputBounds(b OutputBounds) { s.bounds.Store(&b) }

// noteUnsent notes how much the link has not taken, and cuts it off if that is
// too much.
func (s *Session) noteUnsent() {
	unsent := int64(s.link.Unsent())
	s.Unsent.Store(unsent)
	if unsent > 0 {
		s.boundOutput(unsent)
	}
}

func (s *Session) boundOutput(unsent int64) {
	bounds := s.server.bounds.Load()
	bound := &bounds.Normal
	switch {
	case s.Watching.Load() > 0:
		bound = &bounds.Watch
	case s.Channels.Load()+s.ShardChannels.Load() > 0:
		return
	}
	switch now := s.server.Millis(); {
	case bound.Hard > 0 && unsent > bound.Hard:
		s.kill(&Kill{Slow: true})
	case bound.Soft == 0 || unsent <= bound.Soft:
		s.above = 0
	case s.above == 0:
		s.above = now
	case now-s.above > bound.Seconds*1000:
		s.kill(&Kill{Slow: true})
	}
}

// measureOutput is the message to look again how much is unsent.
type measureOutput struct{}

var theMeasureOutput = &measureOutput{}

// take implements task.
func (*measureOutput) take(s *Session) {
	if !s.closing {
		s.noteUnsent()
	}
}

// SweepOutput looks for links that have been behind for too long. It is called
// once a second, by any goroutine.
func (s *Server) SweepOutput() {
	bounds := s.bounds.Load()
	if bounds.Normal.Soft == 0 && bounds.Watch.Soft == 0 {
		return
	}
	for _, one := range s.Sessions() {
		if one.Unsent.Load() > 0 {
			one.Send(theMeasureOutput)
		}
	}
}

// overdue is the message that the link has had its time to log in.
type overdue struct{}

var theOverdue = &overdue{}

var errOverdue = resp.Error("ERR not logged in within handshake-timeout")

// take implements task.
func (*overdue) take(s *Session) {
	if s.closing || s.LoggedIn() {
		return
	}
	s.server.Stats.HandshakesLate.Add(1)
	s.server.Log.Debug("link closed: it has not logged in within handshake-timeout", "session", s.id, "address", s.address)
	s.answer(nil, errOverdue)
	s.settle()
	s.kill(&Kill{Gently: true})
}

// SweepStrangers lets go those who have not logged in for so many milliseconds.
// It is called once a second, by any goroutine.
func (s *Server) SweepStrangers(patience int64) {
	if patience == 0 || s.Users.Default.Now().Open() {
		return
	}
	before := s.Millis() - patience
	for _, one := range s.Sessions() {
		if since := one.stranger.Load(); since > 0 && since < before {
			one.Send(theOverdue)
		}
	}
}

// warnInterval is how far apart, in milliseconds, warnings of browsers are.
const warnInterval = 60_000

// warnOfBrowser says that somebody speaks HTTP to the port.
func (s *Server) warnOfBrowser(one *Session) {
	now := s.Millis()
	if last := s.warned.Load(); now-last >= warnInterval && s.warned.CompareAndSwap(last, now) {
		s.Log.Warn("possible SECURITY ATTACK: POST or Host: came where a command was to come, as when a browser is made to send it; link closed",
			"address", one.address)
	}
}

// rates bounds how many links an address may open in a second. What it remembers
// are the addresses of the present second.
type rates struct {
	most   atomic.Int64 // 0: there is no bound
	mu     sync.Mutex   // guards what follows
	second int64
	seen   map[netip.Prefix]int64
}

var errTooFast = resp.Error("ERR too many connections in a second from this address (max-new-connections-per-second)")

// networkBits is the part of an IPv6 address that is one customer's: within it he
// may take as many as he likes.
const networkBits = 64

// allow counts a link of "host:port" at a time, and reports whether it is let in.
func (r *rates) allow(remote string, nanos int64) bool {
	most := r.most.Load()
	at, err := netip.ParseAddrPort(remote)
	if most == 0 || err != nil {
		return true
	}
	ip := at.Addr().Unmap()
	bits := ip.BitLen()
	if ip.Is6() {
		bits = networkBits
	}
	from, _ := ip.Prefix(bits)
	r.mu.Lock()
	defer r.mu.Unlock()
	if second := nanos / 1e9; second != r.second || r.seen == nil {
		r.second, r.seen = second, map[netip.Prefix]int64{}
	}
	r.seen[from]++
	return r.seen[from] <= most
}

// SetRate bounds how many links an address may open in a second; 0 does not.
func (s *Server) SetRate(most int64) { s.rates.most.Store(most) }
