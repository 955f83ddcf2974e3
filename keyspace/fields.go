package keyspace

// Fields of a hash may have deadlines of their own. Of these the keyspace knows
// but the first of each value, which its family tells it: it has an order of
// them beside that of the keys' deadlines, and has the family remove what is
// due (Kind.Expire), on time or when a command looks for the key, whichever
// comes first. A value without such fields takes no memory for this.

// ExpireFields says when the first field of the key's value ends, Unix
// milliseconds, or NoDeadline. A family calls it after each change of a value
// that has, or had, fields which end. Values found before are not good
// afterwards.
func (tx *Tx) ExpireFields(key []byte, when int64) {
	v := Value{home: tx.homeOf(key)}
	v.slot, v.head = v.find(key, tx.hash(v.sh, key))
	has, will := v.slot != nil && v.head.has(flagFields), when >= 0
	switch {
	case has && will:
		v.setDeadline(fieldEnds, &v.head, when)
	case has != will:
		head := v.head
		head.flags ^= flagFields
		head.layout()
		v.move(&head, v.Packed())
		if will {
			v.setDeadline(fieldEnds, &head, when)
		}
	}
}

// Past is the time, Unix milliseconds, up to which fields of the value count
// as gone though they are still there; 0 if there are none such. There are in a
// value with very many that were due at once, of which only a part is removed
// when a command looks for the key, and in one met on a walk.
func (v Value) Past() int64 { return v.past }

// see notes whether there are fields that count as gone at the time now.
func (v *Value) see(now int64) {
	if v.overdue(fieldEnds, now) {
		v.past = now
	}
}

// fieldDeadline is when the first of the value's fields ends, or NoDeadline.
func (v *Value) fieldDeadline() int64 {
	if !v.head.has(flagFields) {
		return NoDeadline
	}
	return v.deadline(fieldEnds)
}

// expireFields removes fields of a value that are past their deadline, with
// about so much effort, and returns what it took. The value is not good
// afterwards.
func (tx *Tx) expireFields(v *Value, effort int) (took int) {
	tx.keep(v)
	e := &tx.effects
	edits, replaced := e.edits, e.replaced
	took = tx.Kind(v.head.typ).Expire(tx, *v, tx.now, effort)
	e.edits, e.replaced = edits, replaced // no command's
	return took
}
