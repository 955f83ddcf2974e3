package session

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// outbox is the sessions of one event loop that have news and may tell it. Of
// many watchers of several queries over one key each has news several times in
// a row, a little apart: waiting for the rest, and telling all in one write,
// takes half the work off the server and its clients.
//
// It is meant for its loop's own sessions, but as links change loops it may be
// emptied by another, which then hands the sessions on.
type outbox struct {
	run func() // flush, made once

	mu    sync.Mutex // guards what follows
	queue []newsmonger
	lead  *Session   // on whose loop it is emptied; nil: nobody is asked to
	part  []*Session // being told; belongs to whoever flushes
}

// newsmonger is a session that has news since a time, Server.Nanos.
type newsmonger struct {
	session *Session
	since   int64
}

// Nobody waits for more news in an outbox with fewer sessions than newsMany.
// In one with more each does for so long as newsPatience times their number, a
// part of the time that it takes to tell them all.
const (
	newsMany     = 32
	newsPatience = time.Microsecond
	patienceMax  = time.Millisecond
)

// newsSessions is how many sessions tell their news in one turn of a loop.
const newsSessions = 256

// add has the session tell its news soon. It is called on its loop.
func (b *outbox) add(s *Session) {
	now := s.server.Nanos()
	b.mu.Lock()
	b.queue = append(b.queue, newsmonger{s, now})
	ask := b.lead == nil
	if ask {
		b.lead = s
	}
	b.mu.Unlock()
	if ask {
		s.link.Post(b.run)
	}
}

// flush has a part of the sessions tell. It runs on the loop of the lead, one
// call at a time.
func (b *outbox) flush() {
	b.mu.Lock()
	lead := b.lead
	b.take(lead.server.Nanos())
	b.mu.Unlock()
	loop := lead.link.Loop()
	for i, s := range b.part {
		if s.link.Loop() == loop {
			s.mailbox.Deliver(theTellNews)
		} else {
			s.link.Post(func() { s.mailbox.Deliver(theTellNews) })
		}
		b.part[i] = nil
	}
	b.part = b.part[:0]
	b.mu.Lock()
	more := len(b.queue) > 0
	if !more {
		b.lead = nil
	}
	b.mu.Unlock()
	if more {
		lead.link.Post(b.run)
	}
}

// take moves those to part who have waited for long enough, in their order.
// The caller holds the lock.
func (b *outbox) take(now int64) {
	patience := int64(0)
	if n := len(b.queue); n >= newsMany {
		patience = int64(min(time.Duration(n)*newsPatience, patienceMax))
	}
	n := 0
	for n < min(len(b.queue), newsSessions) && now-b.queue[n].since >= patience {
		b.part = append(b.part, b.queue[n].session)
		n++
	}
	b.queue = slices.Delete(b.queue, 0, n)
}

// outboxes are those of all loops, by their numbers.
type outboxes struct {
	mu  sync.Mutex
	all atomic.Pointer[[]*outbox]
}

// at is the outbox of a loop.
func (o *outboxes) at(loop int) *outbox {
	if all := o.all.Load(); all != nil && loop < len(*all) {
		return (*all)[loop]
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var grown []*outbox
	if all := o.all.Load(); all != nil {
		grown = append(grown, *all...)
	}
	for len(grown) <= loop {
		b := &outbox{}
		b.run = b.flush
		grown = append(grown, b)
	}
	o.all.Store(&grown)
	return grown[loop]
}
