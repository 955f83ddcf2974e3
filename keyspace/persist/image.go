package persist

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rdb"
)

// image writes what a shard saves as parts of an RDB file. It is a
// keyspace.StreamImage.
type image struct {
	e      *rdb.Encoder
	value  rdb.ValueWriter  // of the large value that was begun
	stream rdb.StreamWriter // if it is a stream
	// untimed leaves the deadlines of fields out, of which there were so many.
	untimed bool
	left    int
}

func newImage(compress bool) *image {
	e := rdb.NewEncoder(nil)
	e.Compress(compress)
	return &image{e: e}
}

// without is a value without the deadlines of its fields.
func (i *image) without(v rdb.Value) rdb.Value {
	all := v.Elements
	for e := range all {
		i.leave(&e)
	}
	v.Elements = func(yield func(keyspace.Element) bool) {
		for e := range all {
			e.Deadline = 0
			if !yield(e) {
				return
			}
		}
	}
	return v
}

// leave counts a deadline that is left out.
func (i *image) leave(e *keyspace.Element) {
	if i.untimed && e.Deadline > 0 {
		i.left++
	}
}

// Database implements keyspace.Image.
func (i *image) Database(dst []byte, db int) []byte {
	i.e.Reset(dst)
	i.e.SelectDB(db)
	return i.e.Bytes()
}

// Entry implements keyspace.Image.
func (i *image) Entry(dst []byte, tx *keyspace.Tx, v keyspace.Value) []byte {
	m := rdb.NoMeta
	m.Deadline = tx.Deadline(v)
	i.e.Reset(dst)
	if v.Is(keyspace.String) {
		i.e.KeyText(m, v.Key(), tx.Text(v))
		return i.e.Bytes()
	}
	value, ok := rdb.ValueOf(tx, v)
	if !ok {
		panic("a value of type " + v.Type().String() + " cannot be saved")
	}
	if i.untimed && v.Is(keyspace.Hash) {
		value = i.without(value)
	}
	i.e.Key(m, v.Key(), value)
	return i.e.Bytes()
}

// Begin implements keyspace.Image.
func (i *image) Begin(dst []byte, l keyspace.Large) []byte {
	m := rdb.NoMeta
	m.Deadline = l.Deadline
	i.e.Reset(dst)
	if stream, is := l.Frozen.(keyspace.FrozenStream); is {
		i.stream = i.e.BeginStream(m, l.Key, stream.Runs())
		return i.e.Bytes()
	}
	shape := rdb.Shape{Type: l.Type, Count: l.Frozen.Len(), Earliest: max(l.Fields, 0)}
	if i.untimed {
		shape.Earliest = 0
	}
	i.value = i.e.BeginValue(m, l.Key, shape)
	return i.e.Bytes()
}

// Element implements keyspace.Image.
func (i *image) Element(dst []byte, _ keyspace.Large, e keyspace.Element) []byte {
	i.e.Reset(dst)
	i.leave(&e)
	i.value.Append(i.e, e)
	return i.e.Bytes()
}

// Part implements keyspace.StreamImage.
func (i *image) Part(dst []byte, _ keyspace.Large, p keyspace.StreamPart) []byte {
	i.e.Reset(dst)
	i.stream.Append(i.e, p)
	return i.e.Bytes()
}

// End implements keyspace.Image.
func (i *image) End(dst []byte, _ keyspace.Large) []byte { return dst }

// wants is the version that a file has to be of which holds what was written.
func (i *image) wants() int { return i.e.Version() }
