package keyspace

import (
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// What is left of big values and flushed databases is freed in slices, with
// commands in between. Work is counted as slab.Heap.Effort does.
const (
	freeSlice  = 512                     // how much is freed in one go
	closeSlice = freeSlice / ChunkEffort // the chunks of a table that are closed in one go
	// ChunkEffort is what closing a chunk of a table takes.
	ChunkEffort = 128
	// owedFrees is what each allocation has to free while there is garbage:
	// more than comes, so that garbage does not grow however busy a shard is.
	owedFrees = 2
)

// garbage is memory that no key owns any more and that is not yet free.
type garbage struct {
	objects []Object
	tables  []discarded
	marks   []slab.Array[markLine] // of what is not remembered any more
	bytes   int64                  // about what the objects take
}

// discarded is a flushed database's table, whose entries up to the cursor are
// free, and its deadlines.
type discarded struct {
	keys   *table.Table
	due    deadlines
	cursor uint64
	empty  bool // no entry is left
}

// Sweep frees a slice of the garbage, well under a millisecond's worth, and
// reports whether some is left.
func (sh *Shard) Sweep() (more bool) {
	more = sh.sweep(freeSlice)
	sh.tellForgotten()
	return more
}

// sweep frees about so much garbage and reports whether some is left.
func (sh *Shard) sweep(effort int) (more bool) {
	for effort > 0 && sh.Garbage() {
		before := sh.mem.Effort()
		if !sh.sweepSome(effort) {
			break
		}
		effort -= int(sh.mem.Effort()-before) + 1
	}
	return sh.Garbage()
}

// sweepSome frees one thing, or as much of it as the effort allows; then it
// reports that this is used up.
func (sh *Shard) sweepSome(effort int) (goOn bool) {
	switch g := &sh.garbage; {
	case len(g.objects) > 0:
		return sh.sweepObject(effort)
	case len(g.tables) > 0:
		return sh.sweepTable(&g.tables[len(g.tables)-1], effort)
	case len(g.marks) > 0:
		return sh.sweepMarks()
	}
	sh.mem.Settle()
	return true
}

// sweepOwed frees what the allocations of a turn owe.
func (sh *Shard) sweepOwed() {
	if allocs := sh.mem.Allocs(); allocs != sh.allocs {
		if sh.Garbage() {
			sh.sweep(owedFrees * int(allocs-sh.allocs))
		}
		sh.allocs = allocs
	}
}

// Garbage reports whether there is anything to sweep.
func (sh *Shard) Garbage() bool {
	return len(sh.garbage.objects)+len(sh.garbage.tables)+len(sh.garbage.marks) > 0 || sh.mem.Unsettled()
}

// sweepObject frees as much of the last object.
func (sh *Shard) sweepObject(effort int) (done bool) {
	g := &sh.garbage
	last := len(g.objects) - 1
	before := sh.mem.Stats().Held
	done = g.objects[last].Free(sh.mem, effort)
	g.bytes = max(0, g.bytes-(before-sh.mem.Stats().Held))
	if !done {
		return false
	}
	g.objects[last] = nil
	g.objects = g.objects[:last]
	if last == 0 {
		g.bytes = 0
	}
	sh.Stats.Freed++
	return true
}

// Pending is how many large values and keys of flushed databases are yet to be
// freed.
func (sh *Shard) Pending() (n int) {
	for i := range sh.garbage.tables {
		n += sh.garbage.tables[i].keys.Len()
	}
	return n + len(sh.garbage.objects)
}

// sweepTable frees as much of the last table: its entries and then itself.
// Objects of the entries become garbage of their own.
func (sh *Shard) sweepTable(t *discarded, effort int) (done bool) {
	for end := sh.mem.Effort() + uint64(effort); !t.empty; t.empty = t.cursor == 0 {
		if sh.mem.Effort() >= end {
			return false
		}
		t.cursor = t.keys.Scan(t.cursor, func(slot *table.Slot) {
			head := readHeader(sh.mem, slot.Ref())
			sh.forget(slot.Ref(), &head)
			sh.countCold(&head, nil)
			if head.object() && !head.cold {
				if obj := sh.takeObject(slot.Ref(), &head); !sh.holdsFrozen(obj) {
					sh.garbage.objects = append(sh.garbage.objects, obj)
				}
			}
			sh.mem.Discard(slot.Ref(), head.size())
		})
	}
	keys := t.keys.Len()
	if !t.keys.CloseSome(closeSlice) {
		return false
	}
	sh.Stats.Freed += int64(keys)
	for _, order := range t.due.orders() {
		if !order.CloseSome(closeSlice) {
			return false
		}
	}
	*t = discarded{}
	sh.garbage.tables = sh.garbage.tables[:len(sh.garbage.tables)-1]
	return true
}

// takeObject takes the Object of an entry out of the shard's list.
func (sh *Shard) takeObject(ref slab.Ref, head *header) Object {
	number := getUint32(sh.mem.Bytes(ref, head.size())[head.valueAt():])
	obj := sh.objects.at(number)
	sh.objects.remove(number)
	return obj
}

// freeObject frees the Object of an entry, or if it is big makes it garbage.
func (sh *Shard) freeObject(ref slab.Ref, head *header) {
	obj := sh.takeObject(ref, head)
	if sh.holdsFrozen(obj) {
		return
	}
	bytes, before := obj.Bytes(), sh.mem.Stats().Held
	if !obj.Free(sh.mem, freeSlice) {
		sh.garbage.objects = append(sh.garbage.objects, obj)
		sh.garbage.bytes += max(0, bytes-(before-sh.mem.Stats().Held))
	}
}
