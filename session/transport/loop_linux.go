package transport

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// eventLoop serves its links on one goroutine, locked to a thread so that its
// CPU time can be read. A turn is: run the tasks posted, see what is ready,
// serve it, and sleep only when there was nothing to do.
//
// Fields without a mark belong to the loop's goroutine.
type eventLoop struct {
	owner  *eventLoops
	number int // among the owner's loops
	poll   poller
	pool   bufferPool
	links  linkTable

	due     []*eventLink // want a call of serve at the end of this turn
	serving []*eventLink // due, swapped out

	outgoing []byte     // gathered writes
	writes   []gathered // whose they are
	running  []posted   // tasks, swapped out
	cipher   []byte     // what was read of a link over TLS; made when needed
	sealed   []byte     // what is to be written to one

	last    []*eventLink // linger, in the order of their deadlines
	balance loopBalance
	window  loopWindow

	mu    sync.Mutex // guards tasks and ended
	tasks []posted
	ended bool // no task will run any more

	asleep   atomic.Bool   // waits, or is about to; whoever clears it wakes it
	wakers   atomic.Int32  // goroutines that are about to wake it
	closing  atomic.Bool   // set by Close
	assigned atomic.Int32  // links it serves or has been given to serve
	busy     atomic.Uint64 // share of the last window, as float bits
	measured atomic.Int64  // end of the last window, by sinceStart
	drains   int           // turns since Close
}

// posted is a task, and the link that it was posted to; nil is the loop.
type posted struct {
	link *eventLink
	run  func()
}

func (l *eventLoop) run(done *sync.WaitGroup) {
	defer done.Done()
	runtime.LockOSThread() // never unlocked: the thread ends with the loop
	defer l.end()
	l.window.open()
	for !l.finished() {
		l.runTasks()
		l.serveDue()
		l.sendGathered()
		n := l.poll.poll()
		if n == 0 && len(l.due) == 0 {
			n = l.rest()
		}
		for i := range n {
			l.dispatch(l.poll.ready(i))
		}
		l.serveDue()
		l.sendGathered()
		l.endLingers()
		l.endWindow()
	}
}

// rest lets other threads run, and sleeps if there is nothing to do even then.
// On a loaded machine the clients run meanwhile, and more can be done in the
// next turn: a seventh less CPU time for unpipelined links, a third for one.
func (l *eventLoop) rest() int {
	l.poll.yield()
	if n := l.poll.poll(); n > 0 {
		return n
	}
	return l.sleep()
}

// sleep waits for an event or a task. asleep is set before the tasks are
// looked at, and read after a task is added, so no wake-up is lost.
func (l *eventLoop) sleep() int {
	l.asleep.Store(true)
	n := 0
	if !l.closing.Load() && !l.hasTasks() {
		n = l.poll.wait(l.lingerLeft())
	}
	l.asleep.Store(false)
	return n
}

func (l *eventLoop) hasTasks() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.tasks) > 0
}

// post adds a task of the loop; false says that the loop has ended.
func (l *eventLoop) post(task func()) bool {
	l.mu.Lock()
	return l.addAndUnlock(posted{run: task})
}

// addAndUnlock adds tasks, unlocks mu, and wakes the loop if it sleeps. A loop
// that is awake, as it is for its own posts, sees its tasks in the next turn.
func (l *eventLoop) addAndUnlock(tasks ...posted) bool {
	if l.ended {
		l.mu.Unlock()
		return false
	}
	l.tasks = append(l.tasks, tasks...)
	wake := l.asleep.Load() && l.asleep.CompareAndSwap(true, false)
	if wake {
		l.wakers.Add(1)
	}
	l.mu.Unlock()
	if wake {
		l.poll.wakeUp()
		l.wakers.Add(-1)
	}
	return true
}

// tasksKeptMax is the capacity of a task queue that is kept after a burst.
const tasksKeptMax = 4096

func (l *eventLoop) runTasks() {
	l.mu.Lock()
	l.running, l.tasks = l.tasks, l.running[:0]
	l.mu.Unlock()
	for i := range l.running {
		l.running[i].run()
	}
	clear(l.running)
	if cap(l.running) > tasksKeptMax {
		l.running = nil
	}
}

// later has the link served at the end of this turn.
func (l *eventLoop) later(link *eventLink) {
	if !link.due {
		link.due = true
		l.due = append(l.due, link)
	}
}

// serveDue serves the links that asked for it. Those that ask again meanwhile
// wait for the next turn, so that one link cannot hold the loop.
func (l *eventLoop) serveDue() {
	if len(l.due) == 0 {
		return
	}
	l.serving, l.due = l.due, l.serving[:0]
	for _, link := range l.serving {
		link.due = false
		link.serve()
	}
	clear(l.serving)
}

func (l *eventLoop) dispatch(r readiness) {
	switch r.slot {
	case wakeSlot:
	case listenSlot:
		l.owner.acceptFrom(l, r.tag)
	default:
		if link := l.links.at(r.slot, r.tag); link != nil {
			link.ready(r.events)
		}
	}
}

// drainsMax is how many turns a loop takes to run its last tasks, should they
// keep posting new ones.
const drainsMax = 1000

// finished ends the loop once Close has been called, all links are closed and
// no task is left.
func (l *eventLoop) finished() bool {
	if !l.closing.Load() {
		return false
	}
	for _, slot := range l.links.slots {
		switch link := slot.link; {
		case link == nil:
		case link.lingering:
			link.shut()
		default:
			link.finish(nil)
		}
	}
	l.drains++
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = len(l.tasks) == 0 || l.drains > drainsMax
	return l.ended
}

// end closes the poller when nobody can be about to wake it.
func (l *eventLoop) end() {
	for l.wakers.Load() > 0 {
		runtime.Gosched()
	}
	l.poll.close()
}
