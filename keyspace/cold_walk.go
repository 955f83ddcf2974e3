package keyspace

// Some commands, and what writes whole databases, need all values one after the
// other. They hold the shards anyway, so they wait for each that is cold, and
// leave it as cold as it was.

// EachWhole is Each for those who need what the values hold.
func (tx *Tx) EachWhole(visit func(Value) bool) {
	tx.Each(func(v Value) bool {
		if !v.head.cold {
			return visit(v)
		}
		tx.thawNow(&v)
		going := visit(v)
		v.chill()
		return going
	})
}

// Whole runs do, which reads what the key holds and changes nothing.
func (tx *Tx) Whole(key []byte, do func()) {
	v := tx.Outline(key)
	if !v.head.cold {
		do()
		return
	}
	tx.thawNow(&v)
	do()
	if v = tx.Outline(key); v.twin() != 0 && tx.maySpill(&v) {
		v.chill()
	}
}
