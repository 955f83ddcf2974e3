package rdb

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/troupedb/troupe/resp/command"
)

// Encoder writes values, and the parts that they and RDB files are made of, to
// memory or to a stream. The first error of the stream sticks: what is written
// later is lost, and Err tells of it.
type Encoder struct {
	out      []byte // written and not handed on
	to       io.Writer
	err      error
	lzf      compressor
	plain    bool // texts are not compressed
	hasTimed bool // fields of a hash have deadlines
	block    listpackWriter
}

// piece is how many bytes are handed to a stream at once, at least.
const piece = 64 << 10

// NewEncoder appends to dst.
func NewEncoder(dst []byte) *Encoder { return &Encoder{out: dst} }

// NewWriter writes to a stream, in pieces: call Flush at the end.
func NewWriter(w io.Writer) *Encoder { return &Encoder{to: w} }

// Compress says whether texts are compressed from now on if that makes them
// shorter. At first they are.
func (e *Encoder) Compress(on bool) { e.plain = !on }

// Bytes is what has been written: to a stream, since it was last handed on.
func (e *Encoder) Bytes() []byte { return e.out }

// Err is the first error of the stream.
func (e *Encoder) Err() error { return e.err }

// Flush hands on what has been written.
func (e *Encoder) Flush() error {
	if e.to == nil || len(e.out) == 0 {
		return e.err
	}
	if e.err == nil {
		if _, err := e.to.Write(e.out); err != nil {
			e.err = fmt.Errorf("writing RDB: %w", err)
		}
	}
	e.out = e.out[:0]
	return e.err
}

// mayFlush hands on a piece if there is one.
func (e *Encoder) mayFlush() {
	if e.to != nil && len(e.out) >= piece {
		e.Flush() // the error sticks
	}
}

// Byte writes one byte: a Form, or what an RDB file has in its place.
func (e *Encoder) Byte(b byte) { e.out = append(e.out, b) }

// millis writes a time, or anything of 64 bits, the lowest byte first.
func (e *Encoder) millis(n uint64) { e.out = binary.LittleEndian.AppendUint64(e.out, n) }

// Length writes a length.
func (e *Encoder) Length(n uint64) {
	switch {
	case n < 1<<6:
		e.out = append(e.out, byte(n))
	case n < 1<<14:
		e.out = append(e.out, 1<<6|byte(n>>8), byte(n))
	case n <= math.MaxUint32:
		e.out = binary.BigEndian.AppendUint32(append(e.out, length32), uint32(n))
	default:
		e.out = binary.BigEndian.AppendUint64(append(e.out, length64), n)
	}
}

const (
	encodedDigitsMax = 11 // of a number that fits 32 bits, with its sign
	compressAbove    = 20 // bytes: less is never made shorter
	compressGain     = 4  // bytes that compression must save
)

// Text writes a text: as a number if it is a small one, compressed if that
// makes it shorter.
func (e *Encoder) Text(text []byte) {
	switch {
	case len(text) <= encodedDigitsMax && e.number(text):
	case len(text) > compressAbove && !e.plain && e.compressed(text):
	default:
		e.Length(uint64(len(text)))
		e.out = append(e.out, text...)
	}
	e.mayFlush()
}

// number writes a text that is a number of at most 32 bits, and reports
// whether it is one.
func (e *Encoder) number(text []byte) bool {
	n, ok := command.ParseInt(text)
	switch {
	case !ok || n != int64(int32(n)):
		return false
	case n == int64(int8(n)):
		e.out = append(e.out, encoded8, byte(n))
	case n == int64(int16(n)):
		e.out = binary.LittleEndian.AppendUint16(append(e.out, encoded16), uint16(n))
	default:
		e.out = binary.LittleEndian.AppendUint32(append(e.out, encoded32), uint32(n))
	}
	return true
}

// compressed writes a text compressed, and reports whether that saves enough;
// if not, nothing is written. The length of the compressed bytes stands before
// them, so room is left for the longest that it may be.
func (e *Encoder) compressed(text []byte) bool {
	begin := len(e.out)
	e.out = append(e.out, make([]byte, headRoom)...)
	out, ok := e.lzf.compress(e.out, text, len(text)-compressGain)
	if !ok {
		e.out = out[:begin]
		return false
	}
	size := len(out) - begin - headRoom
	e.out = append(out[:begin], encodedLZF)
	e.Length(uint64(size))
	e.Length(uint64(len(text)))
	e.out = append(e.out, out[begin+headRoom:begin+headRoom+size]...)
	return true
}

// headRoom is how many bytes stand before compressed ones, at most: texts are
// shorter than lengths of 32 bits can tell.
const headRoom = 1 + 5 + 5

// Reset makes the Encoder append to dst from now on.
func (e *Encoder) Reset(dst []byte) { e.out = dst }
