package session

import (
	"slices"
	"sync"

	"github.com/troupedb/troupe/resp"
)

// Later says that the reply of the present command will come by Answer; until
// then the session takes no other command. The command returns what Later
// returns.
func (s *Session) Later() resp.Reply {
	s.later = pendingLater
	return resp.Nothing
}

// pendingLater stands for the command at work, whose row is not known to it.
var pendingLater = &Command{}

// Send hands a message to this session's actor. Any goroutine may call it.
func (s *Session) Send(message any) { s.send(message) }

// answered takes the reply of a command that answers later.
func (s *Session) answered(reply resp.Reply) {
	if s.later == nil {
		return // the link was reset meanwhile
	}
	row := s.later
	s.later = nil
	s.endWait()
	s.answer(row, reply)
	s.proceed()
}

// answeredBytes is answered for a reply that is encoded already.
func (s *Session) answeredBytes(reply func(dst []byte) []byte) {
	if s.later == nil {
		return
	}
	row := s.later
	s.later = nil
	s.endWait()
	b := s.open()
	b.literals = reply(b.literals)
	b.slots = append(b.slots, slot{row: row, n: len(b.literals), mute: s.muted()})
	s.proceed()
}

// What a link is told without having asked is of two kinds. A message is bytes
// that everybody concerned gets (a line of MONITOR). News is that there is
// something to tell; what it is, is asked when the link can carry it, so that a
// link that is behind costs no memory and catches up by the newest state.
//
// Both wait behind the replies under way, so that the reply to a command comes
// before what the command has caused.

// deliver writes an out-of-band message, behind the replies under way.
func (s *Session) deliver(m *Deliver) {
	if s.closing {
		return // nothing follows the last reply
	}
	if s.answering() {
		s.pushes = append(s.pushes, m.Bytes)
		return
	}
	s.writeMessage(m.Bytes)
}

func (s *Session) writeMessage(message []byte) {
	s.undelivered.Add(-int64(len(message)))
	s.writePush(message)
}

// Deliver sends the client a message, which counts as undelivered until it is
// written. Any goroutine may call it.
func (s *Session) Deliver(message []byte) {
	s.undelivered.Add(int64(len(message)))
	s.send(&Deliver{message})
}

// answering reports whether replies are under way. While a command waits for
// something else (later, parked) none are.
func (s *Session) answering() bool { return s.batch != nil && len(s.batch.slots) > 0 }

func (s *Session) writePush(frame []byte) {
	s.link.Write(frame)
	s.Written.Add(int64(len(frame)))
	s.noteUnsent()
}

// teller has news for a link.
type teller interface {
	// tell appends what there is to tell by now; nothing, if there is nothing
	// any more.
	tell(s *Session, dst []byte) []byte
	// wait is told that it will take some time until tell is called.
	wait()
}

// announce has t asked when the link can carry what it has to tell: see outbox.
// A teller is announced at most once at a time.
func (s *Session) announce(t teller) {
	s.news = append(s.news, t)
	switch {
	case !s.canTell():
		s.Unsent.Store(int64(s.link.Unsent())) // small writes leave after they were counted
		t.wait()
	default:
		s.tellSoon()
	}
}

func (s *Session) tellSoon() {
	if !s.telling {
		s.telling = true
		s.server.outboxes.at(s.link.Loop()).add(s)
	}
}

// canTell reports whether the link can carry news: no reply is under way, and
// all that was written before has been taken by the socket. So what a link that
// does not read makes the server hold, beyond the socket's buffers, is what was
// written in one turn: newsPart, or one frame if that is longer.
func (s *Session) canTell() bool { return !s.closing && !s.answering() && s.link.Unsent() == 0 }

// newsPart is how many bytes of news a link is sent in one turn of its loop,
// but for the last frame: so nobody on that loop waits long for others.
const newsPart = 16 << 10

// tellNews is the message that it is time to tell.
type tellNews struct{}

var theTellNews = &tellNews{}

// take implements task.
func (*tellNews) take(s *Session) {
	s.telling = false
	s.flushNews()
}

// newsBuffers are kept for putting news together.
var newsBuffers = sync.Pool{New: func() any { return new([]byte) }}

// flushNews sends a part of the news if the link can carry it. The rest is
// told in the next turn, or when the link can carry it.
func (s *Session) flushNews() {
	if len(s.news) == 0 {
		return
	}
	if s.canTell() {
		s.tellPart()
	}
	switch {
	case len(s.news) == 0:
	case !s.canTell():
		for _, t := range s.news {
			t.wait()
		}
	default:
		s.tellSoon()
	}
}

func (s *Session) tellPart() {
	buffer := newsBuffers.Get().(*[]byte)
	frames := (*buffer)[:0]
	told := 0
	for told < len(s.news) && len(frames) < newsPart {
		told++
		frames = s.news[told-1].tell(s, frames)
	}
	s.news = slices.Delete(s.news, 0, told)
	if len(frames) > 0 {
		s.writePush(frames)
	}
	if *buffer = frames; cap(frames) <= keepMax {
		newsBuffers.Put(buffer)
	}
}

// dropNews takes a teller out of those that wait.
func (s *Session) dropNews(one *watched) {
	if !one.queued {
		return
	}
	one.queued = false
	s.news = slices.DeleteFunc(s.news, func(t teller) bool { return t == teller(one) })
}

// flushPushes writes what waited for replies.
func (s *Session) flushPushes() {
	for i, frame := range s.pushes {
		s.writeMessage(frame)
		s.pushes[i] = nil
	}
	s.pushes = s.pushes[:0]
	s.flushNews()
}

func (s *Session) kill(m *Kill) {
	if m.Slow && !s.closing {
		s.server.Stats.OutputCut.Add(1)
		s.server.Log.Warn("link closed: it does not read what it is sent (client-output-buffer-limit)", "session", s.id,
			"address", s.address, "unread", s.Unsent.Load()+s.undelivered.Load())
	}
	s.closing, s.stopping = true, m.Stopping
	switch {
	case !m.Gently:
		s.link.Close()
	case s.batch != nil && s.batch.pending > 0 && s.Flags.Load()&FlagBlocked == 0:
		// What is under way ends soon, and rest closes the link behind its replies.
	default:
		s.flushOutput()
		s.takeLeave()
	}
}
