package watch

import (
	"bytes"
	"fmt"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// evaluator reads a query in the turns of its shards, and follows the keys
// that it has really read. It belongs to the Subscription; while an evaluation
// is under way, to the shard that holds the query's keys.
type evaluator struct {
	keys    [][]byte // watched in the shards
	scratch []byte   // for the result in RESP3
	timed   bool     // the result depends on the clock
	gone    bool     // nothing is to be followed any more

	at    int      // of the evaluation under way: so many keys were those before
	other [][]byte // the keys that it reads, if they are others
	trace func(key []byte)
}

// scratchMax bounds, in bytes, the buffer that a Subscription keeps.
const scratchMax = 16 << 10

// evaluate reads the query's result in the turn of its shards, which tx is;
// the keys that it reads are watched from this turn on.
func (s *Subscription) evaluate(tx *keyspace.Tx) (r reading) {
	e := &s.evaluator
	tx.DB = s.query.DB
	r.newest = tx.Version()
	if s.light && !s.tap.unread() && !e.timed {
		r.same, r.version, r.keys = true, s.tap.version.Load(), len(e.keys)
		return r
	}
	e.at, e.other = 0, nil
	if e.trace == nil {
		e.trace = e.note
	}
	tx.Trace(e.trace)
	defer tx.Trace(nil)
	reply := tx.Call(s.query.Spec, s.query.Argv)
	e.timed = tx.ClockRead()
	if s.every { // here, as what is before may have to begin anew
		r.found, r.covered, r.version, r.gap = s.take(true)
	} else {
		r.covered, r.version = s.tap.read()
	}
	if r.void = tx.Changed(); !r.void {
		s.record(&r, reply)
	}
	e.follow(tx, &s.tap)
	r.keys = len(e.keys)
	return r
}

// record compares a result with the state, and copies it if it is another.
func (s *Subscription) record(r *reading, reply resp.Reply) {
	e := &s.evaluator
	reply, v3 := s.encode(e.scratch[:0], reply)
	if e.scratch = v3; cap(v3) > scratchMax {
		e.scratch = nil
	}
	if before := s.state.Load(); before != nil && bytes.Equal(v3, before.v3) {
		r.same = true
		return
	}
	r.reply, r.v3 = reply.Clone(), v3
}

// encode appends a result in RESP3; one that is too long becomes an error.
func (s *Subscription) encode(dst []byte, result resp.Reply) (reply resp.Reply, v3 []byte) {
	v3 = resp.V3.Append(dst, result)
	if most := s.limits.Result.Load(); int64(len(v3)) > most {
		result = resp.Error(fmt.Sprintf("ERR the result is longer than a live query's may be (watch-max-result, %d bytes)", most))
		v3 = resp.V3.Append(v3[:0], result)
	}
	return result, v3
}

// note is told of each key that the evaluation reads.
func (e *evaluator) note(key []byte) {
	if e.other == nil {
		if e.at < len(e.keys) && bytes.Equal(key, e.keys[e.at]) {
			e.at++
			return
		}
		e.other = append(make([][]byte, 0, e.at+1), e.keys[:e.at]...)
	}
	e.other = append(e.other, bytes.Clone(key))
}

// follow watches the keys just read, and no longer those that were not.
func (e *evaluator) follow(tx *keyspace.Tx, t *tap) {
	read := e.other
	switch {
	case e.gone || read == nil && e.at == len(e.keys):
		return
	case read == nil:
		read = e.keys[:e.at]
	}
	e.unfollow(tx, t)
	for _, key := range read {
		tx.Watch(key, t)
	}
	e.keys, e.other = read, nil
}

func (e *evaluator) unfollow(tx *keyspace.Tx, t *tap) {
	for _, key := range e.keys {
		tx.Unwatch(key, t)
	}
	e.keys = nil
}

// leave stops watching in the shards, which tx is, for good.
func (s *Subscription) leave(tx *keyspace.Tx) {
	tx.DB = s.query.DB
	s.evaluator.gone, s.following.on = true, false
	s.evaluator.unfollow(tx, &s.tap)
}

// appendKeys appends the keys that the query names, and those followed so far.
func (s *Subscription) appendKeys(dst [][]byte) [][]byte {
	named, _ := s.query.Spec.AppendKeys(nil, s.query.Argv)
	dst = append(dst, s.evaluator.keys...)
	for _, k := range named {
		dst = append(dst, s.query.Argv[k.Pos])
	}
	return dst
}
