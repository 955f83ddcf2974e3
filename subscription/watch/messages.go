package watch

import "github.com/troupedb/troupe/resp"

// Accepted by a Subscription: Attach, Detach, Leave and Finish from the
// Registry, Changed from shards, Evaluated when its Execute is done, Ready and
// Pulse from loops.
// Sent by it: keyspace.Execute to shards; News to its watchers' outlets, one
// task an event loop.

// Attach adds a watcher.
type Attach struct{ Watcher *Watcher }

// Detach takes one away.
type Detach struct{ Watcher *Watcher }

// Changed tells that a key which the query has read was changed. It is sent
// once, and not again until the query has been read.
type Changed struct{}

// Evaluated tells that the evaluation is done.
type Evaluated struct{}

// Ready tells that somebody can be told of more. It is sent only if the
// Subscription waits for that.
type Ready struct{}

// Finish ends all watches; Reason is an error.
type Finish struct{ Reason resp.Reply }

// Leave ends the Subscription: nobody watches any more.
type Leave struct{}

// Pulse asks for a progress mark for a watcher that has not been told anything
// for some time.
type Pulse struct{ Watcher *Watcher }
