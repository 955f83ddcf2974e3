package session

import (
	"fmt"

	"github.com/troupedb/troupe/resp/command"
)

// AppendInfo describes the link to asking, in a line as CLIENT LIST has it; asked
// is the command by which it is asked for. What a session keeps in its
// transport's buffers is not known to others, so the fields for them, which
// clients expect, are zero. Any goroutine may call it.
func (s *Session) AppendInfo(dst []byte, asking *Session, asked *command.Meta) []byte {
	now := s.server.Millis()
	idle, last := (now-s.Used.Load())/1000, s.Last.Load()
	if s == asking {
		idle, last = 0, asked
	}
	name := "NULL"
	if last != nil {
		name = last.Lower()
	}
	unsent := s.Unsent.Load()
	queued, events := 0, "r"
	if unsent > 0 {
		queued, events = 1, "rw"
	}
	patterns := s.Patterns.Load()
	dst = fmt.Appendf(dst, "id=%d addr=%s laddr=%s fd=%d name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d ssub=%d multi=%d watch=%d",
		s.ID(), s.Address(), s.LocalAddress(), s.FD(), *s.Name.Load(), max(now-s.Born, 0)/1000, max(idle, 0),
		s.flagLetters(), s.DB.Load(), s.Channels.Load()-patterns, patterns, s.ShardChannels.Load(), s.Queued.Load(), s.Locks.Load())
	return fmt.Appendf(dst, " qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=%d omem=%d tot-mem=%d events=%s cmd=%s user=%s "+
		"redir=%d resp=%d lib-name=%s lib-ver=%s live=%d live-bytes=%d",
		queued, unsent, s.Memory(), events, name, *s.User.Load(), s.Redirect.Load(), s.Proto.Load(), *s.LibName.Load(), *s.LibVer.Load(), s.Watching.Load(), s.Told.Load())
}

// flagLetters are the session's flags in Redis's letters.
func (p *Public) flagLetters() string {
	var letters []byte
	flags := p.Flags.Load()
	for _, f := range []struct {
		flag   uint32
		letter byte
	}{
		{FlagMonitor, 'O'}, {FlagPubSub, 'P'}, {FlagMulti, 'x'}, {FlagBlocked, 'b'},
		{FlagTracking, 't'}, {FlagBrokenRedirect, 'R'}, {FlagBroadcast, 'B'},
		{FlagDirty, 'd'}, {FlagNoEvict, 'e'}, {FlagNoTouch, 'T'},
	} {
		if flags&f.flag != 0 {
			letters = append(letters, f.letter)
		}
	}
	if p.Unix() {
		letters = append(letters, 'U')
	}
	if len(letters) == 0 {
		return "N"
	}
	return string(letters)
}
