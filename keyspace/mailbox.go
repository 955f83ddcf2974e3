package keyspace

import (
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// A turn ends after so many messages or so much weight; the rest is handed on,
// so that nobody who only posted is kept at others' work.
const (
	turnMessages = 64
	turnWeight   = 4096
)

// Weighty messages count for more than one in a turn's bound.
type Weighty interface{ Weight() int }

// Slow messages are not run on a goroutine that only came to post: they wait
// for a worker.
type Slow interface{ IsSlow() bool }

// Mailbox is an actor's queue with a bounded turn. Where its turns run is up
// to Place. protoactor's mailboxes can't do either: their run drains to empty,
// and each schedule allocates.
//
// The queue itself has no bound; its senders have: a session has at most one
// message under way to each shard, a shard at most one to each live query.
//
// An actor's end is final once protoactor's Stop has come, even if the actor
// panics over it: what was queued then, and what still comes, goes to Lost.
// (It may not have children, whose end protoactor would wait for.)
type Mailbox struct {
	// Place says where turns run: nil in the poster's goroutine, if the actor
	// is idle, else in the one that is at work on it; otherwise Place is given
	// each turn to run, one at a time.
	Place func(turn func())
	// Rest takes what is left of a turn that reached its bound, and slow
	// messages.
	Rest func(turn func())
	// Crashed is told of a panic, before protoactor's supervision is.
	Crashed func(reason any, message any)
	// Lost is given the messages that the actor did not live to receive. It
	// runs where its turns do.
	Lost func(message any)

	mu      sync.Mutex
	state   mailboxState
	user    queue[any]
	system  queue[any]
	paused  bool // protoactor has suspended the actor
	held    bool // Hold was called and Release not yet
	stopped bool // Stop has come
	invoker actor.MessageInvoker
	turn    func() // run by Place and Rest; made once
}

type mailboxState uint8

const (
	idle mailboxState = iota
	running
	parked // held, or paused, with nobody at work
)

var _ actor.Mailbox = (*Mailbox)(nil)

// RegisterHandlers is called by protoactor before Start.
func (m *Mailbox) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	m.invoker = invoker
	m.turn = m.drain
}

// Start is called by protoactor.
func (m *Mailbox) Start() {}

// UserMessageCount is the number of messages that wait.
func (m *Mailbox) UserMessageCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.user.len()
}

// PostUserMessage queues a message, or runs it at once: see Place.
func (m *Mailbox) PostUserMessage(message any) { m.post(&m.user, message) }

// PostSystemMessage queues a message of protoactor's, which goes before others.
func (m *Mailbox) PostSystemMessage(message any) { m.post(&m.system, message) }

// Deliver hands a message straight to the actor. Only the goroutine on which
// Place runs this mailbox's turns may do so, and only between turns; what is
// queued from elsewhere is not overtaken in any order that its senders could
// rely on.
func (m *Mailbox) Deliver(message any) { m.invoke(message, false) }

func (m *Mailbox) post(q *queue[any], message any) {
	m.mu.Lock()
	q.push(message)
	start := m.state == idle || m.state == parked && q == &m.system && !m.held
	if start {
		m.state = running
	}
	m.mu.Unlock()
	switch {
	case !start:
	case m.Place != nil:
		m.Place(m.turn)
	case isSlow(message):
		m.Rest(m.turn)
	default:
		m.drainHere()
	}
}

// drain runs one turn on a goroutine made for it, drainHere on the poster's.
func (m *Mailbox) drain()     { m.run(false) }
func (m *Mailbox) drainHere() { m.run(m.Place == nil) }

func (m *Mailbox) run(guest bool) {
	weight := 0
	for n := 0; ; n++ {
		message, system := m.next(n, weight, guest)
		if message == nil {
			return
		}
		weight += weightOf(message)
		m.invoke(message, system)
	}
}

// next takes the message to run now. None: the turn is over, and the mailbox
// has been left to whoever comes next.
func (m *Mailbox) next(n, weight int, guest bool) (message any, system bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.held:
		m.state = parked
	case m.system.len() > 0:
		return m.system.pop(), true
	case m.paused && !m.stopped:
		m.state = parked
	case m.user.len() == 0:
		m.state = idle
	case n >= turnMessages || weight >= turnWeight || guest && isSlow(m.user.first()):
		m.hand()
	default:
		return m.user.pop(), false
	}
	return nil, false
}

// hand passes a turn that goes on to another goroutine.
func (m *Mailbox) hand() {
	if m.Rest != nil {
		m.Rest(m.turn)
	} else {
		m.Place(m.turn)
	}
}

func (m *Mailbox) invoke(message any, system bool) {
	defer func() {
		if reason := recover(); reason != nil {
			m.failed(reason, message)
		}
	}()
	switch {
	case system:
		m.invokeSystem(message)
	case !m.stopped:
		m.invoker.InvokeUserMessage(message)
	case m.Lost != nil:
		m.Lost(message)
	}
}

func (m *Mailbox) failed(reason, message any) {
	if m.Crashed != nil {
		m.Crashed(reason, message)
	}
	if !m.stopped {
		m.invoker.EscalateFailure(reason, message)
	}
}

func (m *Mailbox) invokeSystem(message any) {
	switch message.(type) {
	case *actor.SuspendMailbox:
		m.pause(true)
	case *actor.ResumeMailbox:
		m.pause(false)
	case *actor.Stop:
		m.stopped = true
		m.invoker.InvokeSystemMessage(message)
	default:
		m.invoker.InvokeSystemMessage(message)
	}
}

func (m *Mailbox) pause(on bool) {
	m.mu.Lock()
	m.paused = on
	m.mu.Unlock()
}

// Hold keeps the actor from receiving anything more after the present message
// until Release: its state is lent out. To be called from within Receive.
func (m *Mailbox) Hold() {
	m.mu.Lock()
	m.held = true
	m.mu.Unlock()
}

// Release ends a Hold; any goroutine may call it. What has queued up meanwhile
// runs where the rest of a turn does.
func (m *Mailbox) Release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = false
	if m.state != parked {
		return
	}
	m.state = idle
	if m.user.len()+m.system.len() > 0 {
		m.state = running
		m.hand()
	}
}

func weightOf(message any) int {
	if w, ok := message.(Weighty); ok {
		return w.Weight()
	}
	return 1
}

func isSlow(message any) bool {
	s, ok := message.(Slow)
	return ok && s.IsSlow()
}
