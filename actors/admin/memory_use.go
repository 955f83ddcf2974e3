package admin

import (
	"runtime/metrics"
	"sync/atomic"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/slab"
)

// memoryMarks are what the use of memory is compared with.
type memoryMarks struct {
	startup int64 // before the first link
	peak    atomic.Int64
}

func (m *memoryMarks) start(system *actors.System) { m.startup = besideData(system, readGoMemory()) }

// besideData is what is used beside slabs, tables and buffers, in bytes: as it is
// compared with maxmemory where the process is the server's, else Go's heap.
func besideData(system *actors.System, heap goMemory) int64 {
	if marks := system.Memory(); marks.Resident > 0 {
		return marks.Base + marks.GoNeeds
	}
	return heap.used()
}

// goMemory is what the Go runtime holds, in bytes.
type goMemory struct{ objects, unused, free, stacks, total, released int64 }

func (g goMemory) used() int64 { return g.objects + g.stacks }

func readGoMemory() goMemory {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	n := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	return goMemory{n(0), n(1), n(2), n(3), n(4), n(5)}
}

// memoryUse is where the memory is, in bytes: in Go's heap and stacks, in the
// slabs of keys and values, in the tables that find them, and in the buffers of
// large requests and replies.
type memoryUse struct {
	goMemory
	beside                           int64 // see besideData
	buffers                          int64
	slabUsed, slabHeld, slabResident int64
	gaps, spare                      int64 // of the slabs
	tables                           int64
	clients                          int64
	early                            int64 // what is kept for a save
	pending                          int   // values that are yet to be freed
	startup, peak                    int64
}

// measure takes the sums over all shards, which must be at hand.
func (v View) measure() memoryUse {
	m := memoryUse{goMemory: readGoMemory(), buffers: slab.InBuffers(), startup: v.memory.startup}
	m.beside = besideData(v.system, m.goMemory)
	v.Tx.EachShard(func(sh *keyspace.Shard) {
		stats := sh.Mem().Stats()
		m.slabUsed += stats.Used
		m.slabHeld += stats.Held
		m.slabResident += stats.Resident
		m.gaps += stats.Gaps
		m.spare += stats.Spare
		m.early += int64(sh.EarlyBytes())
		m.pending += sh.Pending()
		m.tables += sh.TableBytes()
	})
	m.clients = v.system.Server.ClientMemory()
	m.peak = max(m.allocated(), v.memory.peak.Load())
	v.memory.peak.Store(m.peak)
	return m
}

// used is what is in use beside slabs and tables, garbage included.
func (m *memoryUse) used() int64 { return m.goMemory.used() + m.buffers }

// allocated is what used_memory tells, and what is compared with maxmemory.
func (m *memoryUse) allocated() int64 { return m.beside + m.buffers + m.slabResident + m.tables }

// overhead is the part of it that is not the data.
func (m *memoryUse) overhead() int64 {
	return min(m.startup+m.tables+m.clients+m.buffers, m.allocated())
}

// dataset is the part that is.
func (m *memoryUse) dataset() int64 { return m.allocated() - m.overhead() }

// active and resident are what the allocators use and hold.
func (m *memoryUse) active() int64 { return m.used() + m.unused + m.slabHeld + m.gaps + m.tables }
func (m *memoryUse) resident() int64 {
	return m.total - m.released + m.buffers + m.slabResident + m.tables
}

// ratio is a/b, 0 if there is no b.
func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
