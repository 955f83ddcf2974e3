package stream

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// streamOf is the stream of a Value; nil of a missing key. ok is false if the
// key holds something else.
func streamOf(v keyspace.Value) (s *stream, ok bool) {
	switch {
	case v.Missing():
		return nil, true
	case !v.Is(keyspace.Stream):
		return nil, false
	}
	return v.Object().(*stream), true
}

// lookup finds the stream of a reading command, nil if there is none. If ok is
// false, the key holds something else.
func lookup(tx *keyspace.Tx, key []byte) (s *stream, ok bool) { return streamOf(tx.Lookup(key)) }

// edit is a stream that a command changes.
type edit struct {
	*stream
	tx  *keyspace.Tx
	key []byte
	v   keyspace.Value
}

// open finds the stream of a writing command. If it reports false, the key
// holds something else. The stream is nil if the key is missing.
func (e *edit) open(tx *keyspace.Tx, key []byte) (ok bool) {
	e.tx, e.key, e.v = tx, key, tx.Find(key)
	e.stream, ok = streamOf(e.v)
	return ok
}

// create makes an empty stream of a missing key, which nobody hears of before
// the first change of it is told.
func (e *edit) create(event string) {
	e.stream = newStream(e.tx.MemOf(e.key))
	e.tx.PutObject(e.key, e.stream, keyspace.NoDeadline, event)
	e.v = e.tx.Peek(e.key)
}

// changed tells of a change; events after it are of the same one.
func (e *edit) changed(event string) { e.tx.Touch(e.v, event) }

// entries are those that a walk comes to, up to count of them if that is not 0.
// visit, if set, hears of each.
func (w *walk) entries(buf []byte, count int64, visit func(id ID)) (items resp.Reply, used []byte) {
	from, n := len(buf), 0
	for {
		e, ok := w.next()
		if !ok {
			break
		}
		buf = e.append(buf)
		if visit != nil {
			visit(e.id)
		}
		if n++; int64(n) == count {
			break
		}
	}
	return resp.Bulks(n, buf[from:]), buf
}

// append appends the entry as replies have it: its ID, and its fields in a row.
func (e *entry) append(buf []byte) []byte {
	var text [idBytesMax]byte
	buf = resp.AppendBulk(resp.AppendArray(buf, 2), e.id.append(text[:0]))
	buf = resp.AppendArray(buf, 2*e.pairs())
	e.each(func(name, value []byte) {
		buf = resp.AppendBulk(resp.AppendBulk(buf, name), value)
	})
	return buf
}

// reply is the entry on its own.
func (e *entry) reply() resp.Reply {
	fields := make([]resp.Reply, 0, 2*e.pairs())
	e.each(func(name, value []byte) { fields = append(fields, resp.Bulk(name), resp.Bulk(value)) })
	return resp.Array(e.id.reply(), resp.Array(fields...))
}
