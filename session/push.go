package session

import (
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

// deliver writes an out-of-band message, behind the replies under way.
func (s *Session) deliver(m *Deliver) {
	frame := m.Frame(s.encoder.Proto())
	if s.busy() {
		s.pushes = append(s.pushes, frame)
		return
	}
	s.link.Write(frame)
	s.Written.Add(int64(len(frame)))
	s.Unsent.Store(int64(s.link.Unsent()))
}

// flushPushes writes the messages that waited for replies.
func (s *Session) flushPushes() {
	for i, frame := range s.pushes {
		s.link.Write(frame)
		s.Written.Add(int64(len(frame)))
		s.pushes[i] = nil
	}
	s.pushes = s.pushes[:0]
}

func (s *Session) kill(m *Kill) {
	s.closing = true
	switch {
	case !m.Gently:
		s.link.Close()
	case s.batch != nil && s.batch.pending > 0 && s.Flags.Load()&FlagBlocked == 0:
		// What is under way ends soon, and rest closes the link behind its replies.
	default:
		s.flushOutput()
		s.link.CloseAfterWrites()
	}
}
