package keyspace

import (
	"strconv"

	"github.com/troupedb/troupe/keyspace/table"
)

// live makes the Value of a slot met while walking a table; ok is false for a
// key past its deadline, or that of its last field, which is skipped and left
// to go in its own turn.
func (tx *Tx) live(sh *Shard, d *db, slot *table.Slot) (v Value, ok bool) {
	v = Value{home: home{sh, d}, slot: slot, head: readHeader(sh.mem, slot.Ref())}
	v.see(tx.now)
	if v.overdue(keyEnds, tx.now) || v.past > 0 && tx.Kind(v.Type()).Len(v) == 0 {
		return Value{}, false
	}
	return v, true
}

// Each calls visit for every live key of the database in the shards at hand
// until it returns false. visit changes nothing.
func (tx *Tx) Each(visit func(Value) bool) {
	going := true
	tx.EachShard(func(sh *Shard) {
		d := &sh.dbs[tx.DB]
		if d.keys == nil || !going {
			return
		}
		d.keys.Each(func(slot *table.Slot) bool {
			if v, ok := tx.live(sh, d, slot); ok {
				going = visit(v)
			}
			return going
		})
	})
}

// ParseCursor reads a cursor: an unsigned 64-bit number. Nothing stands for 0,
// and a sign is allowed, as C's strtoul has it.
func ParseCursor(word []byte) (cursor uint64, ok bool) {
	digits := word
	if len(word) > 1 && (word[0] == '-' || word[0] == '+') {
		digits = word[1:]
	}
	if len(digits) == 0 {
		return 0, true
	}
	cursor, err := strconv.ParseUint(string(digits), 10, 64)
	if word[0] == '-' {
		cursor = -cursor
	}
	return cursor, err == nil
}

// CursorShard is the shard, of n, at which a SCAN cursor stands.
func CursorShard(cursor uint64, n int) int { return int(cursor % uint64(n)) }

// Scan calls visit for the live keys of one step of a walk through the
// database, shard after shard. The walk begins with cursor 0 and ends when 0
// is returned; a key that is there from its begin to its end is visited,
// whatever is added or removed meanwhile (see table.Table.Scan). The shard of
// CursorShard must be at hand: see AtHand. A cursor is the place in the shard
// times the number of shards, plus the shard.
func (tx *Tx) Scan(cursor uint64, visit func(Value)) (next uint64) {
	n := uint64(tx.total)
	sh := tx.heldShard(CursorShard(cursor, tx.total))
	d := &sh.dbs[tx.DB]
	place := uint64(0)
	if d.keys != nil {
		place = d.keys.Scan(cursor/n, func(slot *table.Slot) {
			if v, ok := tx.live(sh, d, slot); ok {
				visit(v)
			}
		})
	}
	if place != 0 {
		return place*n + uint64(sh.id)
	}
	return uint64(sh.id+1) % n
}

// AtHand reports whether the shard at which a cursor stands is at hand.
func (tx *Tx) AtHand(cursor uint64) bool {
	return tx.heldShard(CursorShard(cursor, tx.total)) != nil
}

// heldShard is the shard of that number, nil if it isn't held.
func (tx *Tx) heldShard(id int) *Shard {
	switch {
	case tx.only == nil:
		return tx.shards[id]
	case tx.only.id == id:
		return tx.only
	}
	return nil
}

// randomTries is how many keys past their deadline Random passes over before
// it walks the table instead.
const randomTries = 100

// Random is a live key of the database, each about as likely as any other; a
// missing Value if there is none.
func (tx *Tx) Random() (found Value) {
	total := tx.Len()
	for range randomTries {
		if total == 0 {
			return Value{}
		}
		nth := int(tx.Rand() % uint64(total))
		tx.EachShard(func(sh *Shard) {
			n := sh.Keys(tx.DB)
			if nth >= 0 && nth < n {
				d := &sh.dbs[tx.DB]
				found, _ = tx.live(sh, d, d.keys.Random(tx.Rand()))
			}
			nth -= n
		})
		if !found.Missing() {
			return found
		}
	}
	tx.Each(func(v Value) bool { found = v; return false })
	return found
}

// Len is the number of keys of the database in the shards at hand, those past
// their deadline and not yet gone included, as DBSIZE counts.
func (tx *Tx) Len() (n int) {
	tx.EachShard(func(sh *Shard) { n += sh.Keys(tx.DB) })
	return n
}
