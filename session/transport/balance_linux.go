package transport

import (
	"math"
	"time"
)

// loopWindow measures a loop's share of CPU time and its active links.
type loopWindow struct {
	number uint32 // marks the links that were active in it
	active int
	start  time.Duration
	spent  time.Duration // thread time at the start
}

var processStart = time.Now()

// sinceStart is the monotonic clock.
func sinceStart() time.Duration { return time.Since(processStart) }

func (w *loopWindow) open() {
	*w = loopWindow{number: w.number + 1, start: sinceStart(), spent: threadTime()}
}

// saw notes that a link had an event or was written to.
func (w *loopWindow) saw(link *eventLink) {
	if link.lastSeen != w.number {
		link.lastSeen = w.number
		w.active++
	}
}

// endWindow, at the end of a turn, measures the window if it has run its time,
// and hands links over if the policy says so. CPU time is what counts: a loop
// that others keep off the CPU would not gain by a second one.
func (l *eventLoop) endWindow() {
	now := sinceStart()
	length := now - l.window.start
	if length < l.owner.config.window {
		return
	}
	share := float64(threadTime()-l.window.spent) / float64(length)
	l.busy.Store(math.Float64bits(share))
	l.measured.Store(int64(now))
	if !l.owner.config.Sticky && len(l.owner.loops) > 1 {
		loads := l.owner.loads()
		loads[l.number].active = l.window.active
		if move, ok := l.decide(length, loads); ok {
			l.handOver(move)
		}
	}
	l.window.open()
}

func (l *eventLoop) decide(length time.Duration, loads []loopLoad) (loopMove, bool) {
	if l.owner.config.decide != nil {
		return l.owner.config.decide(l.number, loads)
	}
	return l.balance.decide(l.number, length, loads)
}

// loads is what all loops did in their last windows.
func (o *eventLoops) loads() []loopLoad {
	now := sinceStart()
	loads := make([]loopLoad, len(o.loops))
	for i, l := range o.loops {
		loads[i].links = int(l.assigned.Load())
		if age := now - time.Duration(l.measured.Load()); age < 2*o.config.window || !l.asleep.Load() {
			loads[i].busy = math.Float64frombits(l.busy.Load())
		}
	}
	return loads
}

// handOver gives links to another loop. No call of theirs is in progress. Under
// the locks of both loops their queued tasks follow them, behind the task that
// adopts them, so that no task is lost, overtaken or run by the wrong loop.
func (l *eventLoop) handOver(move loopMove) {
	target := l.owner.loops[move.to]
	links := l.choose(move.links)
	if target == l || len(links) == 0 {
		return
	}
	for _, link := range links {
		if !link.unwatched {
			l.poll.forget(link.fd)
		}
		l.links.remove(link.slot)
		link.slot = unadopted
	}
	if !l.giveTo(target, links) {
		for _, link := range links {
			link.adopt(l)
		}
	}
}

// giveTo moves links and their tasks to target; false says that it has ended.
func (l *eventLoop) giveTo(target *eventLoop, links []*eventLink) bool {
	first, second := l, target
	if target.number < l.number {
		first, second = target, l
	}
	first.mu.Lock()
	second.mu.Lock()
	if target.ended {
		second.mu.Unlock()
		first.mu.Unlock()
		return false
	}
	l.assigned.Add(-int32(len(links)))
	target.assigned.Add(int32(len(links)))
	for _, link := range links {
		link.at.Store(target)
	}
	moved := []posted{{run: func() {
		for _, link := range links {
			link.adopt(target)
		}
	}}}
	kept := l.tasks[:0]
	for _, task := range l.tasks {
		if task.link != nil && task.link.loop() == target {
			moved = append(moved, task)
		} else {
			kept = append(kept, task)
		}
	}
	clear(l.tasks[len(kept):])
	l.tasks = kept
	l.mu.Unlock()
	return target.addAndUnlock(moved...)
}

// choose picks n links: every second of the active ones, then the others.
// Links that wait to be served at the end of a turn stay.
func (l *eventLoop) choose(n int) []*eventLink {
	var chosen, active, idle []*eventLink
	for _, slot := range l.links.slots {
		switch link := slot.link; {
		case link == nil || link.due || link.closed:
		case link.lastSeen != l.window.number:
			idle = append(idle, link)
		case (len(chosen)+len(active))%2 == 1:
			chosen = append(chosen, link)
		default:
			active = append(active, link)
		}
	}
	chosen = append(append(chosen, active...), idle...)
	return chosen[:min(n, len(chosen))]
}
