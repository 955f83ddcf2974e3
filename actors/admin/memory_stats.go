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

func mallocStats(v View, _ *command.Args) resp.Reply {
	m := v.measure()
	var b strings.Builder
	fmt.Fprintf(&b, "Go: objects %d, unused %d, stacks %d, total %d, released %d\n", m.objects, m.unused, m.stacks, m.total, m.released)
	v.Tx.EachShard(func(sh *keyspace.Shard) {
		s := sh.Mem().Stats()
		fmt.Fprintf(&b, "Shard %d: slabs used %d, held %d, gaps %d, spare %d, resident %d, mapped %d, tables %d\n",
			sh.ID(), s.Used, s.Held, s.Gaps, s.Spare, s.Resident, s.Mapped, sh.TableBytes())
	})
	return resp.VerbatimText("txt", b.String())
}
