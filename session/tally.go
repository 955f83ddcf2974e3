package session

import (
	"sync"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

// Tally counts the commands of a Local that come one at a time, before they are
// added to the counters that all share: goroutines on many processors that each
// counted there would mostly wait for each other's memory. What it holds back is
// little, and is added by Flush at the latest.
//
// The zero Tally is ready for use.
type Tally struct {
	mu    sync.Mutex // for Flush; who counts is alone
	spec  *command.Spec[*keyspace.Tx]
	calls int64
	nanos int64
	took  [BucketCount]uint8 // calls by class of running time
}

// tallyMax is how many calls a Tally holds back.
const tallyMax = 64

// Account counts the commands of a batch that is done, as those of links are.
func (l *Local) Account(x *keyspace.Execute, t *Tally) {
	if x.Ran != 1 {
		l.session.account(x)
		return
	}
	q := &x.Requests[0]
	if st := &l.session.server.Stats; q.Spec == nil || q.Failure != "" || q.Took >= st.alarm() {
		l.session.account(x)
	} else {
		t.add(st, q)
	}
}

func (t *Tally) add(st *Stats, q *keyspace.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.spec != q.Spec || t.calls == tallyMax {
		t.flush(st)
		t.spec = q.Spec
	}
	t.calls++
	t.nanos += q.Took
	t.took[bucketOf(q.Took)]++
}

// Flush adds what a Tally holds back. Any goroutine may call it.
func (s *Server) Flush(t *Tally) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush(&s.Stats)
}

func (t *Tally) flush(st *Stats) {
	if t.calls == 0 {
		return
	}
	c := &st.perCommand[t.spec.ID()]
	c.add(t.calls, t.nanos)
	for class, n := range t.took {
		if n > 0 {
			c.Took[class].Add(int64(n))
		}
	}
	st.Commands.Add(t.calls)
	t.calls, t.nanos, t.took = 0, 0, [BucketCount]uint8{}
}
