package keyspace

import (
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Accepted by a shard: Execute, ExpireTick, SweepTick, CompactTick, ShedTick,
// SpillTick, spilled, adoption.
// Sent by a shard: Execute on to the next shard that it visits, and back to
// its owner when done.

// Execute is a batch of commands in the order they were asked for. It visits
// the shards named in it, in rising order; each is held while it passes, and
// the last one's turn runs the commands over all of them as one keyspace,
// commits, and lets them go. Most visit a single shard.
//
// Whoever posts it leaves it alone until it is done, and then owns it again.
type Execute struct {
	// Requests are run one after the other.
	Requests []Request
	// Shards are the numbers of the shards to visit, rising.
	Shards []int
	// Encoder turns each reply into bytes at the end of Out, before the next
	// request runs.
	Encoder resp.Encoder
	Out     []byte
	// Caller is the session that asks.
	Caller Caller
	// Tracker, if set, hears of changes of the keys that the batch has read.
	Tracker Tracker
	// NoTouch leaves access clocks alone (CLIENT NO-TOUCH).
	NoTouch bool
	// Extra is what its requests weigh beyond their number: see Weight.
	Extra int
	// Heavy says that a request may take long, so that no event loop runs it.
	Heavy bool
	// Atomic makes all requests one change with one version: a transaction.
	Atomic bool
	// Guard, if set, is asked in the turn whether to run at all; if it says
	// no, no request runs and Refused is set.
	Guard   func(*Tx) bool
	Refused bool
	// Suspect says why: a shard has failed and is being rebuilt. It is set for an
	// Atomic batch only; the requests of others are answered one by one.
	Suspect bool
	// OutMax bounds Out: once it is longer, no further request runs, unless
	// Atomic. 0: no bound. Ran is how many requests have run.
	OutMax int
	Ran    int
	// Waiting is told what the batch's last request got, if that is one which
	// had to wait: then Blocked is set, and the request has no reply yet. Nil:
	// nothing waits.
	Waiting Waiting
	Blocked *Waiter
	// Began and Ended are when its commands last began to run and had run, by
	// Node.Nanos; 0 if they have not.
	Began, Ended int64
	// Inner says that what the batch shows stays in the server, so that its end
	// need not wait until that is safe in the journal.
	Inner bool
	// Broken is set when a handler panicked: the reason and the stack.
	Broken *Broken

	large *slab.Buffer // that Out lies in; nil: it is of Go's heap
	owner Owner
	next  int      // the shard to visit next, an index of Shards
	held  []*shard // those passed
	// further are keys that its commands may feed through those who wait.
	further []fed
	toil    int // see Tx.Toil
	state   atomic.Int32
	// parks says that it may be parked until cold values are fetched; cold is which.
	parks bool
	cold  *thawing
}

// Request is one command of a batch, and where its reply is.
type Request struct {
	// Spec and Argv are the command. Argv's bytes belong to the sender.
	Spec *command.Spec[*Tx]
	Argv [][]byte
	// Do, if set, is run instead: a transaction, a live query.
	Do func(*Tx) resp.Reply
	// DB is the selected database.
	DB int
	// Keys are those whose values Do needs. If Spec and Argv say so beside it, Do
	// may be begun anew as long as it has changed nothing.
	Keys [][]byte
	// Untracked says that the batch's Tracker is not meant.
	Untracked bool
	// Encoder, if set, is this request's instead of the batch's.
	Encoder resp.Encoder
	// End is where the reply ends in Out; it begins at the End before.
	End int
	// Took is how long the command ran, in nanoseconds. Fast commands that
	// follow each other share theirs in equal parts.
	Took int64
	// Failure is the code of the error that was the answer, else "".
	Failure string
	// Refused says that it was not run, for want of memory.
	Refused bool

	ahead
}

// Owner is told of an Execute that was not done when Post returned.
type Owner interface {
	// Executed is called once, from the goroutine of the last shard's turn.
	// It returns at once: it sends a message.
	Executed(*Execute)
}

// Nobody owns an Execute whose end interests no one.
type Nobody struct{}

// Executed does nothing.
func (Nobody) Executed(*Execute) {}

// Broken describes a panic in a handler.
type Broken struct {
	Command string
	Reason  any
	Stack   []byte
	// Shards are those that it had at hand, whose state is not to be trusted.
	Shards []int
}

// ExpireTick asks a shard to remove keys that are past their deadline.
type ExpireTick struct{}

// SweepTick asks a shard to free a slice of its garbage.
type SweepTick struct{}

// ShedTick asks a shard to say what memory it takes, and to let keys go if the
// node is above its limit.
type ShedTick struct{}

// CompactTick asks a shard to compact a slice of its memory.
type CompactTick struct {
	// Purge begins a pass, whatever it gains, that takes all the time it can get.
	Purge bool

	rest bool // of what was asked for before
}

// The states of an Execute.
const (
	underway int32 = iota
	done
	awaited // not done when its sender looked: the owner is to be told
)

// Reset empties the batch for reuse, keeping its buffers.
func (x *Execute) Reset() {
	x.DropBuffer()
	clear(x.Requests)
	clear(x.held)
	clear(x.further)
	*x = Execute{Requests: x.Requests[:0], Shards: x.Shards[:0], Out: x.Out[:0], held: x.held[:0], further: x.further[:0]}
}

// Again readies a batch that stopped at OutMax, and whose replies have been
// used, to be posted for the requests that are left. It keeps Shards.
func (x *Execute) Again() {
	x.DropBuffer()
	left := copy(x.Requests, x.Requests[x.Ran:])
	clear(x.Requests[left:])
	x.Requests, x.Out, x.Ran = x.Requests[:left], x.Out[:0], 0
	x.restart()
	x.cold = nil
	x.state.Store(underway)
}

// restart makes the batch begin its visits anew.
func (x *Execute) restart() {
	clear(x.held)
	x.held, x.next = x.held[:0], 0
}

// Visit adds a shard to those visited, keeping their order.
func (x *Execute) Visit(shard int) {
	i := len(x.Shards)
	for i > 0 && x.Shards[i-1] >= shard {
		if x.Shards[i-1] == shard {
			return
		}
		i--
	}
	x.Shards = append(x.Shards, 0)
	copy(x.Shards[i+1:], x.Shards[i:])
	x.Shards[i] = shard
}

// Reply is the encoded reply of the nth request of a batch that is done.
func (x *Execute) Reply(n int) []byte {
	start := 0
	if n > 0 {
		start = x.Requests[n-1].End
	}
	return x.Out[start:x.Requests[n].End]
}

// finish marks the batch done and tells its owner if that one waits.
func (x *Execute) finish() {
	if !x.state.CompareAndSwap(underway, done) {
		x.owner.Executed(x)
	}
}

// await reports whether the batch is done; if not, its owner will be told.
func (x *Execute) await() (isDone bool) {
	return !x.state.CompareAndSwap(underway, awaited)
}
