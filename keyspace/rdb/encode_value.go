package rdb

import (
	"iter"
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

// Value is a value to be written.
type Value struct {
	Type keyspace.Type
	// Encoding is how it is kept, which decides between the forms of its type.
	Encoding keyspace.Encoding
	// Len is the number of its elements.
	Len int
	// Elements are walked through twice if need be.
	Elements iter.Seq[keyspace.Element]
	// Stream is a stream's parts, which it has in the place of elements.
	Stream *keyspace.StreamParts
}

// ValueOf is a value of the keyspace, good until the next change of any key. ok
// is false if values of its type are not written here.
func ValueOf(tx *keyspace.Tx, v keyspace.Value) (value Value, ok bool) {
	kind := tx.Kind(v.Type())
	switch {
	case kind == nil:
		return Value{}, false
	case kind.Parts != nil:
		return Value{Type: v.Type(), Stream: kind.Parts(tx, v)}, true
	case !writable(v.Type()):
		return Value{}, false
	}
	return Value{
		Type: v.Type(), Encoding: v.Encoding(), Len: kind.Len(v),
		Elements: func(yield func(keyspace.Element) bool) { kind.Each(tx, v, yield) },
	}, true
}

// writable reports whether a value of the type is no more than its elements.
func writable(t keyspace.Type) bool {
	switch t {
	case keyspace.String, keyspace.List, keyspace.Set, keyspace.SortedSet, keyspace.Hash:
		return true
	}
	return false
}

// plan is what has to be known of a value before it is written.
type plan struct {
	form     Form
	count    int   // elements, or blocks of a list
	earliest int64 // deadline of a field, Unix milliseconds; 0 if none has one
}

// plan chooses the form that a value is written in: one that redis-server 7.0
// knows, unless fields of a hash have deadlines.
func (v Value) plan() plan {
	switch v.Type {
	case keyspace.String:
		return plan{form: Text, count: v.Len}
	case keyspace.List:
		return plan{form: Listpacks, count: countBlocks(v)}
	case keyspace.Set:
		if v.Encoding == keyspace.Intset {
			return plan{form: SetIntset, count: v.Len}
		}
		return plan{form: Set, count: v.Len}
	case keyspace.SortedSet:
		if v.Encoding == keyspace.Listpack {
			return plan{form: SortedSetListpack, count: v.Len}
		}
		return plan{form: SortedSet, count: v.Len}
	case keyspace.Hash:
		return v.planHash()
	case keyspace.Stream:
		return plan{form: Stream2, count: 1} // which may be empty
	}
	panic("no form for a " + v.Type.String())
}

// planHash counts the fields, as those that have ended may still be in Len.
func (v Value) planHash() (p plan) {
	for e := range v.Elements {
		p.count++
		if e.Deadline > 0 && (p.earliest == 0 || e.Deadline < p.earliest) {
			p.earliest = e.Deadline
		}
	}
	switch {
	case p.earliest > 0:
		p.form = HashTimed
	case v.Encoding == keyspace.Listpack, v.Encoding == keyspace.ListpackEx:
		p.form = HashListpack
	default:
		p.form = Hash
	}
	return p
}

// Value writes a value behind its form. It reports whether there is one: a hash
// of which all fields have ended is none, and nothing is written.
func (e *Encoder) Value(v Value) (f Form, written bool) {
	p := v.plan()
	if p.count == 0 {
		return p.form, false
	}
	e.form(p.form)
	e.body(v, p)
	return p.form, true
}

// body writes a value in the form that was planned.
func (e *Encoder) body(v Value, p plan) {
	switch p.form {
	case Text:
		e.each(v, p.count, func(el keyspace.Element) { e.Text(el.Text) })
	case Set:
		e.counted(v, p.count, func(el keyspace.Element) { e.Text(el.Text) })
	case SetIntset:
		e.intset(v)
	case SortedSet:
		e.counted(v, p.count, func(el keyspace.Element) {
			e.Text(el.Text)
			e.millis(math.Float64bits(el.Score))
		})
	case SortedSetListpack:
		e.listpack(v, p.count, func(el keyspace.Element) {
			e.block.text(el.Text)
			e.block.score(el.Score)
		})
	case Hash:
		e.counted(v, p.count, func(el keyspace.Element) {
			e.Text(el.Text)
			e.Text(el.Value)
		})
	case HashListpack:
		e.listpack(v, p.count, func(el keyspace.Element) {
			e.block.text(el.Text)
			e.block.text(el.Value)
		})
	case HashTimed:
		e.timed(v, p)
	case Listpacks:
		e.listpacks(v, p.count)
	case Stream2:
		e.stream(v.Stream)
	}
}

// each calls write for all elements. If they are not as many as was written
// before them, the bytes are worth nothing.
func (e *Encoder) each(v Value, count int, write func(keyspace.Element)) {
	for el := range v.Elements {
		write(el)
		count--
	}
	if count != 0 {
		panic("a value has another number of elements than it says")
	}
}

// counted writes the number of elements and then each.
func (e *Encoder) counted(v Value, count int, write func(keyspace.Element)) {
	e.Length(uint64(count))
	e.each(v, count, write)
}

// listpack writes a value whose elements write adds to one listpack.
func (e *Encoder) listpack(v Value, count int, write func(keyspace.Element)) {
	e.block.begin()
	e.each(v, count, write)
	e.Text(e.block.end())
}

// intset writes a set of numbers.
func (e *Encoder) intset(v Value) {
	numbers := make([]int64, 0, v.Len)
	e.each(v, v.Len, func(el keyspace.Element) {
		n, _ := command.ParseInt(el.Text)
		numbers = append(numbers, n)
	})
	e.Text(appendIntset(nil, numbers))
}

// timed writes a hash with deadlines.
func (e *Encoder) timed(v Value, p plan) {
	e.millis(uint64(p.earliest))
	e.counted(v, p.count, func(el keyspace.Element) {
		e.Length(after(el.Deadline, p.earliest))
		e.Text(el.Text)
		e.Text(el.Value)
	})
}

// after is a field's deadline counted from the earliest, which is 1; 0 if it has
// none.
func after(deadline, earliest int64) uint64 {
	if deadline <= 0 {
		return 0
	}
	if deadline < earliest {
		panic("a field ends earlier than the earliest of its hash")
	}
	return uint64(deadline-earliest) + 1
}

// listpacks writes a list in blocks, as redis-server would cut it.
func (e *Encoder) listpacks(v Value, blocks int) {
	e.Length(uint64(blocks))
	cut, open := blockCutter{}, false
	e.each(v, v.Len, func(el keyspace.Element) {
		begins, plain := cut.add(el.Text)
		if begins && open {
			e.endBlock()
			open = false
		}
		switch {
		case plain:
			e.Length(containerPlain)
			e.Text(el.Text)
			return
		case begins:
			e.block.begin()
			open = true
		}
		e.block.text(el.Text)
	})
	if open {
		e.endBlock()
	}
}

// countBlocks is how many blocks a list is cut into.
func countBlocks(v Value) int {
	cut := blockCutter{}
	for el := range v.Elements {
		cut.add(el.Text)
	}
	return cut.blocks
}

func (e *Encoder) endBlock() {
	e.Length(containerPacked)
	e.Text(e.block.end())
}

const (
	blockMax   = 8 << 10 // bytes of a block with more than one element: Redis's list-max-listpack-size -2
	plainAbove = 1 << 20 // bytes of an element that is a block as it is
)

// blockCutter cuts a list into blocks.
type blockCutter struct {
	blocks int
	bytes  int // of the last block
}

// add says whether an element begins a block, and whether it is that block,
// plain and alone.
func (c *blockCutter) add(text []byte) (begins, plain bool) {
	size := listpackTextSize(len(text))
	size += backSize(size)
	begins = c.blocks == 0 || c.bytes+size > blockMax
	if begins {
		c.blocks++
		c.bytes = listpackHead + 1
	}
	c.bytes += size
	return begins, len(text) > plainAbove
}
