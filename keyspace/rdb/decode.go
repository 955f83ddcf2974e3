package rdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"

	"github.com/troupedb/troupe/keyspace"
)

// Decoder reads values, and the parts that they and RDB files are made of,
// from bytes in memory or from a stream. Its first mistake sticks: later reads
// give zero values, and Err tells of it.
//
// What it hands out stays as it is for as long as it is used: bytes in memory
// are those of the source, others are never written again.
type Decoder struct {
	in   []byte  // read and not used
	more *source // where the rest comes from; nil: in is all
	err  error
	made []byte // texts of numbers
}

// NewDecoder reads from memory.
func NewDecoder(data []byte) *Decoder { return &Decoder{in: data} }

// NewReader reads from a stream, a little ahead of what is asked for.
func NewReader(r io.Reader) *Decoder { return &Decoder{more: newSource(r, chunk)} }

// Reset makes the Decoder one of other bytes in memory, without a mistake. What
// it has handed out stays as it is.
func (d *Decoder) Reset(data []byte) { d.in, d.more, d.err = data, nil, nil }

// Err is the first mistake, one of the errors of this package or the stream's.
func (d *Decoder) Err() error { return d.err }

// Left is how many bytes are left in memory: of a Decoder with a stream, those
// read ahead.
func (d *Decoder) Left() int { return len(d.in) }

// Offset is how many bytes of a stream have been used.
func (d *Decoder) Offset() int64 {
	if d.more == nil {
		return 0
	}
	return d.more.offset(d.in)
}

// fail notes a mistake.
func (d *Decoder) fail(err error) {
	if d.err != nil {
		return
	}
	d.err = err
	if d.more != nil {
		d.more.failed = d.Offset()
	}
}

// Bytes reads n bytes. From a stream memory is taken as they come, whatever n.
func (d *Decoder) Bytes(n uint64) []byte {
	for d.err == nil && uint64(len(d.in)) < n {
		d.readMore(n)
	}
	if d.err != nil {
		return nil
	}
	b := d.in[:n:n]
	d.in = d.in[n:]
	return b
}

// readMore reads some of the stream, where n bytes in all are asked for.
func (d *Decoder) readMore(n uint64) {
	if d.more == nil {
		d.fail(ErrShort)
		return
	}
	var err error
	switch d.in, err = d.more.read(d.in, n); {
	case errors.Is(err, io.EOF):
		d.fail(ErrShort)
	case err != nil:
		d.fail(err)
	}
}

