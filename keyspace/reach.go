package keyspace

import "bytes"

// A script names the keys that it uses, and only their shards are held for it.
// Scripts also use keys that they do not name. Such a one is undone and runs
// again over all shards: nobody has seen anything of it, since it all happens
// in one turn.

// HoldsAll reports whether all shards of the node are at hand.
func (tx *Tx) HoldsAll() bool {
	if tx.only != nil {
		return tx.total == 1
	}
	for _, sh := range tx.shards {
		if sh == nil {
			return false
		}
	}
	return true
}

// Holds reports whether the shard of a key is at hand.
func (tx *Tx) Holds(key []byte) bool {
	shard := ShardOf(key, tx.total)
	if tx.only != nil {
		return tx.only.id == shard
	}
	return tx.shards[shard] != nil
}

// Shards is the number of shards of the node, at hand or not.
func (tx *Tx) Shards() int { return tx.total }

// everywhere is the panic of a command that needs all shards. It does not
// leave Run.
type everywhere struct{}

// Everywhere ends the batch before the present command, which has changed
// nothing or has undone it; the owner posts the rest, and that visits all
// shards. It does not return. Commands with the flag Strays may call it.
func (tx *Tx) Everywhere() { panic(everywhere{}) }

// widen readies what is left of a batch to visit all shards.
func (tx *Tx) widen(x *Execute) {
	x.Shards = x.Shards[:0]
	for i := range tx.total {
		x.Shards = append(x.Shards, i)
	}
}

// Undo keeps what keys held before a command changed them.
type Undo struct {
	kept  []kept
	bytes int
}

type kept struct {
	db               int
	key, packed      []byte
	typ              Type
	enc              Encoding
	exists           bool
	deadline, fields int64
	effects          int // recorded before it was noted
}

// Weight is how much has been noted: bytes, and as many for each key as it may
// take to look through them.
func (u *Undo) Weight() int { return u.bytes + len(u.kept)*keptWeight }

const keptWeight = 256

// Keep notes what a key of the present database holds, unless it has been
// noted. It reports false for a value that is too large to be noted.
func (u *Undo) Keep(tx *Tx, key []byte) (done bool) {
	for i := range u.kept {
		if u.kept[i].db == tx.DB && bytes.Equal(u.kept[i].key, key) {
			return true
		}
	}
	v := tx.Peek(key)
	k := kept{db: tx.DB, key: bytes.Clone(key)}
	if !v.Missing() {
		if v.IsObject() {
			return false
		}
		k.exists, k.typ, k.enc, k.packed = true, v.head.typ, v.head.enc, bytes.Clone(v.Packed())
		k.deadline, k.fields = tx.Deadline(v), v.fieldDeadline()
	}
	k.effects = tx.EffectMark()
	u.bytes += len(k.key) + len(k.packed)
	u.kept = append(u.kept, k)
	return true
}

// gives reports whether a key is given back what it held before an effect which
// stands at a place of the record.
func (u *Undo) gives(db int, key []byte, at int) bool {
	for i := range u.kept {
		if k := &u.kept[i]; k.exists && k.db == db && at >= k.effects && bytes.Equal(k.key, key) {
			return true
		}
	}
	return false
}

// Rewind gives the keys back what they held. Their watchers are told of a
// change though there is none in the end; notifications are not, and nothing is
// recorded.
func (u *Undo) Rewind(tx *Tx) {
	home, events, edits, recording := tx.DB, tx.Settings, tx.effects.edits, tx.effects.on
	quiet := *events
	quiet.Events = false
	tx.Settings, tx.effects.on = &quiet, false
	for i := range u.kept {
		k := &u.kept[i]
		tx.DB = k.db
		tx.Delete(k.key, "")
		if k.exists {
			tx.put(k.key, put{k.typ, k.enc, false, k.packed, k.deadline, ""})
			tx.ExpireFields(k.key, k.fields)
		}
	}
	tx.DB, tx.Settings, tx.effects.edits, tx.effects.on = home, events, edits, recording
	u.kept = nil
}

// EventMark is how many events the turn has noted; ForgetEvents takes back
// those after a mark, but not that keys have ended.
func (tx *Tx) EventMark() int { return len(tx.events) }

// ForgetEvents takes back the events after a mark, except that keys ended.
func (tx *Tx) ForgetEvents(mark int) {
	left := tx.events[:mark]
	for _, e := range tx.events[mark:] {
		if e.Name == "expired" || e.Name == "evicted" {
			left = append(left, e)
		}
	}
	tx.events = left
}
