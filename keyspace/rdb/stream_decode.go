package rdb

import (
	"encoding/binary"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
)

// What the flags of an entry in a listpack of a stream say.
const (
	streamDeleted   = 1 // it is no longer there
	streamSameNames = 2 // its names are those of the listpack
)

// Stream reads a stream of one of its forms:
//
//	count, (text of the first ID, text of a listpack)
//	length, last ID; from 7.0: first ID, highest deleted ID, entries ever added
//	count, groups
//
//	group     text of the name, last ID; from 7.0: entries read
//	          count, (ID in 128 bits, time, length: number of deliveries)
//	          count, consumers
//	consumer  text of the name, time seen; from 7.2: time active
//	          count, IDs in 128 bits
//	ID        length, length
//	listpack  entries, deleted ones, names n, n names, 0,
//	          (flags, time, sequence, fields, numbers and texts of all these)
//
// IDs in 128 bits, also those that are texts, are big-endian. Times and
// sequences in a listpack are counted from its first ID. Fields are as many
// values as the listpack has names, or their number and names with values. At a
// mistake, which Err tells, it returns nil.
func (d *Decoder) Stream(f Form) *keyspace.StreamParts {
	p := &keyspace.StreamParts{}
	var nodes []node
	for n := d.Length(); n > 0 && d.err == nil; n-- {
		first, block := d.Text(), d.Text()
		if d.err == nil && len(first) != idBytes {
			d.fail(corrupt("an ID that is not 16 bytes"))
			return nil
		}
		if d.err == nil {
			nodes = append(nodes, node{idOf(first), block})
		}
	}
	p.Length, p.Last = d.Length(), d.id()
	p.Added = p.Length
	if f != Stream {
		p.First, p.Deleted, p.Added = d.id(), d.id(), d.Length()
	}
	for n := d.Length(); n > 0 && d.err == nil; n-- {
		p.Groups = append(p.Groups, d.group(f))
	}
	if d.err == nil {
		d.checkNodes(p, nodes)
	}
	if d.err != nil {
		return nil
	}
	p.Entries = func(yield func(keyspace.StreamID, [][]byte) bool) {
		for i := range nodes {
			if going, _ := nodes[i].each(yield); !going {
				return
			}
		}
	}
	return p
}

const idBytes = 16

// idOf is an ID in 128 bits.
func idOf(b []byte) keyspace.StreamID {
	return keyspace.StreamID{Time: binary.BigEndian.Uint64(b), Seq: binary.BigEndian.Uint64(b[8:])}
}

// id reads an ID of two lengths.
func (d *Decoder) id() keyspace.StreamID {
	return keyspace.StreamID{Time: d.Length(), Seq: d.Length()}
}

// wholeID reads an ID in 128 bits.
func (d *Decoder) wholeID() (id keyspace.StreamID) {
	if b := d.Bytes(idBytes); b != nil {
		return idOf(b)
	}
	return id
}

// isBefore reports whether an ID is less than another one.
func isBefore(a, b keyspace.StreamID) bool {
	return a.Time < b.Time || a.Time == b.Time && a.Seq < b.Seq
}

// checkNodes looks through the entries, and finds the first one of a stream
// that does not tell it.
func (d *Decoder) checkNodes(p *keyspace.StreamParts, nodes []node) {
	var last, first keyspace.StreamID
	count := uint64(0)
	for i := range nodes {
		_, err := nodes[i].each(func(id keyspace.StreamID, _ [][]byte) bool {
			if !isBefore(last, id) {
				d.fail(corrupt("entries of a stream that are not in order"))
			}
			if count == 0 {
				first = id
			}
			last = id
			count++
			return d.err == nil
		})
		if err != nil {
			d.fail(err)
		}
	}
	switch {
	case count != p.Length:
		d.fail(corrupt("a stream with another number of entries than it says"))
	case isBefore(p.Last, last):
		d.fail(corrupt("a stream with a later entry than its last"))
	}
	p.First = first
}

// readLater says that how much a group has read is to be worked out.
const readLater = -2

