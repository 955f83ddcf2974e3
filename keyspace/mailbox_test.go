package keyspace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
)

// box is a mailbox whose actor writes down what it receives. Turns that are
// handed on wait until the test runs them.
type box struct {
	Mailbox
	t     *testing.T
	notes []string
	turns []func()
	on    func(message any) // done on receipt
}

type slow string

func (slow) IsSlow() bool { return true }

type weighty int

func (w weighty) Weight() int { return int(w) }

func newBox(t *testing.T) *box {
	b := &box{t: t, on: func(any) {}}
	b.Rest = b.handOn
	b.Crashed = func(reason, message any) { b.note("crashed by %v: %v", message, reason) }
	b.Lost = func(message any) { b.note("lost %v", message) }
	b.RegisterHandlers(b, nil)
	b.Start()
	return b
}

func (b *box) handOn(turn func()) { b.turns = append(b.turns, turn) }

func (b *box) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

func (b *box) InvokeUserMessage(message any) {
	b.note("%v", message)
	b.on(message)
}

func (b *box) InvokeSystemMessage(message any) {
	b.note("%T", message)
	b.on(message)
}

func (b *box) EscalateFailure(reason, message any) { b.note("escalated") }

// runs runs the turn that was handed on; there must be exactly one.
func (b *box) runs() {
	b.t.Helper()
	if len(b.turns) != 1 {
		b.t.Fatalf("%d turns were handed on, want 1; %v", len(b.turns), b.notes)
	}
	turn := b.turns[0]
	b.turns = nil
	turn()
}

// want demands what has been written down since the last call, and how many
// turns wait.
func (b *box) want(turns int, notes string) {
	b.t.Helper()
	if got := strings.Join(b.notes, ", "); got != notes || len(b.turns) != turns {
		b.t.Errorf("got %q and %d turns, want %q and %d", got, len(b.turns), notes, turns)
	}
	b.notes = nil
}

// Idle, a message runs while it is posted; what is posted meanwhile runs after
// it, in order.
func TestMailboxRunsOnItsPoster(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.on = func(message any) {
		if message == "a" {
			b.PostUserMessage("b")
			b.PostUserMessage("c")
			b.want(0, "a")
			if n := b.UserMessageCount(); n != 2 {
				t.Errorf("%d messages wait", n)
			}
		}
	}
	b.PostUserMessage("a")
	b.want(0, "b, c")
	b.PostUserMessage("d")
	b.want(0, "d")
}

// Whoever only posted is kept for a bounded turn; another goroutine does the
// rest, in bounded turns too.
func TestMailboxTurnIsBounded(t *testing.T) {
	t.Parallel()
	f := func(weight weighty, first, later int) {
		t.Helper()
		b := newBox(t)
		b.on = func(message any) {
			if message == "first" {
				for range 3 * turnMessages {
					b.PostUserMessage(weight)
				}
			}
		}
		b.PostUserMessage("first")
		for _, want := range []int{first, later, later} {
			if n := len(b.notes); n != want || len(b.turns) != 1 {
				t.Fatalf("weight %d: a turn had %d messages, want %d; %d turns wait", weight, n, want, len(b.turns))
			}
			b.notes = nil
			b.runs()
		}
	}
	f(1, turnMessages, turnMessages)
	f(turnWeight/turnMessages, turnMessages, turnMessages)
	f(turnWeight/4, 5, 4)
	f(turnWeight, 2, 1)
	f(10*turnWeight, 2, 1)
}

// A slow message never runs on the goroutine that posts, whether the actor is
// idle or at work there; those before it do.
func TestMailboxSlowMessages(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.PostUserMessage(slow("s"))
	b.want(1, "")
	b.PostUserMessage("a") // the actor is not idle: a worker is on its way
	b.want(1, "")
	b.on = func(message any) {
		if message == slow("s") {
			b.PostUserMessage(slow("s2"))
		}
	}
	b.runs()
	b.want(0, "s, a, s2") // on a worker anything runs
	b.on = func(message any) {
		if message == "b" {
			b.PostUserMessage("c")
			b.PostUserMessage(slow("s3"))
			b.PostUserMessage("d")
		}
	}
	b.PostUserMessage("b")
	b.want(1, "b, c")
	b.runs()
	b.want(0, "s3, d")
}

