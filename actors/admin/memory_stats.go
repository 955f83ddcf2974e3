package admin

import (
	"fmt"
	"strings"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// memoryStats tells of the tables once for all databases, as they share the
// sums that shards keep.
func memoryStats(v View, _ *command.Args) resp.Reply {
	m, process := v.measure(), v.process.read()
	keys := 0
	var pairs []resp.Reply
	add := func(name string, value resp.Reply) { pairs = append(pairs, resp.BulkString(name), value) }
	number := func(name string, n int64) { add(name, resp.Int(n)) }
	number("peak.allocated", m.peak)
	number("total.allocated", m.allocated())
	number("startup.allocated", m.startup)
	number("replication.backlog", 0)
	number("clients.slaves", 0)
	number("clients.normal", m.clients)
	number("cluster.links", 0)
	number("aof.buffer", 0)
	for db := range v.system.Server.Databases {
		held, expiring := v.keys(db)
		if keys += held; held > 0 {
			add(fmt.Sprint("db.", db), resp.Map(resp.BulkString("keys.count"), resp.Int(int64(held)), resp.BulkString("expires.count"), resp.Int(int64(expiring))))
		}
	}
	number("overhead.hashtables", m.tables)
	number("overhead.total", m.overhead())
	number("keys.count", int64(keys))
	number("keys.bytes-per-key", int64(ratio(max(m.allocated()-m.startup, 0), int64(keys))))
	number("dataset.bytes", m.dataset())
	add("dataset.percentage", resp.Double(100*ratio(m.dataset(), m.allocated()-m.startup)))
	add("peak.percentage", resp.Double(100*ratio(m.allocated(), m.peak)))
	number("allocator.allocated", m.used()+m.slabUsed+m.tables)
	number("allocator.active", m.active())
	number("allocator.resident", m.resident())
	add("allocator-fragmentation.ratio", resp.Double(ratio(m.active(), m.used()+m.slabUsed+m.tables)))
	number("allocator-fragmentation.bytes", m.active()-m.used()-m.slabUsed-m.tables)
	add("allocator-rss.ratio", resp.Double(ratio(m.resident(), m.active())))
	number("allocator-rss.bytes", m.resident()-m.active())
	add("rss-overhead.ratio", resp.Double(ratio(process.resident, m.resident())))
	number("rss-overhead.bytes", process.resident-m.resident())
	add("fragmentation", resp.Double(ratio(process.resident, m.allocated())))
	number("fragmentation.bytes", process.resident-m.allocated())
	return resp.Map(pairs...)
}

// keys is how many keys a database has, and how many of them expire.
func (v View) keys(db int) (held, expiring int) {
	v.Tx.EachShard(func(sh *keyspace.Shard) {
		held += sh.Keys(db)
		expiring += sh.Expiring(db)
	})
	return held, expiring
}

// From where on MEMORY DOCTOR finds something odd.
const (
	doctorLittle      = 5 << 20  // bytes in use, below which nothing is worth a word
	doctorPeak        = 1.5      // peak to present use
	doctorSlabs       = 1.4      // resident to used bytes of the slabs …
	doctorSlabsMin    = 32 << 20 // … if the difference is so many bytes
	doctorPerClient   = 200 << 10
	doctorMachinePart = 0.9 // of the machine's memory
)

func memoryDoctor(v View, _ *command.Args) resp.Reply {
	m, process := v.measure(), v.process.read()
	return resp.VerbatimText("txt", diagnose(&m, process, int64(v.system.Server.Connected())))
}

func diagnose(m *memoryUse, process processUse, clients int64) string {
	if m.allocated() < doctorLittle {
		return "There is next to nothing in memory, so there is nothing to say about it.\n"
	}
	var odd []string
	if ratio(m.peak, m.allocated()) > doctorPeak {
		odd = append(odd, "Far more memory was in use before than is now. What is free is given back in small steps; MEMORY PURGE does it at once.")
	}
	if ratio(m.slabResident, m.slabUsed) > doctorSlabs && m.slabResident-m.slabUsed > doctorSlabsMin {
		odd = append(odd, "The slabs hold much more than the keys and values in them: many keys were deleted here and there. "+
			"Their pages are used again for new keys of any size, or given back once they are empty.")
	}
	if clients > 0 && m.clients/clients > doctorPerClient {
		odd = append(odd, "Clients take much memory: some do not read what they are sent. CLIENT LIST shows it as omem.")
	}
	if machine := systemMemory(); machine > 0 && float64(process.resident) > doctorMachinePart*float64(machine) {
		odd = append(odd, "The process takes nearly all of the machine's memory, and may soon be ended by the system.")
	}
	if len(odd) == 0 {
		return "Nothing is odd about the use of memory.\n"
	}
	return "What is odd about the use of memory:\n\n* " + strings.Join(odd, "\n\n* ") + "\n"
}

func mallocStats(v View, _ *command.Args) resp.Reply {
	m := v.measure()
	var b strings.Builder
	fmt.Fprintf(&b, "Go: objects %d, unused %d, stacks %d, total %d, released %d\n", m.objects, m.unused, m.stacks, m.total, m.released)
	v.Tx.EachShard(func(sh *keyspace.Shard) {
		s := sh.Mem().Stats()
		fmt.Fprintf(&b, "Shard %d: slabs used %d, held %d, resident %d, mapped %d, tables %d\n", sh.ID(), s.Used, s.Held, s.Resident, s.Mapped, sh.TableBytes())
	})
	return resp.VerbatimText("txt", b.String())
}
