package actors

import (
	"time"

	"github.com/troupedb/troupe/session"
)

// Stop is how a client has asked the server to stop.
type Stop struct {
	// Now does not wait for the commands that are under way.
	Now bool
	// Save has the RDB file written at the end, NoSave has it not written; without
	// either it is if it is written by itself at times.
	Save, NoSave bool
	// Force stops though that fails. Otherwise Refused, if set, is called, and the
	// server goes on.
	Force   bool
	Refused func()
}

// AskToStop hands the wish to whoever runs the server, and returns at once.
func (s *System) AskToStop(how Stop) {
	select {
	case s.Asked <- how:
	default: // it has been asked already
	}
}

// Saves reports whether such a stop writes the RDB file.
func (s *System) Saves(how Stop) bool {
	return s.Store != nil && !how.NoSave && (how.Save || s.Store.SavesAtEnd())
}

// SaveAtEnd writes the RDB file if it is to be: before a stop, which does not
// happen if that fails, and again when nothing changes any more, if something has
// changed since.
func (s *System) SaveAtEnd(how Stop) error {
	if !s.Saves(how) || s.savedAtEnd && s.Store.Status().Changes == 0 {
		return nil
	}
	s.options.Log.Info("saving before the end")
	err := s.Store.SaveNow()
	s.savedAtEnd = err == nil
	return err
}

// drainInterval is how often Shutdown looks whether all links have gone.
const drainInterval = 2 * time.Millisecond

// Drain ends all conversations in good order: nobody new is let in, commands
// under way finish, their replies leave, then the links close. Clients that
// wait for something that may never come are let go at once. It returns when
// all links have gone or the time is up, and says which.
func (s *System) Drain(patience time.Duration) (complete bool) {
	s.mu.Lock()
	s.transport.StopListening()
	s.Scripts.EndBusy()
	s.addresses = nil
	s.mu.Unlock()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	ticker := time.NewTicker(drainInterval)
	defer ticker.Stop()
	told := map[uint64]bool{}
	for {
		for _, one := range s.Server.Sessions() { // one accepted a moment ago comes late
			if !told[one.ID()] {
				told[one.ID()] = true
				one.Send(&session.Kill{Gently: true, Stopping: true})
			}
		}
		if s.Server.Connected() == 0 {
			return true
		}
		select {
		case <-deadline.C:
			return false
		case <-ticker.C:
		}
	}
}
