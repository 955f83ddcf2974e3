package actors

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/troupedb/troupe/keyspace"
)

// Failure is a mistake of the program by which an actor has failed.
type Failure struct {
	Path   string // of the actor
	Reason string
	At     time.Time
}

// failuresKept is how many are remembered, the newest ones.
const failuresKept = 64

// failures are those of one system. Anybody may use it.
type failures struct {
	mu     sync.Mutex
	newest []Failure // first
}

func (f *failures) note(path string, reason any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest = slices.Insert(f.newest, 0, Failure{Path: path, Reason: fmt.Sprint(reason), At: time.Now()})
	f.newest = f.newest[:min(len(f.newest), failuresKept)]
}

// follow notes the failures that protoactor's supervision is told of. A shard in
// which a handler has failed is none of them: it does not stop.
func (f *failures) follow(system *actor.ActorSystem) {
	system.EventStream.Subscribe(func(event any) {
		if failed, ok := event.(*actor.SupervisorEvent); ok {
			f.note(failed.Child.Id, failed.Reason)
		}
	})
}

// ofShards notes that a handler has failed.
func (f *failures) ofShards(b *keyspace.Broken) {
	for _, shard := range b.Shards {
		f.note(fmt.Sprintf("shard/%d", shard), fmt.Sprintf("%s: %v", b.Command, b.Reason))
	}
}

// Failures are the newest failures of actors, the last one first: at most 64.
func (s *System) Failures() []Failure {
	s.failures.mu.Lock()
	defer s.failures.mu.Unlock()
	return slices.Clone(s.failures.newest)
}
