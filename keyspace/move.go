package keyspace

// Copy makes the key dst of the database db hold what v holds, with its
// deadline, whatever dst was before. event is the change of dst.
func (tx *Tx) Copy(v Value, dst []byte, db int, event string) {
	deadline, fields := tx.Deadline(v), v.fieldDeadline()
	var copied Object
	if v.IsObject() {
		copied = v.Object().Copy(v.sh.mem, tx.shardOf(dst).mem)
	}
	home := tx.DB
	tx.DB = db
	if copied != nil {
		tx.PutObject(dst, copied, deadline, event)
	} else {
		tx.put(dst, put{v.head.typ, v.head.enc, false, v.Packed(), deadline, event})
	}
	tx.ExpireFields(dst, fields)
	tx.DB = home
}

// Transfer is how a move is made known: of the key that goes, and of the one
// that comes.
type Transfer struct{ Gone, Made string }

// Rename makes dst of the database db hold what src of the present one does,
// which must exist, and removes src.
func (tx *Tx) Rename(src, dst []byte, db int, events Transfer) {
	tx.DB, db = db, tx.DB
	tx.Outline(dst) // if it is past its deadline, it goes before anything else happens
	tx.DB, db = db, tx.DB
	v := tx.Peek(src)
	if v.IsObject() && v.sh == tx.shardOf(dst) {
		tx.handOver(v, dst, db, events)
		return
	}
	tx.Copy(v, dst, db, events.Made)
	tx.Remove(tx.Outline(src), events.Gone)
	if n := len(tx.events); n >= 2 { // made known in this order, as by Redis
		tx.events[n-2], tx.events[n-1] = tx.events[n-1], tx.events[n-2]
	}
}

// handOver moves an Object within its shard without copying it.
func (tx *Tx) handOver(v Value, dst []byte, db int, events Transfer) {
	obj, number, deadline, fields := v.Object(), v.number(), tx.Deadline(v), v.fieldDeadline()
	tx.keep(&v)
	tx.told(&v, events.Gone)
	tx.lost(&v)
	v.drop(false)
	var payload [4]byte
	putUint32(payload[:], number)
	home := tx.DB
	tx.DB = db
	tx.put(dst, put{obj.Type(), obj.Encoding(), true, payload[:], deadline, events.Made})
	tx.ExpireFields(dst, fields)
	tx.DB = home
}

// Flush removes every key of the databases given, in the shards at hand. The
// watchers of keys that existed are told.
func (tx *Tx) Flush(databases ...int) {
	home := tx.DB
	tx.forgetAll()
	tx.EachShard(func(sh *Shard) {
		for _, i := range databases {
			tx.DB = i
			tx.flush(sh, &sh.dbs[i])
		}
	})
	tx.DB = home
}

func (tx *Tx) flush(sh *Shard, d *db) {
	sh.forgetUses(d)
	if d.keys == nil || d.keys.Len() == 0 {
		return
	}
	tx.touchExisting(sh, d)
	tx.feedAll(sh, tx.DB)
	sh.Stats.Changes += int64(d.keys.Len())
	tx.effects.edits++
	tx.dirty, sh.dirty = true, true
	sh.discardTable(d)
}

// touchExisting tells the watchers of the keys that exist now.
func (tx *Tx) touchExisting(sh *Shard, d *db) {
	for key, list := range d.watched {
		v := Value{home: home{sh, d}}
		if v.slot, v.head = v.find([]byte(key), sh.hash([]byte(key))); v.slot == nil || v.overdue(keyEnds, tx.now) {
			continue
		}
		tx.touch(list)
	}
}

// SwapDB exchanges the contents of two databases in the shards at hand. Who
// watches a key of one of them goes on watching that database, and is told if
// the key existed before or exists now.
func (tx *Tx) SwapDB(a, b int) {
	tx.effects.edits++
	tx.EachShard(func(sh *Shard) {
		x, y := &sh.dbs[a], &sh.dbs[b]
		tx.touchExisting(sh, x)
		tx.touchExisting(sh, y)
		sh.flagAll(x, false)
		sh.flagAll(y, false)
		x.keys, y.keys = y.keys, x.keys
		x.due, y.due = y.due, x.due
		x.gone, y.gone = y.gone, x.gone
		swapSaving(x, y)
		sh.flagAll(x, true)
		sh.flagAll(y, true)
		tx.touchExisting(sh, x)
		tx.touchExisting(sh, y)
		tx.feedAll(sh, a)
		tx.feedAll(sh, b)
		sh.opened = max(sh.opened, a+1, b+1)
		tx.dirty, sh.dirty = true, true
	})
}

// flagAll sets or clears the watched mark of all entries that d's watchers ask for.
func (sh *Shard) flagAll(d *db, on bool) {
	for key := range d.watched {
		home{sh, d}.flagWatched([]byte(key), on)
	}
}
