package session

import (
	"math"
	"math/bits"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session/acl"
)

// Stats are the counters that all sessions share. They are read by INFO at
// any time.
type Stats struct {
	Accepted, Rejected atomic.Int64 // links
	Commands           atomic.Int64
	BytesIn, BytesOut  atomic.Int64 // of links that have closed: see Server.Traffic
	// RateLimited are links refused because their address opens too many a
	// second, HandshakesLate those that were too slow to log in or to begin
	// TLS, HandshakesFailed those whose TLS came to nothing in another way.
	RateLimited, HandshakesLate, HandshakesFailed atomic.Int64
	// OutputCut and QueryCut are links closed because they do not read, or
	// because their request is too long.
	OutputCut, QueryCut atomic.Int64
	// Denied counts what was refused for want of rights, by acl.Reason.
	Denied [acl.Reasons]atomic.Int64
	// Slow decides what the slow log takes: commands that ran for at least so
	// many nanoseconds; negative takes none. Log is given them.
	Slow atomic.Int64
	Log  atomic.Pointer[SlowLog]
	// Late and Spike are the same for the latency monitor.
	Late  atomic.Int64
	Spike atomic.Pointer[SpikeLog]

	perCommand []CommandStats
	mu         sync.Mutex
	errors     map[string]int64
}

// SlowLog takes a command that ran long, passwords taken out. The words are
// the caller's again when it returns.
type SlowLog func(s *Session, argv [][]byte, took int64)

// SpikeLog takes a command that ran longer than the latency monitor allows.
type SpikeLog func(ran *command.Meta, took int64)

// CommandStats are one command's counters.
type CommandStats struct {
	Calls, Nanos, Rejected, Failed atomic.Int64
	// Took counts the calls by how long they ran: see BucketBound.
	Took [BucketCount]atomic.Int64
}

// BucketCount is the number of classes of running times: the first is of
// those under 1.024 µs, each other reaches to the double of the one before,
// and the last holds all that took longer.
const BucketCount = 28

// BucketBound is where a class of running times ends, in nanoseconds.
func BucketBound(class int) int64 { return 1024 << class }

func bucketOf(nanos int64) int {
	return min(bits.Len64(uint64(max(nanos, 0))>>10), BucketCount-1)
}

// errorCodesMax bounds the table of error codes.
const errorCodesMax = 128

func (st *Stats) init(commands int) {
	st.perCommand = make([]CommandStats, commands)
	st.errors = map[string]int64{}
	st.Slow.Store(-1)
	st.Late.Store(-1)
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

// Reset sets the counters to zero: see Server.ResetStats.
func (st *Stats) Reset() {
	for i := range st.perCommand {
		c := &st.perCommand[i]
		c.Calls.Store(0)
		c.Nanos.Store(0)
		c.Rejected.Store(0)
		c.Failed.Store(0)
		for class := range c.Took {
			c.Took[class].Store(0)
		}
	}
	for _, n := range []*atomic.Int64{
		&st.Accepted, &st.Rejected, &st.Commands, &st.BytesIn, &st.BytesOut,
		&st.RateLimited, &st.HandshakesLate, &st.HandshakesFailed, &st.OutputCut, &st.QueryCut,
	} {
		n.Store(0)
	}
	for i := range st.Denied {
		st.Denied[i].Store(0)
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

// count counts a command that ran in the session.
func (s *Session) count(row *Command, argv [][]byte, took int64, reply resp.Reply) {
	st := &s.server.Stats
	c := st.Command(row)
	c.add(1, took)
	c.Took[bucketOf(took)].Add(1)
	st.Commands.Add(1)
	if failure := failureOf(reply); failure != "" {
		c.Failed.Add(1)
		st.failed(failure)
	}
	if took >= st.alarm() {
		s.noteSlow(row.Meta, argv, took)
	}
}

func (c *CommandStats) add(calls, nanos int64) {
	c.Calls.Add(calls)
	c.Nanos.Add(nanos)
}

// account counts the commands of an Execute that have run. Equal neighbours,
// as a pipeline mostly has, are counted together.
func (s *Session) account(x *keyspace.Execute) {
	st := &s.server.Stats
	alarm := st.alarm()
	ran := x.Requests[:x.Ran]
	for from := 0; from < len(ran); {
		spec, to := ran[from].Spec, from
		for ; to < len(ran) && ran[to].Spec == spec && ran[to].Refused == ran[from].Refused; to++ {
			q := &ran[to]
			if q.Failure != "" {
				s.countFailure(q)
			}
			if q.Took >= alarm && spec != nil {
				s.noteSlow(&spec.Meta, q.Argv, q.Took)
			}
		}
		switch {
		case spec == nil:
		case ran[from].Refused:
			st.perCommand[spec.ID()].Rejected.Add(int64(to - from))
		default:
			st.perCommand[spec.ID()].addRun(ran[from:to])
			st.Commands.Add(int64(to - from))
		}
		from = to
	}
}

// addRun counts calls of one command. Neighbours in one class of running
// times, as a shard's fast ones are, make one addition.
func (c *CommandStats) addRun(run []keyspace.Request) {
	took, class, n := int64(0), 0, int64(0)
	for i := range run {
		took += run[i].Took
		if k := bucketOf(run[i].Took); k != class {
			c.Took[class].Add(n)
			class, n = k, 0
		}
		n++
	}
	c.Took[class].Add(n)
	c.add(int64(len(run)), took)
}

func (s *Session) countFailure(q *keyspace.Request) {
	s.server.Stats.failed(q.Failure)
	if q.Spec != nil && !q.Refused {
		s.server.Stats.perCommand[q.Spec.ID()].Failed.Add(1)
	}
}

// alarm is the running time, in nanoseconds, from which somebody wants to
// hear of a command.
func (st *Stats) alarm() int64 {
	alarm := int64(math.MaxInt64)
	for _, asked := range [...]int64{st.Slow.Load(), st.Late.Load()} {
		if asked >= 0 {
			alarm = min(alarm, asked)
		}
	}
	return alarm
}

// noteSlow tells the slow log and the latency monitor of a command that may
// concern them.
func (s *Session) noteSlow(ran *command.Meta, argv [][]byte, took int64) {
	st := &s.server.Stats
	if slow, log := st.Slow.Load(), st.Log.Load(); log != nil && slow >= 0 && took >= slow && !ran.Flags.Has(command.SkipSlowlog) {
		(*log)(s, s.server.withoutSecrets(ran, argv), took)
	}
	if late, spike := st.Late.Load(), st.Spike.Load(); spike != nil && late >= 0 && took >= late {
		(*spike)(ran, took)
	}
}

// isLoopback reports whether "host:port" is of this machine.
func isLoopback(address string) bool {
	ap, err := netip.ParseAddrPort(address)
	return err == nil && ap.Addr().Unmap().IsLoopback()
}
