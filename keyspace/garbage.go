package keyspace

import (
	"github.com/troupedb/troupe/keyspace/deadline"
	"github.com/troupedb/troupe/keyspace/table"
)

// freeSlice is how many elements or entries are freed in one go: what is left
// of a big value or a flushed database goes in slices, commands in between.
const freeSlice = 512

// garbage is memory that no key owns any more and that is not yet free.
type garbage struct {
	objects []Object
	tables  []discarded
}

// discarded is a flushed database's table, freed up to the cursor.
type discarded struct {
	keys   *table.Table
	due    *deadline.Queue
	cursor uint64
}

// Sweep frees a slice of the garbage and reports whether some is left.
func (sh *Shard) Sweep() (more bool) {
	g := &sh.garbage
	if n := len(g.objects); n > 0 {
		if g.objects[n-1].Free(sh.mem, freeSlice) {
			g.objects[n-1] = nil
			g.objects = g.objects[:n-1]
		}
		return len(g.objects)+len(g.tables) > 0
	}
	if n := len(g.tables); n > 0 && sh.sweepTable(&g.tables[n-1]) {
		g.tables = g.tables[:n-1]
	}
	return len(g.objects)+len(g.tables) > 0
}

// sweepTable frees a slice of the entries, and the table after the last.
func (sh *Shard) sweepTable(t *discarded) (done bool) {
	for freed := 0; freed < freeSlice; {
		t.cursor = t.keys.Scan(t.cursor, func(slot *table.Slot) {
			head := readHeader(sh.mem, slot.Ref())
			if head.object() {
				sh.freeObject(slot.Ref(), &head)
			}
			sh.mem.Free(slot.Ref(), head.size())
			freed++
		})
		if t.cursor == 0 {
			t.keys.Close()
			t.due.Close()
			return true
		}
	}
	return false
}

// Garbage reports whether there is anything to sweep.
func (sh *Shard) Garbage() bool { return len(sh.garbage.objects)+len(sh.garbage.tables) > 0 }
