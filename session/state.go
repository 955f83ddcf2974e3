package session

import "github.com/troupedb/troupe/resp"

// What commands that run in the session may ask of it, and change.

// Server is what all sessions share.
func (s *Session) Server() *Server { return s.server }

// Database is the selected one; Select selects another that exists.
func (s *Session) Database() int { return s.db }

// Select selects the database n, which must exist.
func (s *Session) Select(n int) {
	s.db = n
	s.DB.Store(int32(n))
}

// Protocol is 2 or 3.
func (s *Session) Protocol() int { return s.encoder.Proto() }

// SetProtocol changes to RESP2 or RESP3, from the present reply on.
func (s *Session) SetProtocol(n int) {
	s.encoder = resp.V2
	if n == 3 {
		s.encoder = resp.V3
	}
	s.Proto.Store(int32(n))
}

// SetNoTouch is CLIENT NO-TOUCH.
func (s *Session) SetNoTouch(on bool) {
	s.noTouch = on
	s.SetFlag(FlagNoTouch, on)
}

// ReplyOn, ReplyOff and ReplySkip are CLIENT REPLY.
func (s *Session) ReplyOn() { s.reply = replyOn }

// ReplyOff sends no replies until ReplyOn.
func (s *Session) ReplyOff() { s.reply = replyOff }

// ReplySkip sends no reply to the next command.
func (s *Session) ReplySkip() {
	if s.reply != replyOff {
		s.reply = replySkipNext
	}
}

// CloseAfterReply ends the link once the replies so far are out.
func (s *Session) CloseAfterReply() { s.closing = true }

// Waiting is the number of messages in the session's mailbox. Any goroutine may
// ask.
func (s *Session) Waiting() int { return s.mailbox.UserMessageCount() }

// IsLocal reports whether the client is on this machine.
func (p *Public) IsLocal() bool { return p.unix || isLoopback(p.address) }

// Reset is RESET: the session is as new, but for its number.
func (s *Session) Reset() {
	s.endMulti()
	s.dropLock()
	s.server.StopMonitor(s)
	s.Select(0)
	s.SetProtocol(2)
	s.SetNoTouch(false)
	s.SetFlag(FlagNoEvict, false)
	s.ReplyOn()
	empty := ""
	s.Name.Store(&empty)
	s.loginDefault()
	s.endWatches()
	s.endChannels()
	s.Untrack()
}