// Byte reads one byte: a Form, or what an RDB file has in its place.
func (d *Decoder) Byte() byte {
	if d.err == nil && len(d.in) > 0 {
		b := d.in[0]
		d.in = d.in[1:]
		return b
	}
	if b := d.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// Line reads up to a line feed, and with it, if it comes within so many bytes.
func (d *Decoder) Line(most int) []byte {
	for d.err == nil {
		if n := bytes.IndexByte(d.in[:min(most, len(d.in))], '\n'); n >= 0 {
			return d.Bytes(uint64(n) + 1)
		}
		if len(d.in) >= most {
			d.fail(corrupt("a line without an end"))
		} else {
			d.readMore(uint64(most))
		}
	}
	return nil
}

// Peek is the next byte, which stays to be read. There is none at the end, which
// is no mistake.
func (d *Decoder) Peek() (next byte, there bool) {
	if len(d.in) == 0 && d.err == nil {
		if d.readMore(1); errors.Is(d.err, ErrShort) {
			d.err = nil
		}
	}
	if len(d.in) == 0 || d.err != nil {
		return 0, false
	}
	return d.in[0], true
}

// millis reads a time: 64 bits, the lowest byte first.
func (d *Decoder) millis() uint64 {
	if b := d.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Length reads a length.
func (d *Decoder) Length() uint64 {
	n, special := d.length()
	if special {
		d.fail(corrupt("a text where a length should be"))
	}
	return n
}

// length reads a length. special says that it is the number of a text's
// encoding instead.
func (d *Decoder) length() (n uint64, special bool) {
	first := d.Byte()
	low := uint64(first & 0x3f)
	switch {
	case first>>6 == 0:
		return low, false
	case first>>6 == 1:
		return low<<8 | uint64(d.Byte()), false
	case first>>6 == 3:
		return low, true
	case first == length32:
		if b := d.Bytes(4); b != nil {
			return uint64(binary.BigEndian.Uint32(b)), false
		}
	case first == length64:
		if b := d.Bytes(8); b != nil {
			return binary.BigEndian.Uint64(b), false
		}
	default:
		d.fail(corrupt("a length of no known kind"))
	}
	return 0, false
}

// The first bytes of longer lengths and of encoded texts.
const (
	length32   = 0x80
	length64   = 0x81
	encoded8   = 0xc0
	encoded16  = 0xc1
	encoded32  = 0xc2
	encodedLZF = 0xc3
)

// Text reads a text.
func (d *Decoder) Text() []byte {
	n, special := d.length()
	switch {
	case d.err != nil:
		return nil
	case !special:
		return d.raw(n)
	}
	switch n | 0xc0 {
	case encoded8:
		if b := d.Bytes(1); b != nil {
			return d.digits(int64(int8(b[0])))
		}
	case encoded16:
		if b := d.Bytes(2); b != nil {
			return d.digits(int64(int16(binary.LittleEndian.Uint16(b))))
		}
	case encoded32:
		if b := d.Bytes(4); b != nil {
			return d.digits(int64(int32(binary.LittleEndian.Uint32(b))))
		}
	case encodedLZF:
		return d.compressed()
	default:
		d.fail(corrupt("a text of an unknown encoding"))
	}
	return nil
}

// raw reads the bytes of a text as they are.
func (d *Decoder) raw(n uint64) []byte {
	if n > keyspace.TextMax {
		d.fail(corrupt("a text longer than can be kept"))
	}
	return d.Bytes(n)
}

// compressed reads a text that was compressed.
func (d *Decoder) compressed() []byte {
	from, to := d.Length(), d.Length()
	if to > keyspace.TextMax {
		d.fail(corrupt("a text longer than can be kept"))
	}
	in := d.raw(from)
	if d.err != nil {
		return nil
	}
	text, ok := decompress(in, int(to))
	if !ok {
		d.fail(corrupt("a text that was not compressed by LZF"))
	}
	return text
}

// digits is the text of a number.
func (d *Decoder) digits(n int64) []byte {
	if cap(d.made)-len(d.made) < digitsMax {
		d.made = make([]byte, 0, madeAtOnce)
	}
	begin := len(d.made)
	d.made = strconv.AppendInt(d.made, n, 10)
	return d.made[begin:len(d.made):len(d.made)]
}

const (
	digitsMax  = 20 // of a number of 64 bits, with its sign
	madeAtOnce = 50 * digitsMax
)

// score reads a score in binary.
func (d *Decoder) score() float64 {
	f := math.Float64frombits(d.millis())
	if math.IsNaN(f) {
		d.fail(corrupt("a score that is not a number"))
	}
	return f
}

// The lengths that stand for scores without digits.
const (
	digitsNaN   = 253
	digitsPlus  = 254
	digitsMinus = 255
)

// digitsScore reads a score in digits.
func (d *Decoder) digitsScore() float64 {
	switch n := d.Byte(); n {
	case digitsMinus:
		return math.Inf(-1)
	case digitsPlus:
		return math.Inf(1)
	case digitsNaN:
		d.fail(corrupt("a score that is not a number"))
		return 0
	default:
		return d.scoreOf(d.Bytes(uint64(n)))
	}
}

// scoreOf is the score that a text tells.
func (d *Decoder) scoreOf(text []byte) float64 {
	f, ok := keyspace.ParseDouble(text)
	if !ok {
		d.fail(corrupt("a score that is not a number"))
	}
	return f
}

// Elements reads a value of a form, from where the Decoder stands, as its
// elements are asked for. They end with the value or at a mistake, which Err
// tells; if the iteration is left early, the Decoder is of no further use.
func (d *Decoder) Elements(f Form) iter.Seq[keyspace.Element] {
	return func(yield func(keyspace.Element) bool) {
		read := layouts[f].read
		if read == nil {
			d.refuse(f)
			return
		}
		read(d, yield)
	}
}

// refuse notes that a value is of a form that is not read; for a module's, of
// which one.
func (d *Decoder) refuse(f Form) {
	err := fmt.Errorf("%w: %s", ErrUnknown, f)
	if f == Module && len(d.in) > 0 {
		err = fmt.Errorf("%w, %s", err, moduleName(d.Length()))
	}
	d.fail(err)
}
