package session

import "github.com/troupedb/troupe/resp"

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
	s.push(m.Frame(s.encoder.Proto()), nil)
}

// push is an out-of-band message. Its watcher, if it has one, is told when it
// has left.
type push struct {
	bytes   []byte
	watcher taker
}

// taker is told that its push has left the server.
type taker interface{ Taken() }

func (s *Session) push(frame []byte, w taker) {
	if s.closing {
		return // nothing follows the last reply
	}
	if s.busy() {
		s.pushes = append(s.pushes, push{frame, w})
		return
	}
	s.writePush(frame, w)
}

func (s *Session) writePush(frame []byte, w taker) {
	s.link.Write(frame)
	s.Written.Add(int64(len(frame)))
	unsent := s.link.Unsent()
	s.Unsent.Store(int64(unsent))
	switch {
	case w == nil:
	case unsent > 0:
		s.inFlight = append(s.inFlight, w)
	default:
		w.Taken()
	}
}

// landed tells the watchers whose pushes the socket has taken now.
func (s *Session) landed() {
	for i, w := range s.inFlight {
		w.Taken()
		s.inFlight[i] = nil
	}
	s.inFlight = s.inFlight[:0]
}

// flushPushes writes the messages that waited for replies.
func (s *Session) flushPushes() {
	for i, p := range s.pushes {
		s.writePush(p.bytes, p.watcher)
		s.pushes[i] = push{}
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
