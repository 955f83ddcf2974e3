package session

import (
	"github.com/troupedb/troupe/subscription"
)

// The hub puts what it has for a link into an inbox, from any goroutine; the
// session takes it out as it does news of live queries: behind the replies under
// way, as much as the link can carry. What a link that does not read has not
// taken stays in the inbox, in texts that it shares with others, until that is
// too much.

// mail is the session as the Outlet of its inbox.
type mail Session

var _ subscription.Outlet = (*mail)(nil)

// inbox is the session's, made at its first use. Any goroutine may ask for it.
func (s *Session) inbox() *subscription.Inbox {
	if have := s.channels.inbox.Load(); have != nil {
		return have
	}
	s.channels.inbox.CompareAndSwap(nil, subscription.NewInbox((*mail)(s)))
	return s.channels.inbox.Load()
}

// Loop, Post, Unsent and Overrun implement subscription.Outlet.
func (m *mail) Loop() int        { return m.link.Loop() }
func (m *mail) Post(task func()) { m.link.Post(task) }
func (m *mail) Unsent() int64    { return m.Public.Unsent.Load() }
func (m *mail) Overrun()         { m.send(&Kill{Slow: true}) }

// News implements subscription.Outlet: the explicit call, from the loop itself,
// that may run the session inline.
func (m *mail) News() { m.mailbox.Deliver(theMail) }

// mailArrived is the message that something is in the inbox.
type mailArrived struct{}

var theMail = &mailArrived{}

// take implements task.
func (*mailArrived) take(s *Session) {
	if !s.closing && s.hasMail() {
		s.announceMail()
	}
}

func (s *Session) announceMail() {
	if !s.mailing {
		s.mailing = true
		s.announce((*mailTeller)(s))
	}
}

// mailTeller is the session as the one who tells what is in its inbox.
type mailTeller Session

// tell implements teller: a part of what waits.
func (m *mailTeller) tell(s *Session, dst []byte) []byte {
	s.mailing = false
	dst, more := s.inbox().Take(dst, s.mailProtocol(), newsPart)
	if more {
		s.mailing = true
		s.news = append(s.news, m)
	}
	return dst
}

// wait implements teller: the texts wait where they are.
func (*mailTeller) wait() {}

func (s *Session) mailProtocol() subscription.Protocol {
	return subscription.Protocol{Version: s.encoder.Proto(), Subscriber: s.Flags.Load()&FlagPubSub != 0}
}

func (s *Session) hasMail() bool {
	inbox := s.channels.inbox.Load()
	return inbox != nil && inbox.Waiting()
}

// allMail is a bound that no inbox reaches.
const allMail = 1 << 62

// tellMailNow puts all that is in the inbox among the replies under way, so that
// what follows comes behind it.
func (s *Session) tellMailNow() {
	if !s.hasMail() {
		return
	}
	b := s.open()
	before := len(b.literals)
	b.literals, _ = s.inbox().Take(b.literals, s.mailProtocol(), allMail)
	if len(b.literals) > before {
		b.slots = append(b.slots, slot{n: len(b.literals)})
	}
}

// mailFirst tells what was in the inbox before the commands that have just come:
// their replies tell the client that it has heard of all that happened before.
func (s *Session) mailFirst() {
	if s.hasMail() && !s.answering() && !s.closing {
		if text, _ := s.inbox().Take(nil, s.mailProtocol(), allMail); len(text) > 0 {
			s.writePush(text)
		}
	}
}

// leaveHub ends all that the session has with the hub.
func (s *Session) leaveHub() {
	s.Untrack()
	if inbox := s.channels.inbox.Load(); inbox != nil {
		inbox.Close()
		s.endChannels()
	}
}
