package watch

import (
	"bytes"
	"fmt"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// evaluate reads the query's result in the turn of its shards, which tx is; the
// keys that it really reads are watched from this turn on. What it touches of the
// Subscription belongs to those shards while an evaluation is under way.
func (one *evaluation) evaluate(tx *keyspace.Tx) {
	s, r := one.of, &one.reading
	*r = reading{newest: tx.Version()}
	tx.DB = s.query.DB
	if s.light && !s.tap.unread() && !s.timed {
		r.same, r.version, r.keys = true, s.tap.version.Load(), len(s.keys)
		return
	}
	one.at, one.other = 0, nil
	tx.Trace(one.trace)
	defer tx.Trace(nil)
	reply := tx.Call(s.query.Spec, s.query.Argv)
	s.timed = tx.ClockRead()
	if s.every != nil { // here, as what is before may have to begin anew
		r.found, r.covered, r.version, r.gap = s.collected(true)
	} else {
		r.covered, r.version = s.tap.read()
	}
	if r.void = tx.Changed(); !r.void {
		one.scratch = s.record(r, reply, one.scratch[:0])
	}
	one.follow(tx)
	r.keys = len(s.keys)
}

// record compares a result with the state, and copies it if it is another. scratch
// is for its encoding; it comes back grown.
func (s *Subscription) record(r *reading, reply resp.Reply, scratch []byte) []byte {
	reply, scratch = s.encode(scratch, reply)
	if before := s.state.Load(); before != nil && bytes.Equal(scratch, before.v3) {
		r.same = true
	} else {
		r.reply, r.v3 = keep(reply, scratch)
	}
	return scratch
}

// keep copies a result and its encoding. A text lies within its encoding.
func keep(reply resp.Reply, v3 []byte) (resp.Reply, []byte) {
	v3 = bytes.Clone(v3)
	if reply.Kind() == resp.Text {
		end := len(v3) - len("\r\n")
		return resp.Bulk(v3[end-len(reply.Str()) : end]), v3
	}
	return reply.Clone(), v3
}

// encode appends a result in RESP3; one that is too long becomes an error.
func (s *Subscription) encode(dst []byte, result resp.Reply) (reply resp.Reply, v3 []byte) {
	v3 = resp.V3.Append(dst, result)
	if most := s.registry.Limits.Result.Load(); int64(len(v3)) > most {
		result = resp.Error(fmt.Sprintf("ERR the result is longer than a live query's may be (watch-max-result, %d bytes)", most))
		v3 = resp.V3.Append(v3[:0], result)
	}
	return result, v3
}

// note is told of each key that the evaluation reads.
func (one *evaluation) note(key []byte) {
	keys := one.of.keys
	if one.other == nil {
		if one.at < len(keys) && bytes.Equal(key, keys[one.at]) {
			one.at++
			return
		}
		one.other = append(make([][]byte, 0, one.at+1), keys[:one.at]...)
	}
	one.other = append(one.other, bytes.Clone(key))
}

// follow watches the keys just read, and no longer those that were not.
func (one *evaluation) follow(tx *keyspace.Tx) {
	s, read := one.of, one.other
	switch {
	case s.gone || read == nil && one.at == len(s.keys):
		return
	case read == nil:
		read = s.keys[:one.at]
	}
	s.unfollow(tx)
	for _, key := range read {
		tx.Watch(key, &s.tap)
	}
	s.keys = s.query.own(read)
}

func (s *Subscription) unfollow(tx *keyspace.Tx) {
	for _, key := range s.keys {
		tx.Unwatch(key, &s.tap)
	}
	s.keys = nil
}

// leave stops watching in the shards, which tx is, for good.
func (s *Subscription) leave(tx *keyspace.Tx) resp.Reply {
	tx.DB = s.query.DB
	s.gone = true
	if s.every != nil {
		s.every.on = false
	}
	s.unfollow(tx)
	return resp.Nothing
}
