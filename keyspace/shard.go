// Package keyspace owns the data: shards of keys and values, their deadlines,
// and who watches which key. A Shard is plain data with plain methods, with
// no clock, goroutine, lock or logger of its own; actor.go makes it an actor.
//
// It promises that a command sees one instant and changes all or nothing that
// it says; that a key past its deadline is never seen; and that whoever
// watches a key is told of each change, whatever caused it.
package keyspace

import (
	"github.com/troupedb/troupe/keyspace/deadline"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// Shard is a range of the hash slots: the keys, in every database, whose slot
// falls into it. One owner at a time works on it, in turns.
type Shard struct {
	id         int
	seed       uint64
	mem        *slab.Heap
	dbs        []db
	opened     int // no database from this number on has ever had a key
	objects    objects
	garbage    garbage
	compaction compaction
	tracked    tracked   // read by clients that keep caches
	passing    int       // waiters that change another key too
	save       *saving   // that is under way, or nil
	allocs     uint64    // the heap's, at the end of the last turn
	told       footprint // what the Bound was told
	pool       pool      // of keys that may go
	pressing   bool      // compaction is under way because memory is short
	gapsLeft   int64     // that such a pass has left
	short      bool      // memory is short, and what could be done in a turn did not end that
	cold       cold      // values that are not in memory
	remembers  bool      // a database of it does: see remembered.go

	now     int64  // the last turn's time, Unix milliseconds; never goes back
	version uint64 // that of the last change
	dirty   bool   // changed in the present turn
	tx      Tx     // the one of the present turn, kept for its buffers

	// Counters over the shard's life.
	Stats Stats
}

// Stats are a shard's counters, as INFO shows their sums.
type Stats struct {
	Hits, Misses int64 // look-ups by reading commands
	Expired      int64 // keys gone at their deadline
	Evicted      int64 // keys gone to make room
	Changes      int64 // keys changed
	Batches      int64 // of commands that have run
	RanFor       int64 // for how long these have, in nanoseconds

	// What compaction has moved of entries and elements, and what it left where
	// it was; the same of entries alone.
	Moved, Stayed         int64
	KeysMoved, KeysStayed int64
	// CompactedFor is for how long passes of compaction have lasted, in
	// nanoseconds, CompactingFor that of the one under way.
	CompactedFor, CompactingFor int64
	// Freed is how many large values, and keys of flushed databases, were freed
	// in slices.
	Freed       int64
	Spilled     int64 // values written to the tier
	Fetched     int64 // values read from it
	HeldFetches int64 // of those, how many while the shard was held
}

// db is one database's part of a shard.
type db struct {
	keys    *table.Table // nil until the first key
	due     deadlines    // likewise
	watched watches
	waiting lines
	saving  *source // the walk of keys by a save, until it is done
	gone    remembered
}

// NewShard makes an empty shard with the number id and so many databases. The
// seed scatters the keys; it decides the order that SCAN shows.
func NewShard(id, databases int, seed uint64) *Shard {
	return &Shard{id: id, seed: seed, mem: slab.New(), dbs: make([]db, databases)}
}

// Close gives all memory back. The shard is not used again.
func (sh *Shard) Close() {
	for i := range sh.dbs {
		sh.dbs[i].close()
	}
	sh.mem.Close()
	if sh.cold.tier != nil {
		sh.cold.tier.Drop(sh.cold.first)
	}
}

func (d *db) close() {
	if d.keys != nil {
		d.keys.Close()
		for _, order := range d.due.orders() {
			order.Close()
		}
	}
	d.keys, d.due = nil, deadlines{}
	d.gone.lines.Close()
}

// ID is the shard's number.
func (sh *Shard) ID() int { return sh.id }

// Mem is the shard's slab heap.
func (sh *Shard) Mem() *slab.Heap { return sh.mem }

// Version is that of the shard's last change.
func (sh *Shard) Version() uint64 { return sh.version }

// Databases is the number of databases.
func (sh *Shard) Databases() int { return len(sh.dbs) }

// Keys is the number of keys of a database in this shard, those past their
// deadline and not yet gone included.
func (sh *Shard) Keys(db int) int {
	if sh.dbs[db].keys == nil {
		return 0
	}
	return sh.dbs[db].keys.Len()
}

// Expiring is the number of keys of a database that have a time to live.
func (sh *Shard) Expiring(db int) int {
	if sh.dbs[db].keys == nil {
		return 0
	}
	return sh.dbs[db].due[keyEnds].len()
}

// WatchedKeys is the number of keys that somebody watches, in all databases.
func (sh *Shard) WatchedKeys() (n int) {
	for i := range sh.dbs {
		n += len(sh.dbs[i].watched)
	}
	return n
}

// TableBytes is the memory of tables and deadline orders, outside the slabs.
func (sh *Shard) TableBytes() (n int64) {
	for i := range sh.dbs {
		d := &sh.dbs[i]
		n += d.gone.lines.Bytes()
		if d.keys == nil {
			continue
		}
		n += d.keys.Bytes()
		for _, order := range d.due.orders() {
			n += order.Bytes()
		}
	}
	return n
}

// open makes the tables of a database that is about to get its first key.
func (sh *Shard) open(d *db) {
	if d.keys != nil {
		return
	}
	d.keys = table.New(sh.hashOf)
	for e := range endings {
		moved := func(r slab.Ref, pos uint32) { sh.placeMoved(e, r, pos) }
		d.due[e] = parts{watched: deadline.New(moved), others: deadline.New(moved)}
	}
	for i := range sh.dbs {
		if &sh.dbs[i] == d {
			sh.opened = max(sh.opened, i+1)
		}
	}
}

func (sh *Shard) hash(key []byte) uint64 { return table.Hash(sh.seed, key) }

// hashOf is the hash of the entry at r, for the table when it grows.
func (sh *Shard) hashOf(r slab.Ref) uint64 {
	head := readHeader(sh.mem, r)
	return sh.hash(sh.mem.Bytes(r, head.size())[head.keyAt:head.valueAt()])
}

// placeMoved writes an entry's new place in an order into it.
func (sh *Shard) placeMoved(e ending, r slab.Ref, pos uint32) {
	head := readHeader(sh.mem, r)
	putUint32(sh.mem.Bytes(r, head.keyAt)[head.placeAt(e):], pos)
}

// find looks for a key, whether past its deadline or not.
func (at home) find(key []byte, hash uint64) (*table.Slot, header) {
	if at.d.keys == nil {
		return nil, header{}
	}
	probe := at.d.keys.Probe(hash)
	for slot := probe.Next(); slot != nil; slot = probe.Next() {
		if head, same := at.sh.holds(slot.Ref(), key); same {
			return slot, head
		}
	}
	return nil, header{}
}

// holds reads the head of the entry at r, and whether its key is key.
func (sh *Shard) holds(r slab.Ref, key []byte) (head header, same bool) {
	head = readHeader(sh.mem, r)
	same = head.keyLen == len(key) && string(sh.mem.Bytes(r, head.valueAt())[head.keyAt:]) == string(key)
	return head, same
}

// place is the value's in an order, which it must have.
func (v *Value) place(e ending) (pos uint32) {
	return getUint32(v.sh.mem.Bytes(v.slot.Ref(), v.head.keyAt)[v.head.placeAt(e):])
}

// deadline is when the value, or the first of its fields, ends, in Unix
// milliseconds; there must be an end.
func (v *Value) deadline(e ending) int64 {
	when, _ := v.d.due[e].of(&v.head).At(v.place(e))
	return when
}

// overdue reports whether the value is past its deadline at the time now, or
// the first of its fields is.
func (v *Value) overdue(e ending, now int64) bool {
	return v.head.has(e.flag()) && v.deadline(e) <= now
}
