package keyspace

import (
	"slices"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// Journal is a Log that tells when what was recorded is safe from a crash.
type Journal interface {
	Log
	// Durable is the version up to which all is.
	Durable() uint64
	// WhenDurable calls f once all up to a version is, or at once.
	WhenDurable(version uint64, f func())
}

// keeping is where a node's changes are recorded.
type keeping struct {
	journal Journal
	// holds says that nobody is shown what is not safe yet.
	holds bool
}

// Record makes a journal record all changes from each shard's next turn on. With
// holds, no reply leaves before all is safe that it may show.
func (n *Node) Record(j Journal, holds bool) { n.keeping.Store(&keeping{j, holds}) }

// keep readies a turn to record.
func (k *keeping) keep(t *Turn) {
	t.Log = k.journal
	if k.holds {
		t.Hold = k.journal.WhenDurable
	}
}

// answer ends a batch: its owner hears of it when all is safe that the shards
// held, as their newest version was, may have shown it.
func (n *Node) answer(x *Execute, version uint64) {
	if k := n.keeping.Load(); k != nil && k.holds && !x.Inner && version > k.journal.Durable() && x.showsData() {
		k.journal.WhenDurable(version, x.finish)
		return
	}
	x.finish()
}

// showsData reports whether a reply of the batch may tell of data: those of
// commands for operators, such as INFO, must come though the disk is in trouble.
func (x *Execute) showsData() bool {
	for i := range x.Requests {
		if spec := x.Requests[i].Spec; spec == nil || spec.Group != "server" || spec.Flags&(command.ReadOnly|command.Write) != 0 {
			return true
		}
	}
	return false
}

// Visit runs do in a turn of the shards named, by rising numbers, and returns
// when that is over. It waits, so it is not for actors. Nobody outside may be
// shown what do sees: it waits for no journal.
func (n *Node) Visit(shards []int, do func(*Tx)) *Broken {
	v := visit{make(chan struct{})}
	x := &Execute{Shards: slices.Clone(shards), Heavy: true, Inner: true, Encoder: resp.V3, Requests: []Request{{Do: func(tx *Tx) resp.Reply {
		do(tx)
		return resp.OK
	}}}}
	if !n.Post(x, v) {
		<-v.done
	}
	return x.Broken
}

// VisitEach is Visit for all shards together.
func (n *Node) VisitEach(do func(*Tx)) *Broken {
	x := &Execute{}
	n.VisitAll(x)
	return n.Visit(x.Shards, do)
}

// visit is the owner of a Visit's batch.
type visit struct{ done chan struct{} }

// Executed implements Owner.
func (v visit) Executed(*Execute) { close(v.done) }

// Databases is the number of databases.
func (n *Node) Databases() int { return n.dbs }

// EarlyBytes is how much the shards keep for a save that has not come to it: see
// save.go. Any goroutine may ask.
func (n *Node) EarlyBytes() (sum int) {
	for _, sh := range n.shards {
		sum += int(sh.early.Load())
	}
	return sum
}

// Changes is how many changes of keys there have been. Any goroutine may ask.
func (n *Node) Changes() (sum int64) {
	for _, sh := range n.shards {
		sum += sh.changes.Load()
	}
	return sum
}

// TimedFields reports whether fields of some value of the shards at hand have
// deadlines.
func (tx *Tx) TimedFields() (some bool) {
	tx.EachShard(func(sh *Shard) {
		for i := range sh.dbs[:sh.opened] {
			if d := &sh.dbs[i]; d.keys != nil {
				some = some || d.due[fieldEnds].len() > 0
			}
		}
	})
	return some
}

// StartLoading says that what the shards hold is being put together: nothing
// ends at its deadline meanwhile. Loaded says that it is there, as of a version.
func (n *Node) StartLoading() { n.loading.Store(true) }

// Loaded says that the shards hold what they held at a version.
func (n *Node) Loaded(version uint64) *Broken {
	defer n.loading.Store(false)
	return n.VisitEach(func(tx *Tx) {
		tx.EachShard(func(sh *Shard) { sh.version = version })
	})
}

// Load runs do, which puts values into the keyspace that it had before: nothing
// is past its deadline for it, and nobody is notified.
func (tx *Tx) Load(do func()) { tx.as(0, do) }

// Redo runs an effect again as of a time, Unix milliseconds. Nobody is notified.
func (tx *Tx) Redo(spec *command.Spec[*Tx], e Effect, at int64) (reply resp.Reply) {
	tx.as(at, func() {
		tx.DB = e.DB
		reply = tx.Call(spec, e.Words)
	})
	return reply
}

// as runs do at another time, without limits and without notifications.
func (tx *Tx) as(at int64, do func()) {
	now, settings := tx.now, tx.Settings
	tx.now, tx.Settings = at, tx.unlimited(settings)
	do()
	tx.now, tx.Settings = now, settings
}

// unlimited is settings without limits and notifications.
func (tx *Tx) unlimited(of *Settings) *Settings {
	if tx.redoing.of != of {
		own := *of
		own.Events, own.NewKeys, own.Misses, own.BulkMax = false, false, false, TextMax
		tx.redoing.of, tx.redoing.own = of, &own
	}
	return tx.redoing.own
}

// redoing keeps the settings that things are redone with, and of which they were
// made.
type redoing struct{ of, own *Settings }

// Reserve makes room for so many keys of a database in the shard at hand. It may
// take long: it is for who loads.
func (tx *Tx) Reserve(db, keys int) {
	d := &tx.only.dbs[db]
	tx.only.open(d)
	d.keys.Reserve(keys)
}

// Unreserve gives back what room was made for keys that did not come. It may take
// long, too.
func (tx *Tx) Unreserve() {
	tx.EachShard(func(sh *Shard) {
		for i := range sh.dbs[:sh.opened] {
			if keys := sh.dbs[i].keys; keys != nil {
				for keys.Tighten(1 << 10) {
				}
			}
		}
	})
}

// Holds reports whether nobody is shown what is not safe yet.
func (n *Node) Holds() bool {
	k := n.keeping.Load()
	return k != nil && k.holds
}

// Note records a change beside the keys, in the words of commands, and calls safe
// when its answer may be given.
func (n *Node) Note(safe func(), effects ...[][]byte) {
	k := n.keeping.Load()
	if k == nil || len(effects) == 0 {
		safe()
		return
	}
	var body []byte
	for _, words := range effects {
		body = AppendEffect(body, 0, 0, words)
	}
	base := k.journal.Append(n.Clock(), body, []int{len(body)})
	if k.holds {
		k.journal.WhenDurable(base+1, safe)
		return
	}
	safe()
}
