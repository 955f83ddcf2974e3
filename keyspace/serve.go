package keyspace

import (
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// fed is a key that somebody waits for, and that may hold it now: a value of
// a type that it did not hold before, or of a stream that has changed.
type fed struct {
	db  int
	key string
}

// Feed tells those who wait for a key, if anybody does, that its value has
// changed in a way that they may have waited for: see Wait.Ready.
func (tx *Tx) Feed(key []byte) {
	if at := tx.homeOf(key); len(at.d.waiting) > 0 {
		tx.feed(at, key)
	}
}

// lost is feed for a value that goes: who waits for entries of a stream is told.
func (tx *Tx) lost(v *Value) {
	if v.head.typ == Stream && len(v.d.waiting) > 0 {
		tx.feed(v.home, v.Key())
	}
}

// feed notes that a key holds a value of a new type. Who waits for that is
// served when the present command, or the transaction that it is part of, has
// ended.
func (tx *Tx) feed(at home, key []byte) {
	if at.d.waiting[string(key)] != nil {
		tx.fed = append(tx.fed, fed{tx.DB, string(key)})
	}
}

// feedAll is feed for all keys of a database in one shard.
func (tx *Tx) feedAll(sh *Shard, db int) {
	for key := range sh.dbs[db].waiting {
		tx.fed = append(tx.fed, fed{db, strings.Clone(key)})
	}
}

// serveFed gives the keys that have been fed to those who wait, key after key
// and each line in order. What a waiter does may feed others.
func (tx *Tx) serveFed() {
	caller, noTouch, db, shielded := tx.Caller, tx.noTouch, tx.DB, tx.shielded
	tx.shielded = true // who has fed a key is done, and does not begin anew
	for i := 0; i < len(tx.fed); i++ {
		tx.DB = tx.fed[i].db
		tx.serveLine([]byte(tx.fed[i].key))
	}
	tx.closeChange() // of a key that nobody got, since it was past its deadline
	clear(tx.fed)
	tx.fed = tx.fed[:0]
	tx.Caller, tx.noTouch, tx.DB, tx.shielded = caller, noTouch, db, shielded
}

// serveLine serves those who wait for a key, as long as there is something
// for them. Those who wait for a value of another type stay.
func (tx *Tx) serveLine(key []byte) {
	at := tx.homeOf(key)
	l := at.d.waiting[string(key)]
	if l == nil {
		return
	}
	for _, w := range append([]*Waiter(nil), l.waiters...) {
		switch v := tx.Outline(key); {
		case w.Ready != nil:
			if !tx.isReady(w, key) {
				continue
			}
		case v.Missing() && l.asking == 0:
			return
		case !v.Is(w.Type):
			continue
		}
		if w.Claim() {
			tx.serve(w, key)
		}
		at.leaveLine(w, key)
	}
}

// serve runs a waiter's command for a key. Its change is one of its own.
func (tx *Tx) serve(w *Waiter, key []byte) {
	tx.Caller, tx.noTouch, tx.DB = w.caller, w.noTouch, w.db
	outer, edits := tx.args, tx.effects.edits
	tx.args.Reset(&w.spec.Meta, w.argv)
	w.reply = w.encoder.Append(nil, tx.serving(w, key))
	tx.args = outer
	tx.recordCommand(&w.spec.Meta, w.argv, w.db, edits)
	w.Leave(tx)
	tx.served = append(tx.served, w)
	tx.closeChange()
}

// isReady asks a waiter whether a key has what it waits for: not, if the value
// can't be read.
func (tx *Tx) isReady(w *Waiter, key []byte) bool {
	var unread resp.Reply
	ready := false
	func() {
		defer tx.answerLost(tx.effects.edits, &unread)
		ready = w.Ready(tx, key)
	}()
	return ready
}

// serving is what a waiter gets: an error, if that needs a value that can't be
// read.
func (tx *Tx) serving(w *Waiter, key []byte) (reply resp.Reply) {
	defer tx.answerLost(tx.effects.edits, &reply)
	return w.Serve(tx, &tx.args, key)
}

// tellServed hands the replies out.
func (tx *Tx) tellServed(t *Turn) {
	if len(tx.served) == 0 {
		return
	}
	version := uint64(0)
	tx.EachShard(func(sh *Shard) { version = max(version, sh.version) })
	for _, w := range tx.served {
		if t.Hold != nil {
			t.Hold(version, func() { w.waiting.Served(w, w.reply) })
		} else {
			w.waiting.Served(w, w.reply)
		}
	}
	clear(tx.served)
	tx.served = tx.served[:0]
}

// Widen adds to the shards that a batch visits those that its commands may
// come to change through waiters of this shard: a BLMOVE which waits for one
// of their keys passes the element on to a key elsewhere, where another one
// may wait. It reports whether any was added; the batch then has to begin its
// visits anew. The shard must be at hand.
func (sh *Shard) Widen(x *Execute, shards int) (added bool) {
	if sh.passing == 0 || len(x.Shards) == shards {
		return false
	}
	before := len(x.Shards)
	for i := range x.Requests {
		q := &x.Requests[i]
		switch {
		case q.Spec == nil:
		case q.Spec.Flags.Has(command.Strays):
			sh.followAll(x, shards)
		default:
			keys, _ := q.Spec.AppendKeys(nil, q.Argv)
			for _, key := range keys {
				sh.follow(x, q.Argv[key.Pos], shards)
			}
		}
	}
	for i := 0; i < len(x.further); i++ {
		sh.follow(x, []byte(x.further[i].key), shards)
	}
	return len(x.Shards) > before
}

// follow notes where the waiters of a key pass on what they get. A command may
// put it in another database than its own.
func (sh *Shard) follow(x *Execute, key []byte, shards int) {
	if ShardOf(key, shards) != sh.id {
		return
	}
	for db := range sh.dbs {
		sh.dbs[db].waiting[string(key)].follow(x, shards)
	}
}

// followAll is follow for all keys: a script uses others than it names.
func (sh *Shard) followAll(x *Execute, shards int) {
	for db := range sh.dbs {
		for _, l := range sh.dbs[db].waiting {
			l.follow(x, shards)
		}
	}
}

// follow is Shard.follow for a line, nil if nobody waits.
func (l *line) follow(x *Execute, shards int) {
	if l == nil || l.passing == 0 {
		return
	}
	for _, w := range l.waiters {
		if w.Also == 0 {
			continue
		}
		next := fed{w.db, string(w.argv[w.Also])}
		if !x.leadsTo(next) {
			x.further = append(x.further, next)
			x.Visit(ShardOf([]byte(next.key), shards))
		}
	}
}

// leadsTo reports whether a key is among those noted by follow.
func (x *Execute) leadsTo(next fed) bool {
	for _, have := range x.further {
		if have == next {
			return true
		}
	}
	return false
}
