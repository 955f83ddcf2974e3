package keyspace

import (
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// Workers run the turns that have no goroutine of their own, on goroutines
// that live as long as the server: their stacks have grown once and stay so.
// They are protoactor's Dispatcher for every actor without an event loop.
//
// Their queue is bounded by its senders: a mailbox has at most one turn
// waiting in it.
type Workers struct {
	mu     sync.Mutex
	ready  sync.Cond
	queue  queue[func()]
	closed bool
	group  sync.WaitGroup
}

var _ actor.Dispatcher = (*Workers)(nil)

// NewWorkers starts n workers.
func NewWorkers(n int) *Workers {
	w := &Workers{}
	w.ready.L = &w.mu
	for range n {
		w.group.Go(w.work)
	}
	return w
}

// Schedule runs fn soon on a worker. After Close it is dropped.
func (w *Workers) Schedule(fn func()) {
	w.mu.Lock()
	if !w.closed {
		w.queue.push(fn)
	}
	w.mu.Unlock()
	w.ready.Signal()
}

// Throughput is how many messages an actor of protoactor's own mailboxes may
// process before it lets others run. Ours bound their turns themselves.
func (w *Workers) Throughput() int { return turnMessages }

// Close lets the workers finish what is queued, and waits for them.
func (w *Workers) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.ready.Broadcast()
	w.group.Wait()
}

func (w *Workers) work() {
	for {
		fn := w.take()
		if fn == nil {
			return
		}
		fn()
	}
}

func (w *Workers) take() func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.queue.len() == 0 {
		if w.closed {
			return nil
		}
		w.ready.Wait()
	}
	return w.queue.pop()
}
