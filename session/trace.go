package session

import "time"

// Tracer is told the ways of some batches of commands.
type Tracer interface {
	// Chosen reports whether the batch that begins is to be followed. It is asked
	// for each, by any goroutine.
	Chosen() bool
	// Tell takes a way that is complete, and returns at once.
	Tell(t *Trace)
}

// Trace is the way of one batch: what a client sent at once, from the session to
// the shards and back. It has no keys and no values.
type Trace struct {
	Session  uint64
	Commands []string // their names, at most traceNames; in capitals
	Count    int      // of the commands
	Begin    time.Time
	End      time.Time // when all replies were there
	Steps    []TraceStep
}

// TraceStep is a message to shards, with commands.
type TraceStep struct {
	Shards   []int
	Commands int
	// When it was sent, and when its commands began and had run; Began is zero
	// if they have not.
	Sent, Began, Ended time.Time
}

// traceNames is how many commands are named.
const traceNames = 16

// SetTracer has a tracer told of the batches from here on; nil: none.
func (s *Server) SetTracer(t Tracer) {
	if t == nil {
		s.tracer.Store(nil)
		return
	}
	s.tracer.Store(&t)
}

// follow begins to follow the batch, which is about to be posted, if it is chosen.
func (s *Session) follow(t Tracer) {
	b := s.batch
	if len(b.execs) == 0 || !t.Chosen() {
		return
	}
	b.trace = &Trace{Session: s.id, Begin: time.Now(), Count: len(b.slots)}
	for i := 0; i < len(b.slots) && i < traceNames; i++ {
		if row := b.slots[i].row; row != nil {
			b.trace.Commands = append(b.trace.Commands, row.Name)
		}
	}
}

// tellTrace tells the tracer of the batch, whose replies are all there.
func (s *Session) tellTrace() {
	b := s.batch
	t := b.trace
	t.End = time.Now()
	nanos := s.server.Node.Nanos()
	at := func(then int64) time.Time { return t.End.Add(time.Duration(then - nanos)) }
	for _, x := range b.execs {
		step := TraceStep{Shards: append([]int(nil), x.Shards...), Commands: x.Ran, Sent: t.Begin}
		if x.Began > 0 {
			step.Began, step.Ended = at(x.Began), at(max(x.Began, x.Ended))
		}
		t.Steps = append(t.Steps, step)
	}
	if tracer := s.server.tracer.Load(); tracer != nil {
		(*tracer).Tell(t)
	}
}
