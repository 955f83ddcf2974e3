package session

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Wait is a command that waits for something outside of its session. It is
// answered once, by whoever is first: what it waits for, its timeout, or
// CLIENT UNBLOCK. The end of the link ends it unanswered.
type Wait struct {
	session *Session
	claimed atomic.Bool
	timeout resp.Reply
	timer   *time.Timer
	waiter  *keyspace.Waiter // of a command that waits in shards: it is claimed there
}

// errUnblocked is the answer to a command that CLIENT UNBLOCK has ended with
// an error.
var errUnblocked = resp.Error("UNBLOCKED client unblocked via CLIENT UNBLOCK")

// The answers to a time to wait that is none.
var (
	errTimeout         = resp.Error("ERR timeout is not an integer or out of range")
	errTimeoutNegative = resp.Error("ERR timeout is negative")
)

// ReadTimeout reads a time to wait, in milliseconds.
func ReadTimeout(a *command.Args) time.Duration {
	ms := a.IntOr(errTimeout)
	if ms < 0 {
		a.Fail(errTimeoutNegative)
	}
	return time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}

// Wait makes the present command wait: it returns what Later returns, and is
// answered with timeout when d has passed, never if d is 0. It must not be
// called in a running transaction: see InExec.
func (s *Session) Wait(d time.Duration, timeout resp.Reply) *Wait {
	w := &Wait{session: s, timeout: timeout}
	s.Later()
	w.begin(d)
	return w
}

// waitFor makes a command wait that has found nothing in its shards.
func (s *Session) waitFor(row *Command, waiter *keyspace.Waiter) {
	s.later = row
	w := &Wait{session: s, timeout: waiter.TimedOut, waiter: waiter}
	w.begin(time.Duration(min(waiter.Millis, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond)
	if early := s.early; early != nil {
		s.early = nil
		s.send(early)
	}
}

// begin lets the session wait, for d unless that is 0.
func (w *Wait) begin(d time.Duration) {
	w.session.wait.Store(w)
	w.session.SetFlag(FlagBlocked, true)
	switch {
	case w.session.alone:
		w.session.link.Close()
	case w.session.abandoned:
		w.Answer(errUnblocked)
	}
	if d > 0 {
		w.timer = time.AfterFunc(d, func() { w.Answer(w.timeout) })
	}
}

// Served is called by a shard, on any goroutine.
func (s *Session) Served(waiter *keyspace.Waiter, reply []byte) { s.send(&served{waiter, reply}) }

// served takes the reply of a command that has waited in shards. It may come
// before the session has seen that the command waits.
func (s *Session) served(m *served) {
	if w := s.wait.Load(); w == nil || w.waiter != m.waiter {
		s.early = m
		return
	}
	s.answeredBytes(func(dst []byte) []byte { return append(dst, m.reply...) })
}

// Elsewhere answers the present command with what work returns, from a
// goroutine of its own: for what takes too long for an event loop and concerns
// no key. Work may use the command's words, and nothing of the session. In a
// running transaction, which must be answered at once, it is done here.
func (s *Session) Elsewhere(work func() resp.Reply) resp.Reply {
	if s.inExec {
		return work()
	}
	reply := s.Later()
	go func() {
		defer s.failed()
		s.Send(&Answer{Reply: work()})
	}()
	return reply
}

// Away is Elsewhere for work that talks to other servers and comes back to the
// shards. It is told by ctx when it should come to its end.
func (s *Session) Away(work func(ctx context.Context) resp.Reply) resp.Reply {
	server := s.server
	server.away.Add(1)
	return s.Elsewhere(func() resp.Reply {
		defer server.away.Done()
		return work(server.ending)
	})
}

// Recall ends what is away, and returns when it has come back. No session may
// be at work any more; the shards must be.
func (s *Server) Recall() {
	s.end()
	s.away.Wait()
}

// failed ends the link of a session whose work elsewhere has panicked, as a
// panic in its own turn does.
func (s *Session) failed() {
	if reason := recover(); reason != nil {
		s.server.Log.Error("session crashed", "session", s.id, "reason", reason)
		s.Send(&Kill{})
	}
}

// Claim reports whether the command has not been answered yet; if so, the
// caller has to do it, with Session.Send of an Answer. Any goroutine may call
// it.
func (w *Wait) Claim() (first bool) {
	if w.waiter != nil {
		return w.waiter.Claim()
	}
	return w.claimed.CompareAndSwap(false, true)
}

// Answer gives the command its reply, unless it has one. Any goroutine may
// call it.
func (w *Wait) Answer(reply resp.Reply) (first bool) {
	if first = w.Claim(); first {
		w.session.Send(&Answer{Reply: reply})
	}
	return first
}

// Unblock ends what the session waits for, as if its time were up or with an
// error, and reports whether it did wait. Any goroutine may call it.
func (s *Session) Unblock(withError bool) bool {
	w := s.wait.Load()
	switch {
	case w == nil:
		return false
	case withError:
		return w.Answer(errUnblocked)
	}
	return w.Answer(w.timeout)
}

// peerLeft gives up what the session waits for, or would wait for later: nobody
// is there to hear of it.
func (s *Session) peerLeft() {
	s.alone = true
	if s.wait.Load() != nil {
		s.link.Close()
	}
}

// endWait forgets what the session has waited for.
func (s *Session) endWait() {
	w := s.wait.Swap(nil)
	if w == nil {
		return
	}
	w.Claim()
	if w.timer != nil {
		w.timer.Stop()
	}
	s.SetFlag(FlagBlocked, false)
	if w.waiter != nil {
		s.leaveLines(w.waiter)
	}
}

// leaveLines takes a waiter out of the shards that it still stands in line in;
// nobody waits for that.
func (s *Session) leaveLines(waiter *keyspace.Waiter) {
	x := &keyspace.Execute{Encoder: resp.V2}
	waiter.EachKey(func(key []byte) { x.Visit(s.server.Node.ShardOf(key)) })
	x.Requests = []keyspace.Request{{Do: func(tx *keyspace.Tx) resp.Reply {
		waiter.Leave(tx)
		return resp.OK
	}}}
	s.server.Node.Post(x, keyspace.Nobody{})
}
