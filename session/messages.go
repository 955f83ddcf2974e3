package session

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Accepted by a session: received, drained, peerLeft and closed from its transport,
// on its loop; Executed and served from shards; Answer, Deliver, Kill, Unpaused from others.
// Sent by a session: keyspace.Execute to shards.

// received is a read's bytes; consumed is the answer.
type received struct {
	data     []byte
	consumed int
}

// drained tells that all output has been taken.
type drained struct{}

// peerLeft tells that the peer will send nothing more.
type peerLeft struct{}

// closed is the end of the link.
type closed struct{ err error }

// Executed tells that an Execute of the session is done.
type Executed struct{}

// Answer is the reply to a command that asked for it with Later.
type Answer struct{ Reply resp.Reply }

// served is the reply, in the link's protocol, to a command that has waited in
// shards.
type served struct {
	waiter *keyspace.Waiter
	reply  []byte
}

// Deliver is an out-of-band message to the client, such as a line of MONITOR:
// bytes that are shared and never changed, written behind the replies of the
// commands under way.
type Deliver struct{ Bytes []byte }

// Kill closes the link, once what is answered is out if Gently; because it does
// not read what it is sent, if Slow; because the server stops, if Stopping, which
// those who watch live queries are told.
type Kill struct{ Gently, Slow, Stopping bool }

// Unpaused tells that CLIENT PAUSE is over.
type Unpaused struct{}

// task is a message that knows what the session is to do: those of front ends,
// to themselves and to each other.
type task interface{ take(*Session) }
