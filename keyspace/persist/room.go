package persist

import "github.com/troupedb/troupe/keyspace"

// A log does not say how many keys it makes, and a table that grows by itself
// hashes every key again at each doubling, which is a third of what a start takes.
// So room is made in larger steps for a log that goes on as it is, and what is too
// much is given back at the end.

const (
	// roomSteps is how many times as large as it is a table is made at most.
	roomSteps = 4
	// roomFrom is how many keys a table has for which it is worth the while.
	roomFrom = 4096
)

func keysOf(tx *keyspace.Tx, db int) (keys int) {
	tx.EachShard(func(sh *keyspace.Shard) { keys += sh.Keys(db) })
	return keys
}

// foresee makes room if hardly any effect of a batch was about a key that was
// there, and as many are to follow as will fill it. Of the batch's database there
// were so many keys before.
func (f *feed) foresee(tx *keyspace.Tx, b *batch, before int) {
	db := b.effects[0].db
	keys := keysOf(tx, db)
	if keys < max(f.room, roomFrom) || (keys-before)*8 < len(b.effects)*7 {
		return
	}
	if want := roomFor(keys, b.ahead); want > 0 {
		tx.Reserve(db, want)
		f.room = want
	}
}

// roomFor is for how many keys room is made when more are to come; 0 if that is not
// worth the while. The steps are such that the last one is the largest.
func roomFor(keys, more int) int {
	want := keys + more
	for want > roomSteps*keys {
		want /= roomSteps
	}
	if want <= 2*keys {
		return 0
	}
	return want
}

// unreserve gives back what was too much.
func (l *loader) unreserve() error {
	for _, f := range l.feeds {
		if f.room == 0 {
			continue
		}
		if broken := l.place.Visit([]int{f.shard}, (*keyspace.Tx).Unreserve); broken != nil {
			return errWhileLoading(broken)
		}
	}
	return nil
}
