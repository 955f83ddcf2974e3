package actors

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/transport"
)

// memory keeps the process within maxmemory. The shards count their slabs and
// tables themselves; what is beside them is measured here, and told to the Bound:
//
//	Go       what lives in its heap, stacks and the runtime's own, and room for
//	         some garbage
//	base     what is resident and none of all that: the program itself
//
// Go is told to stay within what slabs, tables, buffers and base leave of the
// limit. That is much more than it needs while there are few data, so that it
// seldom collects, and shrinks to what was counted as the data grow. It never is
// less: where live memory grows, data have to go.
//
// Without maxmemory nothing is bounded; but in a container Go is told to stay within
// what that leaves, so that no garbage is what has the process ended. GOMEMLIMIT is
// heeded if it is less.
type memory struct {
	bound   *keyspace.Bound
	process bool  // the process is the server's, so that all of it counts
	room    int64 // of the container that may be used, 0: it has no limit
	given   int64 // GOMEMLIMIT
	stop    chan struct{}
	done    sync.WaitGroup

	tellAgain time.Time // not before then is told that memory is short

	mu     sync.Mutex // guards what follows
	limit  int64      // Go was told
	marks  MemoryMarks
	next   time.Time        // not before then is collected
	cycles uint64           // of Go's collector, so far
	lived  [livedOver]int64 // what lived after the last of them, the newest first
}

// goMemoryLimit is GOMEMLIMIT, or a number that is none.
var goMemoryLimit = debug.SetMemoryLimit(-1)

// containerSpare is 10: a tenth of a container's memory is left for what is not
// counted, such as the files that the kernel has in mind.
const containerSpare = 10

// livedOver is over how many collections the least counts of what lived: what is
// made while one is under way seems to live, however soon it is garbage.
const livedOver = 3

// MemoryMarks are what was measured last, in bytes.
type MemoryMarks struct {
	// Resident is what the system has given the process, 0 if that can't be told.
	Resident int64
	// Go is what Go's runtime holds, GoNeeds what counts of it, and GoLimit what
	// it is to keep within.
	Go, GoNeeds, GoLimit int64
	// Base is what the process takes beside Go, shards and buffers.
	Base int64
}

// memoryInterval is how often is measured: as often as deadlines are looked at.
const memoryInterval = 20 * time.Millisecond

// Of Go's memory count what lives, a part of that, one in garbagePart, for
// garbage, and garbageMin bytes.
const (
	garbagePart = 4
	garbageMin  = 4 << 20
)

// limitStep is by which part, one in so many, Go's limit is off until it is told
// another.
const limitStep = 64

// SetMemory bounds the memory that the server uses, in bytes; 0 is no bound. What
// is too much by then goes in slices from now on.
func (s *System) SetMemory(bytes int64) {
	if s.memory.process {
		transport.KeepBuffers(bytes)
		slab.KeepFree(bytes == 0 || bytes >= keepFrom)
	}
	s.memory.measure(bytes)
	s.Node.SetLimit(bytes)
}

// keepFrom is how large a limit is under which buffers are kept that nobody uses.
const keepFrom = 1 << 30

// Memory measures what the process uses beside what the shards count, and
// returns it. What the Bound says is true then.
func (s *System) Memory() MemoryMarks { return s.memory.measure(s.Node.Bound().Limit()) }

func (m *memory) start(server *session.Server, process bool) {
	m.bound, m.process = server.Node.Bound(), process
	m.given, m.limit = goMemoryLimit, goMemoryLimit
	if process {
		m.bound.SetWhole()
		container := ContainerMemory()
		m.room = container - container/containerSpare
	}
	m.stop = make(chan struct{})
	m.done.Go(func() {
		ticker := time.NewTicker(memoryInterval)
		defer ticker.Stop()
		for {
			select {
			case <-m.stop:
				return
			case <-ticker.C:
				server.EvictClients()
				m.tellShortage(server.Log)
				if limit := m.bound.Limit(); limit > 0 || m.room > 0 {
					m.measure(limit)
				}
			}
		}
	})
}

// tellShortage says that writes were refused for want of memory, and what took it.
func (m *memory) tellShortage(log hclog.Logger) {
	short, now := m.bound.Shortage(), time.Now()
	if short == nil || now.Before(m.tellAgain) {
		return
	}
	m.tellAgain = now.Add(shortageInterval)
	log.Warn("out of memory: commands that need some are refused", "maxmemory", short.Limit, "slabs and tables", short.Shards,
		"buffers", short.Buffers, "Go and the program", short.Other, "keys that may go", short.Keys)
}

// shortageInterval is how often it is said that memory is short.
const shortageInterval = 10 * time.Second

func (m *memory) close() {
	close(m.stop)
	m.done.Wait()
	if m.process {
		debug.SetMemoryLimit(m.given)
	}
}

// measure measures, tells the Bound, and tells Go what a limit leaves for it.
func (m *memory) measure(limit int64) MemoryMarks {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.process {
		return m.marks
	}
	now := m.readGo()
	apart := m.bound.Shards() + slab.InBuffers()
	if limit > 0 && apart+m.marks.Base+now.GoNeeds > limit && now.GoNeeds > m.marks.GoNeeds && m.collect() {
		now = m.readGo()
	}
	now.Resident = residentMemory()
	apart = m.bound.Shards() + slab.InBuffers()
	now.Base = max(0, now.Resident-now.Go-apart)
	m.bound.SetOther(now.Base + now.GoNeeds)
	within := cmp.Or(limit, m.room)
	now.GoLimit = m.goLimit(within-apart-now.Base, now.GoNeeds, within > 0)
	if off := now.GoLimit - m.limit; off > within/limitStep || off < -within/limitStep {
		debug.SetMemoryLimit(now.GoLimit)
		m.limit = now.GoLimit
	}
	m.marks = now
	return now
}

// goLimit is what Go is told to stay within: what is left for it if anything is
// bounded, but no less than it needs; and no more than GOMEMLIMIT says.
func (m *memory) goLimit(left, needs int64, bounded bool) int64 {
	if !bounded {
		return m.given
	}
	return min(max(left, needs), m.given)
}

// collect collects Go's garbage, before data go that would make room for it. It
// does so for a part of the time only, one in collectPart, and says whether.
func (m *memory) collect() bool {
	begin := time.Now()
	if begin.Before(m.next) {
		return false
	}
	runtime.GC()
	end := time.Now()
	m.next = end.Add(collectPart * end.Sub(begin))
	return true
}

// collectPart is 10: a busy heap is collected by itself.
const collectPart = 10

// readGo reads what Go's runtime holds, and needs.
func (m *memory) readGo() MemoryMarks {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(samples)
	n := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	total, released, objects, free, unused, live := n(0), n(1), n(2), n(3), n(4), n(5)
	if live == 0 { // nothing has been collected yet
		live = objects
	}
	if cycles := samples[6].Value.Uint64(); cycles != m.cycles || m.lived[0] == 0 {
		copy(m.lived[1:], m.lived[:])
		m.cycles, m.lived[0] = cycles, live
		if m.lived[livedOver-1] == 0 {
			m.lived = [livedOver]int64{live, live, live}
		}
	}
	live = slices.Min(m.lived[:])
	beside := total - released - objects - free - unused
	return MemoryMarks{Go: total - released, GoNeeds: beside + live + live/garbagePart + garbageMin}
}