// protoactor's own messages go first, and while it has suspended the actor
// they are the only ones.
func TestMailboxSystemMessages(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.on = func(message any) {
		if message == "a" {
			b.PostUserMessage("b")
			b.PostSystemMessage(&actor.Watch{})
			b.PostSystemMessage(&actor.SuspendMailbox{})
			b.PostSystemMessage(&actor.Unwatch{})
		}
	}
	b.PostUserMessage("a")
	b.want(0, "a, *actor.Watch, *actor.Unwatch")
	b.PostUserMessage("c")
	b.want(0, "")
	b.PostSystemMessage(&actor.Watch{})
	b.want(0, "*actor.Watch")
	b.PostSystemMessage(&actor.ResumeMailbox{})
	b.want(0, "b, c")
	b.PostUserMessage("d")
	b.want(0, "d")
}

// Once Stop has come, user messages are lost and say so: those that waited,
// though the actor was suspended, and those that come later.
func TestMailboxStop(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.PostSystemMessage(&actor.SuspendMailbox{})
	b.PostUserMessage("a")
	b.PostUserMessage(slow("s"))
	b.want(0, "")
	b.PostSystemMessage(&actor.Stop{})
	b.want(1, "*actor.Stop, lost a")
	b.runs()
	b.want(0, "lost s")
	b.PostUserMessage("b")
	b.Deliver("c")
	b.PostSystemMessage(&actor.Watch{})
	b.want(0, "lost b, lost c, *actor.Watch")
	silent := newBox(t)
	silent.Lost = nil
	silent.PostSystemMessage(&actor.Stop{})
	silent.PostUserMessage("a")
	silent.want(0, "*actor.Stop")
}

// A panic is told, then protoactor decides; over its end an actor may panic in
// vain.
func TestMailboxPanics(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.on = func(message any) {
		switch message.(type) {
		case string:
			b.PostUserMessage(weighty(1))
			panic("oh")
		case *actor.Stop:
			panic("no")
		}
	}
	b.PostUserMessage("a")
	b.want(0, "a, crashed by a: oh, escalated, 1")
	b.PostSystemMessage(&actor.Stop{})
	b.PostUserMessage("b")
	b.Crashed = nil
	b.PostSystemMessage(&actor.Stop{})
	b.want(0, "*actor.Stop, crashed by : no, lost b, *actor.Stop")
}

// Held, an actor receives nothing, protoactor's messages included; when it is
// let go, what waited runs elsewhere.
func TestMailboxHold(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.on = func(message any) {
		if message == "hold" {
			b.PostUserMessage("a")
			b.Hold()
		}
	}
	b.PostUserMessage("hold")
	b.want(0, "hold")
	b.PostUserMessage("b")
	b.PostSystemMessage(&actor.Watch{})
	b.want(0, "")
	b.Release()
	b.want(1, "")
	b.PostUserMessage("c")
	b.runs()
	b.want(0, "*actor.Watch, a, b, c")
	b.on = func(message any) {
		if message == "briefly" {
			b.Hold()
			b.PostUserMessage("d")
			b.Release()
		}
	}
	b.PostUserMessage("briefly")
	b.want(0, "briefly, d")
	b.on = func(any) { b.Hold() }
	b.PostUserMessage("e")
	b.on = func(any) {}
	b.Release() // nothing waits
	b.want(0, "e")
	b.PostUserMessage("f")
	b.want(0, "f")
}

// A mailbox with a Place runs nowhere else: one turn at a time is given to it.
func TestMailboxWithAPlace(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.Place, b.Rest = b.handOn, nil
	b.PostUserMessage("a")
	b.PostUserMessage(slow("s"))
	b.PostSystemMessage(&actor.Watch{})
	b.want(1, "")
	b.Deliver("now")
	b.want(1, "now")
	b.runs()
	b.want(0, "*actor.Watch, a, s")
	for range turnMessages + 1 {
		b.PostUserMessage("b")
	}
	b.runs()
	b.notes = nil
	b.want(1, "")
	b.runs()
	b.want(0, "b")
}
