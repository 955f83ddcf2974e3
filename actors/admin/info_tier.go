package admin

import "github.com/troupedb/troupe/keyspace"

// tier tells of the values that are on disk.
func (r *report) tier() {
	s, sum := r.system.Tier.Status(), r.shardStats()
	keys, bytes := 0, int64(0)
	r.Tx.EachShard(func(sh *keyspace.Shard) {
		keys += sh.ColdKeys()
		bytes += sh.ColdBytes()
	})
	trouble := "ok"
	if s.Trouble != nil {
		trouble = s.Trouble.Error()
	}
	r.Add("tier_status", trouble)
	r.Add("tier_keys", keys)
	r.Bytes("tier_values", bytes)
	r.Bytes("tier_disk", s.DiskBytes)
	r.Bytes("tier_memory", s.MemoryBytes)
	r.Add("tier_hits", max(0, sum.Hits-sum.Fetched))
	r.Add("tier_fetches", sum.Fetched)
	r.Add("tier_held_fetches", sum.HeldFetches)
	r.Add("tier_spills", sum.Spilled)
	r.Add("tier_written_bytes", s.Written)
	r.Add("tier_pending_bytes", r.system.Node.Leaving())
	r.Add("tier_forgotten", s.Forgotten)
	r.Add("tier_read_errors", s.ReadErrors)
	r.Add("tier_write_errors", s.WriteErrors)
}
