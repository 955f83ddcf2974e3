package keyspace

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
)

// numbered is a message of a sender; every fifth is slow.
type numbered struct{ sender, n int }

func (m numbered) IsSlow() bool { return m.n%5 == 0 }

// counter is an actor whose state would show any second goroutine in it, to
// the race detector at least, and any message lost, doubled or overtaken.
type counter struct {
	t    *testing.T
	box  *Mailbox
	next []int // of each sender
	rng  *rand.Rand
	lent chan *Mailbox
	left *sync.WaitGroup
}

func (c *counter) InvokeUserMessage(message any) {
	m := message.(numbered)
	if c.next[m.sender] != m.n {
		c.t.Errorf("sender %d: message %d, want %d", m.sender, m.n, c.next[m.sender])
	}
	c.next[m.sender] = m.n + 1
	if c.rng.IntN(10) == 0 {
		c.box.Hold()
		c.lent <- c.box
	}
	c.left.Done()
}

func (c *counter) InvokeSystemMessage(any)  {}
func (c *counter) EscalateFailure(_, _ any) {}

// Many senders post to a mailbox that is held again and again and let go from
// elsewhere, suspended and resumed: all messages arrive, each sender's in
// order, and nobody waits for ever.
func TestMailboxUnderStress(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	const senders, each = 8, 3000
	workers := NewWorkers(3)
	defer workers.Close()
	f := func(place func(func())) {
		var left sync.WaitGroup
		left.Add(senders * each)
		c := &counter{t: t, next: make([]int, senders), rng: rand.New(rand.NewPCG(*seedFlag, 1)), lent: make(chan *Mailbox, 1), left: &left}
		c.box = &Mailbox{Place: place, Rest: workers.Schedule}
		c.box.RegisterHandlers(c, nil)
		var ending sync.WaitGroup
		ending.Go(func() {
			for box := range c.lent {
				box.Release()
			}
		})
		for sender := range senders {
			ending.Go(func() {
				for n := range each {
					c.box.PostUserMessage(numbered{sender, n})
					if n%100 == 0 {
						c.box.PostSystemMessage(&actor.SuspendMailbox{})
						c.box.PostSystemMessage(&actor.ResumeMailbox{})
					}
				}
			})
		}
		left.Wait()
		close(c.lent)
		ending.Wait()
	}
	f(nil)
	f(workers.Schedule)
}

// Workers run what was scheduled before Close, all of it, on as many
// goroutines as they are, and nothing after.
func TestWorkers(t *testing.T) {
	t.Parallel()
	const workers = 3
	w := NewWorkers(workers)
	var together sync.WaitGroup
	together.Add(workers)
	var ran atomic.Int64
	for range workers {
		w.Schedule(func() {
			together.Done()
			together.Wait() // for ever, were there fewer
			ran.Add(1)
		})
	}
	for range 1000 {
		w.Schedule(func() { ran.Add(1) })
	}
	w.Schedule(func() { w.Schedule(func() { ran.Add(1) }) })
	together.Wait()
	w.Close()
	if n := ran.Load(); n < 1000+workers || n > 1001+workers {
		t.Errorf("%d ran", n)
	}
	before := ran.Load()
	w.Schedule(func() { ran.Add(1) })
	if ran.Load() != before || w.queue.len() != 0 {
		t.Error("after Close something is scheduled")
	}
	if w.Throughput() < 1 {
		t.Error("an actor may process nothing")
	}
}
