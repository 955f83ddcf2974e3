package list

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// viewOf is the list of a Value that is one or missing.
func viewOf(v keyspace.Value) view {
	switch {
	case v.Missing():
		return view{}
	case v.IsObject():
		return view{large: v.Object().(*large)}
	}
	return view{packed: v.Packed()}
}

// isOther reports whether a key holds something else than a list.
func isOther(v keyspace.Value) bool { return !v.Missing() && !v.Is(keyspace.List) }

// lookup finds the list of a reading command. If ok is false, the key holds
// something else.
func lookup(tx *keyspace.Tx, key []byte) (l view, ok bool) {
	v := tx.Lookup(key)
	if isOther(v) {
		return view{}, false
	}
	return viewOf(v), true
}

// span is the elements from start to stop, both counted from the end if
// negative, as LRANGE has them: n elements from element i on.
func (v *view) span(start, stop int64) (i, n int) {
	length := int64(v.len())
	if start < 0 {
		start = max(0, start+length)
	}
	if stop < 0 {
		stop += length
	}
	stop = min(stop, length-1)
	if start > stop {
		return 0, 0
	}
	return int(start), int(stop - start + 1)
}

// index is the place of an element that is counted from the end if negative.
func (v *view) index(n int64) (i int, ok bool) {
	length := int64(v.len())
	if n < 0 {
		n += length
	}
	return int(n), n >= 0 && n < length
}

// taken are the n elements at an end, from there on. Their texts are copied to
// the turn's buffer, so that they can go.
func (v *view) taken(tx *keyspace.Tx, n int, at side) []resp.Reply {
	items, buf := tx.Items(n), tx.Scratch()
	if n == 0 {
		return items
	}
	w := v.walkFrom(at)
	for i := range items {
		begin := len(buf)
		buf = append(buf, w.from(at)...)
		items[i] = resp.Bulk(buf[begin:])
	}
	tx.KeepScratch(buf)
	return items
}
