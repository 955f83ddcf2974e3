package session

import (
	"sync"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// What one read may set going before it is answered. Together with the bound
// on unsent output it bounds what a link can make the server hold.
const (
	batchMax = 1024      // commands
	outMax   = 256 << 10 // bytes of replies a shard encodes before it waits for the link
)

// loadMax is how much of a batch, or of a transaction, an event loop may run
// itself; a worker runs the rest, so that the loop's other links need not wait.
// What counts is the number of commands, and of the words that a command has
// beyond wordsFree: in a large keyspace each may be a key, which takes as long as
// a command. That is 0.7 µs where memory is slow, and in all well under a
// millisecond.
const (
	loadMax   = batchMax
	wordsFree = 6
)

// scriptWeight is what a script weighs more than other commands do, which
// bounds how many one goroutine runs for others.
const scriptWeight = 15

// batch is the commands of one read that are not answered yet: for each a
// slot, in the order of the requests, and one Execute for each shard that
// they concern. Commands of different shards may run at once, as each concerns
// one shard only; what concerns several shards collects them, together with
// whatever follows it in the batch.
type batch struct {
	slots     []slot
	execs     []*keyspace.Execute
	byShard   []*keyspace.Execute // those of execs that visit one shard
	collect   *keyspace.Execute   // that of execs which visits several
	load      int                 // see loadMax
	literals  []byte
	argv      [][]byte
	out       []byte // kept for the session's output
	pending   int    // execs posted and not done
	posted    bool   // nothing may be added any more
	written   int    // slots already written out
	mutes     bool   // some replies may not be sent
	following *Multi // the transaction whose EXEC this is
	trace     *Trace // nil: it is not followed
}

// slot is where one command's reply is to come from.
type slot struct {
	row  *Command
	x    *keyspace.Execute // if set: its nth request
	n    int               // if not: the end of the reply in literals
	kind slotKind
	mute bool // CLIENT REPLY OFF or SKIP: the reply is not sent
}

type slotKind uint8

const (
	literal slotKind = iota // the reply is in literals
	request                 // the reply is in an Execute
	exec                    // the head of a transaction's replies, x its Execute
	here                    // run by the session when its turn comes: n is the place in the transaction
)

var batches = sync.Pool{New: func() any { return &batch{} }}
var executes = sync.Pool{New: func() any { return &keyspace.Execute{} }}

// keepMax is the largest buffer, in bytes, that goes back into a pool.
const keepMax = 1 << 20

func (s *Session) open() *batch {
	if s.batch == nil {
		s.batch = batches.Get().(*batch)
		s.out, s.batch.out = s.batch.out[:0], nil
		if n := s.server.Node.Len(); len(s.batch.byShard) != n {
			s.batch.byShard = make([]*keyspace.Execute, n)
		}
	}
	return s.batch
}

// free gives the batch's memory back.
func (s *Session) free() {
	b := s.batch
	s.batch = nil
	b.release()
	clear(b.slots)
	if cap(b.literals) > keepMax {
		b.literals = nil
	}
	out := s.out
	if s.out = nil; cap(out) > keepMax {
		out = nil
	}
	*b = batch{slots: b.slots[:0], execs: b.execs[:0], byShard: b.byShard, literals: b.literals[:0], argv: b.argv[:0], out: out}
	batches.Put(b)
}

// release gives the Executes back.
func (b *batch) release() {
	for _, x := range b.execs {
		x.DropBuffer()
		if cap(x.Out) <= keepMax {
			x.Reset()
			executes.Put(x)
		}
	}
	clear(b.byShard)
	clear(b.execs)
}

// answer adds a reply that is known already.
func (s *Session) answer(row *Command, reply resp.Reply) {
	b := s.open()
	encoder := s.encoder
	if row != nil && row.Encoder != nil {
		encoder = row.Encoder
	}
	b.literals = encoder.Append(b.literals, reply)
	b.slots = append(b.slots, slot{row: row, n: len(b.literals), mute: s.muted()})
}

// newExecute makes an Execute of the batch, for the caller to fill.
func (s *Session) newExecute() *keyspace.Execute {
	x := executes.Get().(*keyspace.Execute)
	x.Encoder, x.Caller, x.Waiting, x.NoTouch, x.OutMax = s.encoder, s, s, s.noTouch, outMax
	if t := s.tracking.tracker; t != nil && !t.Broadcast() {
		x.Tracker = t
	}
	s.batch.execs = append(s.batch.execs, x)
	s.batch.mutes = s.batch.mutes || s.reply != replyOn
	return x
}

// single is the Execute for one shard.
func (s *Session) single(shard int) *keyspace.Execute {
	b := s.open()
	if b.collect != nil {
		b.collect.Visit(shard)
		return b.collect
	}
	if b.byShard[shard] == nil {
		x := s.newExecute()
		x.Visit(shard)
		b.byShard[shard] = x
	}
	return b.byShard[shard]
}

// collected is the Execute for commands that may concern several shards. What
// is in the batch for single shards must be done before it is posted: settle
// comes first.
func (s *Session) collected() *keyspace.Execute {
	b := s.open()
	if b.collect == nil {
		b.collect = s.newExecute()
	}
	return b.collect
}

// ask adds a request to an Execute of the batch.
func (s *Session) ask(x *keyspace.Execute, row *Command, q keyspace.Request) {
	b := s.batch
	q.Untracked = s.tracking.untracked
	b.slots = append(b.slots, slot{row: row, kind: request, x: x, n: len(x.Requests), mute: s.muted()})
	x.Requests = append(x.Requests, q)
	if q.Spec == nil {
		return
	}
	strays := q.Spec.Flags.Has(command.Strays)
	x.Heavy = x.Heavy || b.isHeavy(&q) || strays && x.Atomic // and can't be given up then
	if strays {
		x.Extra += scriptWeight
	}
}

// isHeavy counts a request as part of the load, and reports whether it is for a
// worker.
func (b *batch) isHeavy(q *keyspace.Request) bool {
	b.load += 1 + max(len(q.Argv)-wordsFree, 0)
	return b.load > loadMax || q.Spec.Flags.Has(command.Heavy)
}

// post sends the batch to its shards and reports whether all is done.
func (s *Session) post() (isDone bool) {
	b := s.batch
	if b.posted {
		return b.pending == 0
	}
	b.posted = true
	if t := s.server.tracer.Load(); t != nil {
		s.follow(*t)
	}
	for _, x := range b.execs {
		b.pending++
		if s.server.Node.Post(x, s) {
			b.pending--
		}
	}
	return b.pending == 0
}

// settle gets everything in the batch done and written to the session's
// output, so that what follows may see its effects. It reports false if that
// takes time: then the session goes on when it is told.
func (s *Session) settle() bool {
	if s.batch == nil || len(s.batch.slots) == 0 {
		return true
	}
	if !s.post() {
		return false
	}
	return s.collectReplies()
}

// collectReplies moves the replies of a batch that is done to the output, in
// request order. It reports false when some request is yet to run: because
// the output is full, or because it has just been posted again.
func (s *Session) collectReplies() (complete bool) {
	b := s.batch
	for b.pending == 0 {
		stuck := s.writeSlots()
		if stuck == nil {
			s.recycle()
			return true
		}
		s.flushOutput()
		if s.link.Unsent() > 0 {
			return false // Drained goes on
		}
		s.resumeAt(stuck)
	}
	return false
}

// resumeAt posts the rest of an Execute that stopped because its output was
// full. All its replies so far have been written, as slots are in order.
func (s *Session) resumeAt(x *keyspace.Execute) {
	b := s.batch
	s.account(x)
	ran := x.Ran
	x.Again()
	for i := b.written; i < len(b.slots); i++ {
		if b.slots[i].x == x {
			b.slots[i].n -= ran
		}
	}
	b.pending++
	if s.server.Node.Post(x, s) {
		b.pending--
	}
}

// writeSlots appends replies to the output until one is missing; it returns
// the Execute that is to go on.
func (s *Session) writeSlots() (stuck *keyspace.Execute) {
	b := s.batch
	if x := b.plain(); x != nil && !s.muted() {
		s.put(x.Out, x)
		b.written = len(b.slots)
		return nil
	}
	for ; b.written < len(b.slots); b.written++ {
		sl := &b.slots[b.written]
		switch sl.kind {
		case literal:
			start := 0
			if b.written > 0 {
				start = b.literalStart(b.written)
			}
			s.emit(sl, b.literals[start:sl.n])
		case request:
			if sl.n >= sl.x.Ran {
				return sl.x
			}
			if sl.x.Blocked != nil { // alone in its batch
				s.waitFor(sl.row, sl.x.Blocked)
			}
			s.emitReply(sl)
		case exec:
			s.emitExec(sl)
		case here:
			s.runQueued(sl)
		}
	}
	return nil
}

// plain is the one Execute of a batch that holds nothing else and has run
// whole: its output is the batch's.
func (b *batch) plain() *keyspace.Execute {
	if len(b.execs) != 1 || b.written > 0 || b.literals != nil && len(b.literals) > 0 || b.following != nil {
		return nil
	}
	if x := b.execs[0]; x.Ran == len(b.slots) && x.Ran == len(x.Requests) && !x.Refused && x.Blocked == nil && !b.mutes {
		return x
	}
	return nil
}

// literalStart is where the literal of slot i begins: the end of the last
// literal before it.
func (b *batch) literalStart(i int) int {
	for i--; i >= 0; i-- {
		if b.slots[i].kind == literal {
			return b.slots[i].n
		}
	}
	return 0
}

// recycle ends a batch whose replies are all in the output, and keeps it for
// the commands that follow in the same read.
func (s *Session) recycle() {
	b := s.batch
	if b.trace != nil {
		s.tellTrace()
	}
	for _, x := range b.execs {
		s.account(x)
	}
	b.release()
	b.slots, b.execs, b.literals = b.slots[:0], b.execs[:0], b.literals[:0]
	b.collect, b.load, b.pending, b.posted, b.written, b.following, b.mutes, b.trace = nil, 0, 0, false, 0, nil, false, nil
}
