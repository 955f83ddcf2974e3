package keyspace

// Where keys of one size go and such of another come, what is free in the slabs
// is of no use to those that come: more is taken than may be, though no key too
// many is there. Then memory is pressed together: free pages go back to the
// system, and gaps are compacted, whatever the settings say of that. Turns that
// make things worse do a part of it.

const (
	// pressPart is by which part of the limit, one in so many, more may be taken
	// than that, until something is done about it.
	pressPart = 128
	// pressSlice is how much a turn does then, counted as for compaction: four times
	// as much for twice that part, and so on, up to about a millisecond's worth.
	pressSlice = 64
	pressMost  = 4096
	// pressWorth is how many bytes of gaps a pass of compaction has to be worth.
	pressWorth = 64 << 10
)

// press does a slice of it, if it is needed.
func (tx *Tx) press() {
	b := tx.bound
	limit := b.limit.Load()
	over := b.Used() - limit
	tx.EachShard(func(sh *Shard) { over += sh.footprint().used - sh.told.used })
	if limit == 0 || over <= limit/pressPart { // 0: it was taken away since the turn began
		return
	}
	parts := min(over*pressPart/limit, pressPart)
	effort := int(min(pressSlice*parts*parts, pressMost))
	tx.EachShard(func(sh *Shard) { sh.press(&tx.Settings.Compaction, effort) })
}

// press does a slice in the shard.
func (sh *Shard) press(c *Compaction, effort int) {
	mem := sh.mem
	for mem.Stats().Spare > 0 && effort > 0 {
		before := mem.Effort()
		mem.TrimStep()
		effort -= int(mem.Effort() - before)
	}
	if effort <= 0 || sh.suspended() {
		return
	}
	if !sh.Compacting() {
		if sh.pressing { // that pass is over
			sh.pressing, sh.gapsLeft = false, mem.Gaps()
		}
		if mem.Gaps() < sh.gapsLeft+sh.gapsLeft/8+pressWorth {
			return
		}
		sh.AskCompaction()
		sh.pressing = true
	}
	sh.compact(c, effort)
}

// suspended reports whether garbage comes first.
func (sh *Shard) suspended() bool { return len(sh.garbage.objects)+len(sh.garbage.tables) > 0 }
