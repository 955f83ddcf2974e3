package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// StartMonitor shows the session every command from here on.
func (s *Server) StartMonitor(one *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := *s.monitors.Load()
	if !slices.Contains(old, one) {
		all := append(slices.Clone(old), one)
		s.monitors.Store(&all)
		one.SetFlag(FlagMonitor, true)
	}
}

// StopMonitor ends StartMonitor.
func (s *Server) StopMonitor(one *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := *s.monitors.Load(); slices.Contains(old, one) {
		all := slices.DeleteFunc(slices.Clone(old), func(m *Session) bool { return m == one })
		s.monitors.Store(&all)
		one.SetFlag(FlagMonitor, false)
	}
}

// monitorUnsentMax bounds, in bytes, what may wait for a monitor that does
// not read: its link is closed then.
const monitorUnsentMax = 8 << 20

// feedMonitors shows a command to those who watch all of them: one of the
// session when it has run, with the database that is selected then, as in
// Redis; one for the shards when it is sent to them. A transaction is shown when
// it has run, as its EXEC is part of it: see feedTransaction.
func (s *Server) feedMonitors(from *Session, row *Command, argv [][]byte) {
	if len(*s.monitors.Load()) > 0 && !(row.Flags.Has(command.Executes) && from.batch.following != nil) {
		s.feed(from, row.Meta, argv, from.db)
	}
}

// feedTransaction shows the commands of a transaction that has run, and its EXEC
// behind them; of one that was refused, EXEC alone.
func (s *Server) feedTransaction(from *Session, m *Multi, refused bool) {
	if len(*s.monitors.Load()) == 0 {
		return
	}
	db := from.db
	for i := 0; i < len(m.queued) && !refused; i++ {
		q := &m.queued[i]
		if q.row.Flags.Has(command.Selects) {
			db = selected(q.argv[1], db, s.Databases)
		}
		s.feed(from, q.row.Meta, q.argv, db)
	}
	s.feed(from, m.exec.Meta(), m.exec.Argv(), db)
}

// feed sends a line to all monitors. Administration is not shown.
func (s *Server) feed(from *Session, what *command.Meta, argv [][]byte, db int) {
	if what.Flags.Has(command.SkipMonitor) || what.Flags.Has(command.Admin) {
		return
	}
	now := s.Micros()
	line := fmt.Appendf(nil, "+%d.%06d [%d %s]", now/1e6, now%1e6, db, from.monitorAddress())
	for _, arg := range s.withoutSecrets(what, argv) {
		line = resp.AppendQuoted(append(line, ' '), string(arg))
	}
	line = append(line, '\r', '\n')
	for _, m := range *s.monitors.Load() {
		if m.Public.Unsent.Load()+m.undelivered.Load() > monitorUnsentMax {
			m.send(&Kill{Slow: true})
			continue
		}
		m.Deliver(line)
	}
}

// monitorAddress is where a client is, in MONITOR's words.
func (p *Public) monitorAddress() string {
	if p.unix {
		return "unix:" + strings.TrimSuffix(p.address, ":0")
	}
	return p.address
}
