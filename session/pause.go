package session

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/resp/command"
)

// pause is CLIENT PAUSE: until when which commands wait. The sessions that
// wait are told when it ends.
type pause struct {
	until  atomic.Int64 // Unix milliseconds of the machine's clock; 0: none
	all    atomic.Bool  // all commands, not only writes
	mu     sync.Mutex
	parked map[*Session]struct{}
	timer  *time.Timer
}

// Pause makes commands wait for d: all of them, or those that may write. A
// longer or stricter pause that is in force stays.
func (s *Server) Pause(d time.Duration, all bool) {
	p := &s.pause
	p.mu.Lock()
	defer p.mu.Unlock()
	until := time.Now().Add(d).UnixMilli()
	if until < p.until.Load() {
		until = p.until.Load()
	}
	p.all.Store(all || p.until.Load() > 0 && p.all.Load())
	p.until.Store(until)
	if p.timer != nil {
		p.timer.Stop()
	}
	p.timer = time.AfterFunc(time.Until(time.UnixMilli(until)), s.Unpause)
}

// Unpause ends a pause.
func (s *Server) Unpause() {
	p := &s.pause
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until.Store(0)
	p.all.Store(false)
	p.release()
}

// goOn lets the commands go on that wait, or wait again if they have to.
func (s *Server) goOn() {
	p := &s.pause
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release()
}

func (p *pause) release() {
	for one := range p.parked {
		one.send(&Unpaused{})
	}
	p.parked = nil
}

// mustPause reports whether the command has to wait. As in Redis, nothing that
// runs is exempt from a pause of all commands, not even what would end it; and
// a command waits before MULTI queues it, not after.
func (s *Session) mustPause(row *Command) bool {
	p := &s.server.pause
	if p.until.Load() == 0 {
		return s.server.isFull() && s.mayWrite(row)
	}
	return p.all.Load() || s.mayWrite(row)
}

func (s *Session) mayWrite(row *Command) bool {
	return s.writes(row) || row.Flags.Has(command.MayReplicate)
}

// isFull reports whether commands that write wait for room, on disk or in memory.
func (s *Server) isFull() bool {
	c := s.Condition()
	return c.waits()
}

func (m *Multi) writes() bool {
	if m == nil {
		return false
	}
	for i := range m.queued {
		if m.queued[i].row.Flags.Has(command.Write) {
			return true
		}
	}
	return false
}

// park holds a command until the pause ends, or there is room for what it writes.
func (s *Session) park(argv [][]byte) {
	p := &s.server.pause
	p.mu.Lock()
	defer p.mu.Unlock()
	s.held, s.parked = argv, true
	if p.until.Load() == 0 && !s.server.isFull() { // it has just ended
		s.send(&Unpaused{})
		return
	}
	if p.parked == nil {
		p.parked = map[*Session]struct{}{}
	}
	p.parked[s] = struct{}{}
	s.SetFlag(FlagBlocked, true)
}

func (s *Session) unpaused() {
	s.SetFlag(FlagBlocked, false)
	s.parked = false
	s.proceed()
}
