package session

import (
	"sync/atomic"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Condition is what keeps a server from running every command. The zero
// Condition keeps none.
type Condition struct {
	// Busy is the answer to commands that may not run beside a script which takes
	// long, Loading that to those which may not while data are loaded, and Writes
	// that to those which write while what they do could not be kept. Of no kind:
	// they may.
	Busy, Loading, Writes resp.Reply
	// Full makes commands that write wait, as more is on its way to the disk than
	// may be; Short likewise, as more memory is used than may be and keys go.
	Full, Short bool
}

// waits reports whether commands that write wait.
func (c *Condition) waits() bool { return c.Full || c.Short }

func (c *Condition) isNone() bool {
	return c.Busy.Kind() == resp.None && c.Loading.Kind() == resp.None && c.Writes.Kind() == resp.None && !c.waits()
}

// condition is the present one: nil if it keeps no command from running.
type condition struct{ atomic.Pointer[Condition] }

// Condition is the present one.
func (s *Server) Condition() Condition {
	if c := s.condition.Load(); c != nil {
		return *c
	}
	return Condition{}
}

// SetCondition changes it. change may be called more than once.
func (s *Server) SetCondition(change func(*Condition)) {
	for {
		before := s.condition.Load()
		var after Condition
		if before != nil {
			after = *before
		}
		change(&after)
		next := &after
		if next.isNone() {
			next = nil
		}
		if s.condition.CompareAndSwap(before, next) {
			if before != nil && before.waits() && !after.waits() {
				s.goOn()
			}
			return
		}
	}
}

// refuseWrite is the answer to a command that may not write in this condition.
func (c *Condition) refuseWrite(s *Session, row *Command) resp.Reply {
	if c != nil && c.Writes.Kind() != resp.None && (s.writes(row) || row.Flags.Has(command.TellsHealth)) {
		return c.Writes
	}
	return resp.Nothing
}

// refuseNow is the answer to a command that may not run at all.
func (c *Condition) refuseNow(row *Command) resp.Reply {
	switch {
	case c == nil:
	case c.Loading.Kind() != resp.None && !row.Flags.Has(command.Loading):
		return c.Loading
	case c.Busy.Kind() != resp.None && !row.Flags.Has(command.AllowBusy):
		return c.Busy
	}
	return resp.Nothing
}

// writes reports whether a command changes data, or a transaction that it runs.
func (s *Session) writes(row *Command) bool {
	return row.Flags.Has(command.Write) || row.Flags.Has(command.Executes) && s.multi.writes()
}
