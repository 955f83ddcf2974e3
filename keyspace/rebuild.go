package keyspace

import (
	"runtime/debug"

	"github.com/troupedb/troupe/resp"
)

// A handler that panics leaves its shards in a state that nobody knows. What
// they hold is not used any more: commands are answered that it is loading, until
// the shards have been put together again elsewhere, in a Shadow, from what was
// recorded. Clients that wait or watch keep doing so.

// errSuspect says why a Visit was not made.
const errSuspect = "the shard has failed and is being rebuilt"

// refuse answers a batch for shards of which one has failed.
func (x *Execute) refuse() {
	if x.Inner {
		x.Broken = &Broken{Command: "visit", Reason: errSuspect}
	}
	if x.Atomic {
		x.Refused, x.Suspect = true, true
		return
	}
	for i := x.Ran; i < len(x.Requests); i++ {
		q := &x.Requests[i]
		x.Out = x.encoderOf(q).Append(x.Out, resp.ErrLoading)
		q.End, q.Failure = len(x.Out), "LOADING"
	}
	x.Ran = len(x.Requests)
}

// anySuspect reports whether one of the shards that a batch holds has failed.
func (x *Execute) anySuspect() bool {
	for _, h := range x.held {
		if h.suspect {
			return true
		}
	}
	return false
}

// suspected marks the shards that a batch holds as failed.
func (x *Execute) suspected() {
	for _, h := range x.held {
		if !h.suspect {
			h.suspect = true
			x.Broken.Shards = append(x.Broken.Shards, h.id)
		}
	}
}

// Place is where a keyspace is put together: a Node, or a Shadow.
type Place interface {
	// Len is the number of shards, ShardOf that of the shard of a key.
	Len() int
	ShardOf(key []byte) int
	Databases() int
	// Visit runs do in a turn of the shards named, VisitEach in one of all. What
	// is returned is nil, unless do has panicked or could not be run.
	Visit(shards []int, do func(*Tx)) *Broken
	VisitEach(do func(*Tx)) *Broken
}

// Shadow is shards beside those of a node. Shards may be visited at the same
// time, but each by one caller.
type Shadow struct {
	node    *Node
	shards  []*Shard
	version uint64
}

// Shadow makes empty shards, as many as the node has.
func (n *Node) Shadow() *Shadow {
	s := &Shadow{node: n}
	for i := range n.shards {
		fresh := NewShard(i, n.dbs, n.seed)
		if n.tier != nil {
			fresh.UseTier(n.tier)
		}
		s.shards = append(s.shards, fresh)
	}
	return s
}

// Close gives up what has not been adopted.
func (s *Shadow) Close() {
	for _, sh := range s.shards {
		if sh != nil {
			sh.Close()
		}
	}
}

// Len implements Place.
func (s *Shadow) Len() int { return len(s.shards) }

// ShardOf implements Place.
func (s *Shadow) ShardOf(key []byte) int { return ShardOf(key, len(s.shards)) }

// Databases implements Place.
func (s *Shadow) Databases() int { return s.node.Databases() }

// Visit implements Place.
func (s *Shadow) Visit(shards []int, do func(*Tx)) (broken *Broken) {
	held := make([]*Shard, len(shards))
	for i, n := range shards {
		held[i] = s.shards[n]
	}
	defer func() {
		if reason := recover(); reason != nil {
			broken = &Broken{Command: "rebuild", Reason: reason, Stack: debug.Stack()}
		}
	}()
	turn := s.node.newTurn()
	turn.Log, turn.Hold, turn.Ears = nil, nil, nil
	turn.Versions = func(int) uint64 { return 0 }
	tx := Begin(&turn, held, len(s.shards))
	do(tx)
	tx.End(&turn)
	return nil
}

// VisitEach implements Place.
func (s *Shadow) VisitEach(do func(*Tx)) *Broken {
	all := make([]int, len(s.shards))
	for i := range all {
		all[i] = i
	}
	return s.Visit(all, do)
}

// adoption asks a shard to go on with what a Shadow holds.
type adoption struct {
	fresh *Shard
	done  chan struct{}
}

// IsSlow: what was before is given back on a worker.
func (*adoption) IsSlow() bool { return true }

// Adopt makes a shard that has failed go on with what the Shadow holds, and
// returns when it does. Whoever watches a key of it is told of a change.
func (n *Node) Adopt(s *Shadow, shard int) {
	a := &adoption{fresh: s.shards[shard], done: make(chan struct{})}
	s.shards[shard] = nil
	n.root.Send(n.shards[shard].pid, a)
	<-a.done
	n.Visit([]int{shard}, (*Tx).touchAll)
}

// adopt is Adopt in the shard's turn.
func (sh *shard) adopt(a *adoption) {
	old := sh.Shard
	a.fresh.takeOver(old)
	if old.cold.dry {
		sh.node.bound.spilling.Add(1)
	}
	sh.Shard, sh.suspect = a.fresh, false
	sh.after()
	old.Close()
	close(a.done)
}

// takeOver takes from another shard what is not data: who waits, who watches,
// what was counted.
func (sh *Shard) takeOver(old *Shard) {
	for i := range sh.dbs {
		d, was := &sh.dbs[i], &old.dbs[i]
		d.watched, d.waiting = was.watched, was.waiting
		sh.flagAll(d, true)
	}
	sh.passing, sh.tracked = old.passing, old.tracked
	sh.version, sh.now, sh.Stats, sh.told = old.version, old.now, old.Stats, old.told
}

// touchAll tells all who watch a key of the shard, or have read one, that it may
// have changed.
func (tx *Tx) touchAll() {
	tx.forgetAll()
	tx.EachShard(func(sh *Shard) {
		for i := range sh.dbs {
			for _, list := range sh.dbs[i].watched {
				tx.touch(list)
			}
		}
		tx.dirty, sh.dirty = true, true
	})
}
