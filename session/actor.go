package session

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/troupedb/troupe/keyspace"
)

// sessionActor is the actor around a Session, and the Handler of its link.
//
//	owns      a Session
//	accepts   what its link brings; Executed, served, Answer, Deliver, Kill, Unpaused;
//	          news of live queries; tasks
//	sends     Execute to shards
//	crashes   on a mistake of the program: its link closes, others live on
type sessionActor struct {
	*Session
	received received // the one message of the hot path, used again
}

var (
	theExecuted = &Executed{}
	theDrained  = &drained{}
	thePeerLeft = &peerLeft{}
)

// Actors is the actor system that sessions live in.
type Actors struct {
	// Spawn starts an actor under the supervision that sessions get.
	Spawn func(props *actor.Props, name string) (*actor.PID, error)
	Root  *actor.RootContext
}

// start makes a session an actor whose turns run on its link's loop.
func start(s *Session) (Handler, error) {
	a := &sessionActor{Session: s}
	a.mailbox = &keyspace.Mailbox{
		Place:   s.link.Post,
		Crashed: a.crashed,
		Lost:    a.lost,
	}
	props := actor.PropsFromProducer(func() actor.Actor { return a },
		actor.WithMailbox(func() actor.Mailbox { return a.mailbox }))
	pid, err := s.server.Actors.Spawn(props, fmt.Sprintf("session/%d", s.id))
	if err != nil {
		return nil, fmt.Errorf("spawning session %d: %w", s.id, err)
	}
	root := s.server.Actors.Root
	s.send = func(message any) { root.Send(pid, message) }
	s.stop = func() { root.Stop(pid) }
	return a, nil
}

// Received, Drained and Closed come from the link's own loop: the explicit
// call that may run the actor inline.
func (a *sessionActor) Received(data []byte) int {
	a.received.data, a.received.consumed = data, len(data)
	a.mailbox.Deliver(&a.received)
	a.received.data = nil
	return a.received.consumed
}

// Drained is called by the link.
func (a *sessionActor) Drained() { a.mailbox.Deliver(theDrained) }

// Closed is called by the link.
func (a *sessionActor) Closed(err error) {
	a.mailbox.Deliver(&closed{err})
	a.stop()
}

// PeerClosed is called by the link.
func (a *sessionActor) PeerClosed() { a.mailbox.Deliver(thePeerLeft) }

// Executed is called by a shard, on any goroutine.
func (s *Session) Executed(*keyspace.Execute) { s.send(theExecuted) }

// Receive is called by protoactor.
func (a *sessionActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *received:
		m.consumed = a.Session.received(m.data)
	case *Executed:
		a.executed()
	case *drained:
		a.drained()
	case *Answer:
		a.answered(m.Reply)
	case *served:
		a.Session.served(m)
	case *watched:
		m.take(a.Session)
	case task:
		m.take(a.Session)
	case *Deliver:
		a.deliver(m)
	case *Kill:
		a.kill(m)
	case *Unpaused:
		a.unpaused()
	case *peerLeft:
		a.peerLeft()
	case *closed:
		a.closed()
	case *actor.Started, *actor.Stopping, *actor.Stopped:
	default:
		panic(fmt.Sprintf("session %d: unknown message %T", a.id, m))
	}
}

// crashed ends the link of a session whose turn panicked.
func (a *sessionActor) crashed(reason, message any) {
	a.server.Log.Error("session crashed", "session", a.id, "message", fmt.Sprintf("%T", message), "reason", reason)
	a.closing = true
	a.link.Close()
}

// lost does what the actor did not live to do: when it has crashed, its link's
// end comes after its own.
func (a *sessionActor) lost(message any) {
	if _, ok := message.(*closed); ok {
		a.closed()
	}
}
