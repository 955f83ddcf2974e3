package session

import (
	"fmt"
	"slices"
	"strconv"

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

// feedMonitors shows a command to those who watch all of them.
func (s *Server) feedMonitors(from *Session, row *Command, argv [][]byte) {
	monitors := *s.monitors.Load()
	if len(monitors) == 0 || row.Flags.Has(command.SkipMonitor) || row.Flags.Has(command.Admin) {
		return
	}
	line := monitorLine(from, argv, s.Millis())
	for _, m := range monitors {
		if m.Public.Unsent.Load() > monitorUnsentMax {
			m.send(&Kill{})
			continue
		}
		m.send(&Deliver{Frame: func(int) []byte { return line }})
	}
}

func monitorLine(from *Session, argv [][]byte, now int64) []byte {
	line := fmt.Appendf(nil, "+%d.%06d [%d %s]", now/1000, now%1000*1000, from.db, from.Address())
	for _, arg := range argv {
		line = append(line, ' ')
		line = AppendQuoted(line, arg)
	}
	return append(line, '\r', '\n')
}

// AppendQuoted appends b as Redis quotes text for people (sdscatrepr).
func AppendQuoted(dst, b []byte) []byte {
	dst = append(dst, '"')
	for _, c := range b {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\a':
			dst = append(dst, `\a`...)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c < 32 || c > 126:
			dst = append(dst, `\x`...)
			if c < 16 {
				dst = append(dst, '0')
			}
			dst = strconv.AppendUint(dst, uint64(c), 16)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