// group reads a consumer group.
func (d *Decoder) group(f Form) (g keyspace.StreamGroup) {
	g.Name, g.Last, g.Read = d.Text(), d.id(), readLater
	if f != Stream {
		g.Read = int64(d.Length())
	}
	at := map[keyspace.StreamID]int{}
	for n := d.Length(); n > 0 && d.err == nil; n-- {
		p := keyspace.StreamDelivery{ID: d.wholeID(), When: int64(d.millis()), Count: d.Length(), Consumer: -1}
		if len(g.Pending) > 0 && !isBefore(g.Pending[len(g.Pending)-1].ID, p.ID) {
			d.fail(corrupt("deliveries of a group that are not in order"))
		}
		at[p.ID] = len(g.Pending)
		g.Pending = append(g.Pending, p)
	}
	for n := d.Length(); n > 0 && d.err == nil; n-- {
		c := keyspace.StreamConsumer{Name: d.Text(), Seen: int64(d.millis())}
		if f == Stream3 {
			d.millis()
		}
		for m := d.Length(); m > 0 && d.err == nil; m-- {
			i, found := at[d.wholeID()]
			if !found || g.Pending[i].Consumer >= 0 {
				d.fail(corrupt("a delivery to a consumer that its group does not know"))
				return g
			}
			g.Pending[i].Consumer = len(g.Consumers)
		}
		g.Consumers = append(g.Consumers, c)
	}
	for i := range g.Pending {
		if g.Pending[i].Consumer < 0 {
			d.fail(corrupt("a delivery to no consumer"))
		}
	}
	return g
}

// node is a listpack of a stream, and the ID that its entries are counted from.
type node struct {
	first keyspace.StreamID
	bytes []byte
}

// nodeReader goes over the entries of a listpack one after the other.
type nodeReader struct {
	items  []entry
	at     int
	broken bool
	fields [][]byte
}

// textOf is the text of an item, which may be kept as a number.
func textOf(e entry) []byte {
	if e.isNumber {
		return strconv.AppendInt(nil, e.number, 10)
	}
	return e.text
}

// number is the next item, which has to be a number.
func (r *nodeReader) number() int64 {
	if r.at >= len(r.items) || !r.items[r.at].isNumber {
		r.broken = true
		return 0
	}
	r.at++
	return r.items[r.at-1].number
}

// texts are the next n items.
func (r *nodeReader) texts(n int64) []entry {
	if n < 0 || n > int64(len(r.items)-r.at) {
		r.broken = true
		return nil
	}
	r.at += int(n)
	return r.items[r.at-int(n) : r.at]
}

// each calls yield for the entries that are there. going is false if yield ended
// it.
func (n *node) each(yield func(keyspace.StreamID, [][]byte) bool) (going bool, err error) {
	r := nodeReader{}
	err = eachInListpack(n.bytes, func(e entry) bool {
		r.items = append(r.items, e)
		return true
	})
	if err != nil {
		return true, err
	}
	live, gone, count := r.number(), r.number(), r.number()
	names := r.texts(count)
	if r.number() != 0 {
		r.broken = true
	}
	for !r.broken && r.at < len(r.items) {
		flags := r.number()
		id, fields := n.entry(&r, names, flags)
		switch {
		case r.broken:
		case flags&streamDeleted != 0:
			gone--
		default:
			if live--; !yield(id, fields) {
				return false, nil
			}
		}
	}
	if r.broken || live != 0 || gone != 0 {
		return true, corrupt("a listpack of a stream")
	}
	return true, nil
}

// entry reads what follows the flags of an entry.
func (n *node) entry(r *nodeReader, names []entry, flags int64) (id keyspace.StreamID, fields [][]byte) {
	begin := r.at - 1
	id = keyspace.StreamID{Time: n.first.Time + uint64(r.number()), Seq: n.first.Seq + uint64(r.number())}
	r.fields = r.fields[:0]
	if flags&streamSameNames != 0 {
		for i, value := range r.texts(int64(len(names))) {
			r.fields = append(r.fields, textOf(names[i]), textOf(value))
		}
	} else {
		pairs := r.number()
		if pairs < 0 || pairs > int64(len(r.items)) {
			r.broken = true
			return id, nil
		}
		for _, text := range r.texts(2 * pairs) {
			r.fields = append(r.fields, textOf(text))
		}
	}
	if items := r.at - begin; r.number() != int64(items) || len(r.fields) == 0 {
		r.broken = true
	}
	return id, r.fields
}
