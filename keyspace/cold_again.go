package keyspace

// Room for a value that was fetched has to be made by spilling another. That is
// for nothing if the one is needed no more often than the other. So a value
// stays hot only if it had been used, before the batch that fetched it, since
// those that were spilled last: what is read once, or by a scan, costs its reading
// and no more, and what is used twice within the time for which values stay in
// memory stays there as well.

// CoolAgain makes values cold that a batch has fetched, has used, and that are no
// hotter than those that are spilled to make room. Short says that room is needed.
func (tx *Tx) CoolAgain(x *Execute, short bool) {
	if !short || x.cold == nil || x.cold.again {
		return
	}
	for i := range x.cold.wants {
		w := &x.cold.wants[i]
		if tx.score(w.stamp) < tx.score(w.at.cold.gone) {
			continue
		}
		v, found := (home{w.at, &w.at.dbs[w.db]}).byTwin(w.hash, w.Number)
		if found && v.slot != nil && tx.maySpill(&v) {
			v.chill()
		}
	}
}
