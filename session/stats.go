package session

import (
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Stats are the counters that all sessions share. They are read by INFO at
// any time.
type Stats struct {
	Accepted, Rejected atomic.Int64 // links
	Commands           atomic.Int64
	BytesIn, BytesOut  atomic.Int64
	// Slow decides what the slow log takes: commands that ran for at least so
	// many nanoseconds; negative takes none. Log is given them.
	Slow atomic.Int64
	Log  atomic.Pointer[SlowLog]

	perCommand []CommandStats
	mu         sync.Mutex
	errors     map[string]int64
}

// SlowLog takes a command that ran long.
type SlowLog func(s *Session, argv [][]byte, took int64)

// CommandStats are one command's counters.
type CommandStats struct {
	Calls, Nanos, Rejected, Failed atomic.Int64
}

// errorCodesMax bounds the table of error codes.
const errorCodesMax = 128

func (st *Stats) init(commands int) {
	st.perCommand = make([]CommandStats, commands)
	st.errors = map[string]int64{}
	st.Slow.Store(-1)
}

// Command is the counters of a row of the catalogue.
func (st *Stats) Command(row *Command) *CommandStats { return &st.perCommand[row.ID()] }

// Errors are the errors answered so far, by code.
func (st *Stats) Errors() map[string]int64 {
	st.mu.Lock()
	defer st.mu.Unlock()
	byCode := make(map[string]int64, len(st.errors))
	for code, n := range st.errors {
		byCode[code] = n
	}
	return byCode
}

// Reset is CONFIG RESETSTAT.
func (st *Stats) Reset() {
	for i := range st.perCommand {
		c := &st.perCommand[i]
		c.Calls.Store(0)
		c.Nanos.Store(0)
		c.Rejected.Store(0)
		c.Failed.Store(0)
	}
	for _, n := range []*atomic.Int64{&st.Accepted, &st.Rejected, &st.Commands, &st.BytesIn, &st.BytesOut} {
		n.Store(0)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	clear(st.errors)
}

func (st *Stats) failed(code string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if _, known := st.errors[code]; known || len(st.errors) < errorCodesMax {
		st.errors[code]++
	}
}

// refused counts a command that was not run.
func (s *Server) refused(row *Command, why resp.Reply) {
	if row != nil {
		s.Stats.Command(row).Rejected.Add(1)
	}
	s.Stats.failed(failureOf(why))
}

// count counts a command that ran in a session.
func (s *Server) count(row *Command, took int64, failure string) {
	c := s.Stats.Command(row)
	c.Calls.Add(1)
	c.Nanos.Add(took)
	s.Stats.Commands.Add(1)
	if failure != "" {
		c.Failed.Add(1)
		s.Stats.failed(failure)
	}
}

// account counts the commands of an Execute that have run. Equal neighbours,
// as a pipeline mostly has, are counted together.
func (s *Session) account(x *keyspace.Execute) {
	st := &s.server.Stats
	slow := st.Slow.Load()
	ran := x.Requests[:x.Ran]
	for from := 0; from < len(ran); {
		spec, took, to := ran[from].Spec, int64(0), from
		for ; to < len(ran) && ran[to].Spec == spec; to++ {
			q := &ran[to]
			took += q.Took
			if q.Failure != "" {
				s.countFailure(q)
			}
			if slow >= 0 && q.Took >= slow && spec != nil {
				s.logSlow(q)
			}
		}
		if spec != nil {
			c := &st.perCommand[spec.ID()]
			c.Calls.Add(int64(to - from))
			c.Nanos.Add(took)
			st.Commands.Add(int64(to - from))
		}
		from = to
	}
}

func (s *Session) countFailure(q *keyspace.Request) {
	s.server.Stats.failed(q.Failure)
	if q.Spec != nil {
		s.server.Stats.perCommand[q.Spec.ID()].Failed.Add(1)
	}
}

func (s *Session) logSlow(q *keyspace.Request) {
	if log := s.server.Stats.Log.Load(); log != nil {
		(*log)(s, q.Argv, q.Took)
	}
}

// isLoopback reports whether "host:port" is of this machine.
func isLoopback(address string) bool {
	ap, err := netip.ParseAddrPort(address)
	return err == nil && ap.Addr().Unmap().IsLoopback()
}
