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
}

// ValueOf is a value of the keyspace, good until the next change of any key.
// Its kind must be known: see keyspace.Tx.Kind.
func ValueOf(tx *keyspace.Tx, v keyspace.Value) Value {
	kind := tx.Kind(v.Type())
	return Value{
		Type: v.Type(), Encoding: v.Encoding(), Len: kind.Len(v),
		Elements: func(yield func(keyspace.Element) bool) { kind.Each(tx, v, yield) },
	}
}

// Form is the form that a value is written in: one that redis-server 7.0
// knows, unless fields of a hash have deadlines.
func (v Value) Form() Form {
	switch v.Type {
	case keyspace.String:
		return Text
	case keyspace.List:
		return Listpacks
	case keyspace.Set:
		if v.Encoding == keyspace.Intset {
			return SetIntset
		}
		return Set
	case keyspace.SortedSet:
		if v.Encoding == keyspace.Listpack {
			return SortedSetListpack
		}
		return SortedSet
	case keyspace.Hash:
		return v.hashForm()
	}
	panic("no form for a " + v.Type.String())
}

func (v Value) hashForm() Form {
	for e := range v.Elements {
		if e.Deadline != 0 {
			return HashTimed
		}
	}
	if v.Encoding == keyspace.Listpack {
		return HashListpack
	}
	return Hash
}

// Value writes a value in a form, without the byte that tells the form: in an
// RDB file the key stands between them.
func (e *Encoder) Value(v Value, f Form) {
	switch f {
	case Text:
		e.each(v, func(el keyspace.Element) { e.Text(el.Text) })
	case Set:
		e.Length(uint64(v.Len))
		e.each(v, func(el keyspace.Element) { e.Text(el.Text) })
	case SetIntset:
		e.intset(v)
	case SortedSet:
		e.Length(uint64(v.Len))
		e.each(v, func(el keyspace.Element) {
			e.Text(el.Text)
			e.millis(math.Float64bits(el.Score))
		})
	case SortedSetListpack:
		e.listpack(v, func(el keyspace.Element) {
			e.block.text(el.Text)
			e.block.score(el.Score)
		})
	case Hash:
		e.Length(uint64(v.Len))
		e.each(v, func(el keyspace.Element) {
			e.Text(el.Text)
			e.Text(el.Value)
		})
	case HashListpack:
		e.listpack(v, func(el keyspace.Element) {
			e.block.text(el.Text)
			e.block.text(el.Value)
		})
	case HashTimed:
		e.timed(v)
	case Listpacks:
		e.listpacks(v)
	default:
		panic("a value is not written as a " + f.String())
	}
}

// each calls write for all elements. If they are not as many as was written
// before them, the bytes are worth nothing.
func (e *Encoder) each(v Value, write func(keyspace.Element)) {
	n := 0
	for el := range v.Elements {
		write(el)
		n++
	}
	if n != v.Len {
		panic("a value has another number of elements than it says")
	}
}

// listpack writes a value whose elements write adds to one listpack.
func (e *Encoder) listpack(v Value, write func(keyspace.Element)) {
	e.block.begin()
	e.each(v, write)
	e.Text(e.block.end())
}

// intset writes a set of numbers.
func (e *Encoder) intset(v Value) {
	numbers := make([]int64, 0, v.Len)
	e.each(v, func(el keyspace.Element) {
		n, _ := command.ParseInt(el.Text)
		numbers = append(numbers, n)
	})
	e.Text(appendIntset(nil, numbers))
}

// timed writes a hash with deadlines.
func (e *Encoder) timed(v Value) {
	earliest := int64(math.MaxInt64)
	for el := range v.Elements {
		if el.Deadline > 0 {
			earliest = min(earliest, el.Deadline)
		}
	}
	e.millis(uint64(earliest))
	e.Length(uint64(v.Len))
	e.each(v, func(el keyspace.Element) {
		after := uint64(0)
		if el.Deadline > 0 {
			after = uint64(el.Deadline-earliest) + 1
		}
		e.Length(after)
		e.Text(el.Text)
		e.Text(el.Value)
	})
}

// listpacks writes a list in blocks, as redis-server would cut it.
func (e *Encoder) listpacks(v Value) {
	cut := blockCutter{}
	for el := range v.Elements {
		cut.add(el.Text)
	}
	e.Length(uint64(cut.blocks))
	cut = blockCutter{}
	open := false
	e.each(v, func(el keyspace.Element) {
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
