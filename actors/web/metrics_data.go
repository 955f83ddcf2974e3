package web

import (
	"strconv"
	"sync"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/slab"
)

// shardGauge looks at the shards, each in a turn of its own.
type shardGauge struct {
	node *keyspace.Node

	mu      sync.Mutex
	looking chan struct{} // closed when the look under way is done; nil: there is none
	seen    []shardSeen
}

// shardSeen is what a look has seen of a shard.
type shardSeen struct {
	stats          keyspace.Stats
	slabs          slab.Stats
	keys, expiring int
	tables         int64
}

func newShardGauge(node *keyspace.Node) *shardGauge { return &shardGauge{node: node} }

// lookPatience is how long a look may take: a shard may be at a long script. What
// was seen the time before is told then.
const lookPatience = time.Second

// look looks at all shards.
func (g *shardGauge) look() []shardSeen {
	g.mu.Lock()
	if g.looking == nil {
		g.looking = make(chan struct{})
		go g.visit(g.looking)
	}
	looking := g.looking
	g.mu.Unlock()
	late := time.NewTimer(lookPatience)
	defer late.Stop()
	select {
	case <-looking:
	case <-late.C:
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen
}

func (g *shardGauge) visit(done chan struct{}) {
	seen := make([]shardSeen, g.node.Len())
	for i := range seen {
		g.node.Visit([]int{i}, func(tx *keyspace.Tx) {
			tx.EachShard(func(sh *keyspace.Shard) { seen[i] = see(sh) })
		})
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen, g.looking = seen, nil
	close(done)
}

func see(sh *keyspace.Shard) shardSeen {
	one := shardSeen{stats: sh.Stats, slabs: sh.Mem().Stats(), tables: sh.TableBytes()}
	for db := range sh.Databases() {
		one.keys += sh.Keys(db)
		one.expiring += sh.Expiring(db)
	}
	return one
}

// tellShards returns what the shards take, in bytes.
func (c *collector) tellShards(t *teller) (slabs, tables int64) {
	waiting, deepest := int64(0), int64(0)
	all := c.shards.look()
	for i, one := range all {
		shard := strconv.Itoa(i)
		n := int64(c.server.system.Node.Waiting(i))
		waiting, deepest = waiting+n, max(deepest, n)
		slabs, tables = slabs+one.slabs.Resident, tables+one.tables
		t.gauge("shard_keys", "Keys, by shard.", float64(one.keys), "shard", shard)
		t.gauge("shard_keys_expiring", "Keys with a time to live.", float64(one.expiring), "shard", shard)
		t.gauge("shard_bytes", "Memory of a shard's data: slabs and tables.", float64(one.slabs.Resident+one.tables), "shard", shard)
		t.counter("shard_run_seconds_total", "For how long commands have run in a shard.", float64(one.stats.RanFor)/1e9, "shard", shard)
		t.counter("shard_messages_total", "Messages with commands that a shard has run.", float64(one.stats.Batches), "shard", shard)
		t.gauge("shard_mailbox_messages", "Messages that wait for a shard.", float64(n), "shard", shard)
		t.counter("keyspace_hits_total", "Keys that reading commands have found.", float64(one.stats.Hits), "shard", shard)
		t.counter("keyspace_misses_total", "Keys that they have not.", float64(one.stats.Misses), "shard", shard)
		t.counter("keys_expired_total", "Keys that have gone at their time.", float64(one.stats.Expired), "shard", shard)
		t.counter("keys_evicted_total", "Keys that have gone to make room.", float64(one.stats.Evicted), "shard", shard)
		t.counter("keys_changed_total", "Changes of keys.", float64(one.stats.Changes), "shard", shard)
	}
	t.actors("shard", len(all), waiting, deepest)
	return slabs, tables
}

func (c *collector) tellMemory(t *teller, slabs, tables int64) {
	marks := c.server.system.Memory()
	for kind, n := range map[string]int64{
		"slabs": slabs, "tables": tables, "buffers": slab.InBuffers(), "go": marks.GoNeeds, "program": marks.Base,
	} {
		t.gauge("memory_bytes", "What counts against maxmemory: keys and values, the tables that find them, large requests and replies, Go's heap, the program.",
			float64(n), "kind", kind)
	}
	t.gauge("memory_limit_bytes", "maxmemory; 0 is no limit.", float64(c.server.system.Node.Bound().Limit()))
}

func (c *collector) tellDisk(t *teller) {
	if c.server.system.Store == nil {
		return
	}
	st := c.server.system.Store.Status()
	t.gauge("loading", "Whether data are being loaded.", truth(st.Loading != nil))
	t.gauge("changes_since_save", "Changes since the last RDB file.", float64(st.Changes))
	t.gauge("snapshot_last_success_timestamp_seconds", "When the last RDB file was written.", float64(st.Saved.UnixMilli())/1000)
	t.gauge("snapshot_last_duration_seconds", "How long that took.", seconds(st.SaveTook))
	t.gauge("snapshot_last_failed", "Whether the last try has failed.", truth(st.SaveError != nil))
	t.gauge("snapshot_running", "Whether a snapshot is being written.", truth(st.Saving || st.Rewriting))
	t.gauge("snapshot_keys_written", "Keys that it has.", float64(st.Walked))
	t.gauge("snapshot_keys", "Keys that it will have.", float64(st.Total))
	t.counter("snapshots_total", "RDB files that were written.", float64(st.Saves))
	if st.Journal != nil {
		t.journal(st.Journal, st.Trouble)
	}
}

func (t *teller) journal(j *journal.Stats, trouble error) {
	t.gauge("journal_bytes", "Size of the journal.", float64(j.JournalBytes))
	t.gauge("journal_segments", "Files of the journal.", float64(j.Segments))
	t.counter("journal_written_bytes_total", "Bytes of records that were written.", float64(j.Written))
	t.counter("journal_fsyncs_total", "Calls of fsync.", float64(j.Fsyncs))
	t.counter("journal_fsync_seconds_total", "How long these have taken together.", j.FsyncsTook.Seconds())
	t.gauge("journal_fsync_last_seconds", "How long the last one took.", j.LastFsync.Seconds())
	t.gauge("journal_fsync_longest_seconds", "How long the longest one took.", j.LongestFsync.Seconds())
	t.gauge("journal_lag_bytes", "Records that are not known to be on disk.", float64(j.Backlog))
	t.gauge("journal_lag_versions", "Changes that are not known to be on disk.", float64(j.Version-min(j.Durable, j.Version)))
	t.gauge("journal_waiting_seconds", "For how long the disk has not answered the present call.", j.Waiting.Seconds())
	t.counter("journal_failures_total", "Calls of the disk that went wrong.", float64(j.Failures))
	t.gauge("journal_failing", "Whether the disk fails now.", truth(trouble != nil))
}
