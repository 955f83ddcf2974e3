package keyspace

import (
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// Where keys were deleted here and there, the slabs have gaps: slots that are
// free and whose pages can't go back to the system, because of what lives beside
// them. When gaps have become a share of what is held, a pass of compaction
// makes a plan (see slab.Heap.Plan), goes through all keys and the elements of
// all Objects, and moves what the plan wants moved. It does so in slices, with
// commands in between: an entry's place is known only to the table and the
// orders of deadlines, which are told at once. A save under way is not disturbed:
// it goes by hashes, and what Frozen values share with others stays where it is.

// Compaction says when shards compact their memory, and how eagerly.
type Compaction struct {
	// On says that it begins by itself.
	On bool
	// Ignore is how many bytes of gaps a shard may have.
	Ignore int64
	// Lower is from which percentage on, of gaps to what is held, it begins; from
	// Upper on it is as eager as it gets.
	Lower, Upper int64
	// CycleMin and CycleMax are how eager it is: percentages of a processor's time.
	CycleMin, CycleMax int64
}

// compaction is a shard's part in it.
type compaction struct {
	stage  stage
	asked  bool   // for by MEMORY PURGE: any gain is welcome
	db     int    // of the keys that the pass has come to
	object int    // the number of the Object that it has come to
	cursor uint64 // how far in that database, or Object
	share  int64  // the percentage of a processor's time that the pass is to take
	again  int64  // the gaps that there must be for another pass
}

// stage is how far a pass has come.
type stage uint8

const (
	resting stage = iota
	planning
	movingKeys
	movingElements
	trimming
)

// compactSlice is how much there is in one slice, counted as slab.Heap.Effort
// does and one for each bucket of a table: well under a millisecond's worth.
const compactSlice = 1024

// planEffort is what a step of a plan takes.
const planEffort = 64

// CompactionWanted reports whether there are gaps enough for a pass to begin. A
// save under way is left in peace.
func (sh *Shard) CompactionWanted(c *Compaction) bool {
	gaps := sh.mem.Gaps()
	return c.On && gaps > max(c.Ignore, sh.compaction.again) && 100*gaps > c.Lower*sh.mem.Held() &&
		sh.save == nil && !sh.Garbage()
}

// pressed is the settings for a node whose memory is short: gaps are wanted back
// sooner, and with all eagerness.
func (c Compaction) pressed() Compaction {
	c.Lower, c.CycleMin = c.Lower/2, c.CycleMax
	return c
}

// Compacting reports whether a pass is under way.
func (sh *Shard) Compacting() bool { return sh.compaction.stage != resting }

// CompactionShare is the percentage of a processor's time that the pass under way
// may take; 0 if there is none.
func (sh *Shard) CompactionShare() int64 { return sh.compaction.share }

// AskCompaction begins a pass, whatever it gains and whether On or not.
func (sh *Shard) AskCompaction() {
	sh.compaction = compaction{stage: planning, asked: true, share: 100}
}

// share is how eager a pass is: as far between the least and the most as the gaps
// are between the thresholds.
func (c *Compaction) share(mem *slab.Heap) (percent int64) {
	gaps := 100 * mem.Gaps() / max(1, mem.Held())
	if gaps >= c.Upper || c.CycleMax <= c.CycleMin {
		return c.CycleMax
	}
	return c.CycleMin + (c.CycleMax-c.CycleMin)*max(0, gaps-c.Lower)/max(1, c.Upper-c.Lower)
}

// Compact does a slice of the pass under way, or begins one if that is wanted,
// and reports whether there is more to be done.
func (sh *Shard) Compact(c *Compaction) (more bool) { return sh.compact(c, compactSlice) }

func (sh *Shard) compact(c *Compaction, effort int) (more bool) {
	pass := &sh.compaction
	switch {
	case pass.stage == resting && sh.CompactionWanted(c):
		sh.compaction = compaction{stage: planning, share: c.share(sh.mem)}
	case !c.On && !pass.asked:
		pass.stage = resting
	}
	for effort > 0 && pass.stage != resting {
		effort = sh.compactSome(c, effort) - 1
	}
	sh.allocs = sh.mem.Allocs() // nobody owes anything for what was moved
	return sh.Compacting()
}

// compactSome does a part of the present stage, and returns what is left of the
// effort.
func (sh *Shard) compactSome(c *Compaction, effort int) (left int) {
	switch sh.compaction.stage {
	case planning:
		return effort - sh.planCompaction(c)
	case movingKeys, movingElements:
		m := sh.mem.Mover(effort)
		if sh.compaction.stage == movingKeys {
			sh.moveKeys(&m)
		} else {
			sh.moveElements(&m)
		}
		return m.Left
	}
	before := sh.mem.Effort()
	if !sh.mem.TrimStep() {
		sh.endCompaction(c)
	}
	return effort - int(sh.mem.Effort()-before)
}

// planCompaction makes a part of the plan.
func (sh *Shard) planCompaction(c *Compaction) (took int) {
	pass := &sh.compaction
	worth := c.Ignore / 4
	if pass.asked {
		worth = 1
	}
	switch {
	case !sh.mem.Plan(worth):
	case sh.mem.Marked() > 0 || pass.asked:
		pass.stage = movingKeys
	default:
		sh.endCompaction(c)
	}
	return planEffort
}

// endCompaction ends a pass. Another one begins when there are notably more gaps
// than it has left.
func (sh *Shard) endCompaction(c *Compaction) {
	gaps := sh.mem.Gaps()
	sh.compaction = compaction{again: gaps + gaps/4 + c.Ignore/4}
}

// moveKeys goes on through the tables.
func (sh *Shard) moveKeys(m *slab.Mover) {
	pass := &sh.compaction
	for ; !m.Spent() && pass.stage == movingKeys; m.Left-- {
		if pass.db >= sh.opened {
			pass.stage, pass.cursor = movingElements, 0
			break
		}
		at := home{sh, &sh.dbs[pass.db]}
		if at.d.keys == nil || at.moveSome(m, &pass.cursor) {
			pass.db, pass.cursor = pass.db+1, 0
		}
	}
	sh.Stats.Stayed, sh.Stats.Moved = sh.Stats.Stayed+m.Stayed, sh.Stats.Moved+m.Moved
	sh.Stats.KeysStayed, sh.Stats.KeysMoved = sh.Stats.KeysStayed+m.Stayed, sh.Stats.KeysMoved+m.Moved
}

// tightening is the cursor of a table that has been walked: what is left is to
// make it smaller, if it has become too large.
const tightening = 1 << 63

// moveSome goes on through a table, and reports whether it is done.
func (at home) moveSome(m *slab.Mover, cursor *uint64) (done bool) {
	if *cursor == tightening || m.Done() {
		*cursor = tightening
		m.Left -= table.TightenEffort
		return !at.d.keys.Tighten(1)
	}
	*cursor = at.d.keys.Scan(*cursor, func(slot *table.Slot) {
		if m.Wants(slot.Ref()) {
			at.moveEntry(m, slot)
		}
	})
	if *cursor == 0 {
		*cursor = tightening
	}
	return false
}

// moveEntry moves the entry of a slot.
func (at home) moveEntry(m *slab.Mover, slot *table.Slot) {
	head := readHeader(at.sh.mem, slot.Ref())
	v := Value{home: at, slot: slot, head: head}
	m.Move(slot.Ref(), head.size(), func(to slab.Ref) {
		for e := range endings {
			if head.has(e.flag()) {
				at.d.due[e].of(&head).SetRef(v.place(e), to)
			}
		}
		slot.SetRef(to)
	})
}

// moveElements goes on through the Objects.
func (sh *Shard) moveElements(m *slab.Mover) {
	pass := &sh.compaction
	for ; !m.Spent(); m.Left-- {
		if pass.object >= len(sh.objects.list) {
			pass.stage = trimming
			break
		}
		obj := sh.objects.list[pass.object]
		if obj != nil {
			pass.cursor = obj.Compact(m, pass.cursor)
		}
		if obj == nil || pass.cursor == 0 {
			pass.object, pass.cursor = pass.object+1, 0
		}
	}
	sh.Stats.Stayed, sh.Stats.Moved = sh.Stats.Stayed+m.Stayed, sh.Stats.Moved+m.Moved
}
