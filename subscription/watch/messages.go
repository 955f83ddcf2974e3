package watch

// Accepted by a Subscription: Attach and Detach from sessions, Changed from
// shards, Evaluated when its Execute is done, Ready from watchers.
// Sent by it: keyspace.Execute to shards; frames to its watchers' outlets.

// Attach adds a watcher.
type Attach struct{ Watcher *Watcher }

// Detach takes one away.
type Detach struct{ Watcher *Watcher }

// Changed tells that keys which the query has read were changed.
type Changed struct{}

// Evaluated tells that the evaluation is done.
type Evaluated struct{}

// Ready tells that a watcher can take a push again.
type Ready struct{ Watcher *Watcher }

// Leave ends the Subscription: nobody watches any more.
type Leave struct{}
