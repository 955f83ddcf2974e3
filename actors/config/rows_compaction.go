package config

import "github.com/troupedb/troupe/actors"

// compactionRows are about memory that has gaps. Unlike in Redis, it is compacted
// by default, and from fewer bytes on: it costs no more than its share.
var compactionRows = []Setting{
	{Name: "activedefrag", Kind: Bool, Default: "yes", Group: groupKeyspace, effect: compacting,
		Help: "Compact memory where many keys were deleted here and there, and give back what that frees."},
	{Name: "active-defrag-ignore-bytes", Kind: Memory, Default: "8mb", Min: 1, Max: longMax, Group: groupKeyspace, effect: compacting,
		Help: "How many bytes of gaps are left alone."},
	{Name: "active-defrag-threshold-lower", Kind: Int, Default: "10", Max: 1000, Group: groupKeyspace, effect: compacting,
		Help: "From which percentage of gaps on memory is compacted."},
	{Name: "active-defrag-threshold-upper", Kind: Int, Default: "100", Max: 1000, Group: groupKeyspace, effect: compacting,
		Help: "From which percentage on that takes active-defrag-cycle-max."},
	{Name: "active-defrag-cycle-min", Kind: Int, Default: "1", Min: 1, Max: 99, Group: groupKeyspace, effect: compacting,
		Help: "The least percentage of a processor's time that compaction takes of a shard."},
	{Name: "active-defrag-cycle-max", Kind: Int, Default: "25", Min: 1, Max: 99, Group: groupKeyspace, effect: compacting,
		Help: "The most of it."},
}

// compact says when shards compact their memory. The bytes of gaps are shared by
// all of them.
func compact(c *Config, s *actors.System) error {
	set := *s.Node.Settings()
	set.Compaction.On = c.Bool("activedefrag")
	set.Compaction.Ignore = c.Int("active-defrag-ignore-bytes") / int64(s.Node.Len())
	set.Compaction.Lower, set.Compaction.Upper = c.Int("active-defrag-threshold-lower"), c.Int("active-defrag-threshold-upper")
	set.Compaction.CycleMin, set.Compaction.CycleMax = c.Int("active-defrag-cycle-min"), c.Int("active-defrag-cycle-max")
	s.Node.SetSettings(&set)
	s.Node.Reconsider()
	return nil
}
