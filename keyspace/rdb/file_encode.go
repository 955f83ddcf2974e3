package rdb

import (
	"math"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
)

// The parts of a file, which an Encoder writes one after the other. Bytes of
// several Encoders, behind one another, are parts too: see FileWriter.

// SelectDB says which database the keys that follow are of.
func (e *Encoder) SelectDB(n int) {
	e.Byte(partSelectDB)
	e.Length(uint64(n))
}

// ResizeDB says how many keys the database has and how many of them have
// deadlines, so that whoever reads can make room. It is no promise.
func (e *Encoder) ResizeDB(keys, timed uint64) {
	e.Byte(partResizeDB)
	e.Length(keys)
	e.Length(timed)
}

// Aux writes a fact about the file. Redis passes over names that it does not
// know.
func (e *Encoder) Aux(name, value string) {
	e.Byte(partAux)
	e.Text([]byte(name))
	e.Text([]byte(value))
}

// Function writes the code of a library of functions.
func (e *Encoder) Function(code []byte) {
	e.Byte(partFunction)
	e.Text(code)
}

// Origin is what redis-server and redis-check-rdb know of a file's making.
type Origin struct {
	Redis   string // the version of Redis that this is like
	Created int64  // Unix seconds
	Memory  uint64 // bytes that were used
	Base    bool   // a log begins with it
}

// Origin writes the facts that redis-server begins its files with.
func (e *Encoder) Origin(o Origin) {
	base := "0"
	if o.Base {
		base = "1"
	}
	e.Aux("redis-ver", o.Redis)
	e.Aux("redis-bits", "64")
	e.Aux("ctime", strconv.FormatInt(o.Created, 10))
	e.Aux("used-mem", strconv.FormatUint(o.Memory, 10))
	e.Aux("aof-base", base)
}

// Key writes a key and its value. It reports whether there is one, as Value.
func (e *Encoder) Key(m Meta, key []byte, v Value) (written bool) {
	p := v.plan()
	if p.count == 0 {
		return false
	}
	e.begin(m, p.form, key)
	e.body(v, p)
	return true
}

// KeyText is Key for a String of that text.
func (e *Encoder) KeyText(m Meta, key, text []byte) {
	e.begin(m, Text, key)
	e.Text(text)
}

// begin writes what stands before a value.
func (e *Encoder) begin(m Meta, form Form, key []byte) {
	if m.Deadline >= 0 {
		e.Byte(partMillis)
		e.millis(uint64(m.Deadline))
	}
	if m.Idle >= 0 {
		e.Byte(partIdle)
		e.Length(uint64(m.Idle))
	}
	if m.Freq >= 0 {
		e.Byte(partFreq)
		e.Byte(byte(m.Freq))
	}
	e.form(form)
	e.Text(key)
}

// form writes a form, and notes which version a file with it is of.
func (e *Encoder) form(f Form) {
	e.hasTimed = e.hasTimed || f == HashTimed
	e.Byte(byte(f))
}

// Version is that of a file which holds what was written: 12 (Redis 7.4) if
// fields of a hash have deadlines, else 10 (7.0).
func (e *Encoder) Version() int {
	if e.hasTimed {
		return versionTimed
	}
	return version
}

// Shape is what has to be known of a value before its first element is written.
type Shape struct {
	Type keyspace.Type
	// Count is the number of its elements, but for a String of its bytes.
	Count int
	// Earliest is the first deadline of a hash's field, or a time before it, Unix
	// milliseconds; 0 if none has one.
	Earliest int64
}

// ValueWriter writes a value of which the elements come in pieces. Its zero
// value is one that is whole.
type ValueWriter struct {
	form     Form
	earliest int64
	left     int
}

// BeginValue writes a key and the begin of its value, in a form for large ones:
// 0, 1, 2, 4, 5 or 24. The rest, of so many elements as was said and at least
// one, is written by ValueWriter.Append, and nothing else before it is whole.
// Streams can't be written so.
func (e *Encoder) BeginValue(m Meta, key []byte, s Shape) ValueWriter {
	w := ValueWriter{form: s.form(), earliest: s.Earliest, left: s.Count}
	e.begin(m, w.form, key)
	if w.form == HashTimed {
		e.millis(uint64(s.Earliest))
	}
	e.Length(uint64(s.Count))
	return w
}

// form is the one in which a value of the shape is written.
func (s Shape) form() Form {
	switch s.Type {
	case keyspace.String:
		return Text
	case keyspace.List:
		return List
	case keyspace.Set:
		return Set
	case keyspace.SortedSet:
		return SortedSet
	case keyspace.Hash:
		if s.Earliest > 0 {
			return HashTimed
		}
		return Hash
	}
	panic("no form for pieces of a " + s.Type.String())
}

// Append writes the next element to e, which may be another Encoder than that
// of the elements before, if its bytes follow theirs. Of a String it is the next
// piece of the text.
func (w *ValueWriter) Append(e *Encoder, el keyspace.Element) {
	if w.form == Text {
		w.took(len(el.Text))
		e.out = append(e.out, el.Text...)
		e.mayFlush()
		return
	}
	w.took(1)
	if w.form == HashTimed {
		e.Length(after(el.Deadline, w.earliest))
	}
	e.Text(el.Text)
	switch w.form {
	case Hash, HashTimed:
		e.Text(el.Value)
	case SortedSet:
		e.millis(math.Float64bits(el.Score))
	}
}

// took notes that so many elements were written.
func (w *ValueWriter) took(n int) {
	if w.left -= n; w.left < 0 {
		panic("a value has more elements than it said")
	}
}

// Left is how many elements are to come, of a String bytes.
func (w *ValueWriter) Left() int { return w.left }
