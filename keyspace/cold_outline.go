package keyspace

// Outline is Peek for those who need nothing of the value but what is known
// without it, though it be cold: that it is there, its type, its encoding, when
// it ends, its access clock. The value may be removed, and be given another
// deadline; nothing else.
func (tx *Tx) Outline(key []byte) Value {
	if tx.trace != nil {
		tx.trace(key)
	}
	v := Value{home: tx.homeOf(key)}
	v.slot, v.head = tx.find(v.home, key)
	if v.slot == nil {
		return Value{}
	}
	switch {
	case v.overdue(keyEnds, tx.now):
		tx.expire(&v)
		return Value{}
	case v.overdue(fieldEnds, tx.now):
		tx.expireFields(&v, expireSlice)
		v.slot, v.head = v.find(key, v.sh.hash(key))
		if v.slot == nil {
			return Value{}
		}
		v.see(tx.now)
	}
	return v
}

// LookupOutline is Lookup for those who need no more than an Outline.
func (tx *Tx) LookupOutline(key []byte) Value {
	v := tx.Outline(key)
	if v.slot == nil {
		tx.missed(key)
		return v
	}
	v.sh.Stats.Hits++
	if !tx.noTouch {
		tx.mark(v.slot)
	}
	return v
}

// FindOutline is Find for those who need no more than an Outline.
func (tx *Tx) FindOutline(key []byte) Value {
	v := tx.Outline(key)
	if v.slot == nil {
		return v
	}
	if v.d.saving != nil {
		tx.keep(&v)
	}
	if !tx.noTouch {
		tx.mark(v.slot)
	}
	return v
}
