package watch

import (
	"strconv"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// mailbox is a Subscription's queue, and what makes it an actor. There may be
// very many live queries, nearly all of them at rest, and what protoactor keeps
// for each actor that it spawns would be more than half as much again. So a
// Subscription is a Process of its own: it has a mailbox and one turn at a time,
// on workers, and protoactor finds it by its PID when it is asked (Resolve).
//
// The queue is bounded by its senders: shards and loops send one message until
// they are heard, which is a bit here; of a watch, of which a link may have so many
// (Limits), there are one Attach and one Detach, and a Pulse a period.
type mailbox struct {
	mu      sync.Mutex
	letters []any // in their order
	signals signal
	running bool // a turn is under way, or about to be
	over    bool // what still comes is lost
}

// signal is a message without content, that is not sent again until it is heard.
// Signals of one sender have no order that anybody relies on.
type signal uint8

const (
	signalEvaluated signal = 1 << iota
	signalReady
	signalChanged
)

func signalOf(message any) signal {
	switch message.(type) {
	case *Changed:
		return signalChanged
	case *Ready:
		return signalReady
	case *Evaluated:
		return signalEvaluated
	}
	return 0
}

// put queues a message, and reports whether a turn is to be started for it.
func (b *mailbox) put(message any) (start bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := signalOf(message); s != 0 {
		b.signals |= s
	} else {
		b.letters = append(b.letters, message)
	}
	start, b.running = !b.running, true
	return start
}

// next takes the message to run now; nil: there is none, and the turn is over.
func (b *mailbox) next() (message any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.signals&signalEvaluated != 0:
		b.signals &^= signalEvaluated
		return theEvaluated
	case len(b.letters) > 0:
		message, b.letters[0] = b.letters[0], nil
		if b.letters = b.letters[1:]; len(b.letters) == 0 {
			b.letters = nil // a query at rest keeps nothing
		}
		return message
	case b.signals&signalReady != 0:
		b.signals &^= signalReady
		return theReady
	case b.signals != 0:
		b.signals = 0
		return theChanged
	}
	b.running = false
	return nil
}

// waiting is the number of messages.
func (b *mailbox) waiting() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := b.signals; s != 0; s &= s - 1 {
		n++
	}
	return n + len(b.letters)
}

// turnMessages is how many messages a turn takes before others have theirs.
const turnMessages = 64

// turn is the part of a Subscription's work that a worker does at once.
type turn struct {
	of  *Subscription
	run func() // made once
}

var turns sync.Pool

func newTurn(of *Subscription) *turn {
	t, ok := turns.Get().(*turn)
	if !ok {
		t = &turn{}
		t.run = t.take
	}
	t.of = of
	return t
}

// receive queues a message for the Subscription's next turn. Anybody may call it.
func (s *Subscription) receive(message any) {
	if s.mailbox.put(message) {
		s.schedule()
	}
}

func (s *Subscription) schedule() {
	s.registry.stage.place(newTurn(s).run)
}

func (t *turn) take() {
	s := t.of
	t.of = nil
	turns.Put(t)
	for range turnMessages {
		message := s.mailbox.next()
		if message == nil {
			return
		}
		s.run(message)
	}
	s.schedule()
}

// run has one message dealt with. Who fails over it has had its last turn.
func (s *Subscription) run(message any) {
	if s.mailbox.over {
		s.lost(message)
		return
	}
	defer func() {
		if reason := recover(); reason != nil {
			s.fail(reason)
		}
	}()
	s.take(message)
}

// Address is where the PIDs of Subscriptions are; their names are their numbers.
const Address = "subscription"

// Resolve finds the Subscription of a PID, for protoactor.
func (r *Registry) Resolve(pid *actor.PID) (actor.Process, bool) {
	number, err := strconv.ParseUint(pid.Id, 10, 64)
	if err != nil || pid.Address != Address {
		return nil, false
	}
	if s := r.numbered(number); s != nil {
		return s, true
	}
	return nil, false
}

// SendUserMessage implements actor.Process.
func (s *Subscription) SendUserMessage(_ *actor.PID, message any) {
	s.receive(actor.UnwrapEnvelopeMessage(message))
}

// SendSystemMessage implements actor.Process. There is nothing that protoactor has
// to tell a Subscription, which ends when nobody watches.
func (s *Subscription) SendSystemMessage(*actor.PID, any) {}

// Stop implements actor.Process.
func (s *Subscription) Stop(*actor.PID) { s.receive(&Finish{errStopped}) }

var _ actor.Process = (*Subscription)(nil)
