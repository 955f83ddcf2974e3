package rdb

import (
	"errors"
	"math"

	"github.com/troupedb/troupe/keyspace"
)

// Framing is to find the end of a value without decoding it: what is looked at
// are the lengths that lead from one text to the next.

// errLarge ends the framing of a value that is longer than is kept.
var errLarge = errors.New("the value is large")

// skip passes over n bytes.
func (d *Decoder) skip(n uint64) {
	if n <= uint64(len(d.in)) {
		d.in = d.in[n:]
		return
	}
	d.skipFar(n)
}

// skipFar passes over more bytes than are there. They are kept if the source
// keeps some, else forgotten as they come.
func (d *Decoder) skipFar(n uint64) {
	for d.err == nil && n > uint64(len(d.in)) {
		switch {
		case d.more == nil:
			d.fail(ErrShort)
		case d.more.keep < 0:
			n -= uint64(len(d.in))
			d.in = d.in[len(d.in):]
			d.readMore(1)
		case d.more.tooMuch(d.in, n):
			d.fail(errLarge)
		default:
			d.readMore(n)
		}
	}
	if d.err == nil {
		d.in = d.in[n:]
	}
}

// skipText passes over a text.
func (d *Decoder) skipText() {
	if in := d.in; len(in) > 0 && int(in[0]) < min(len(in), 1<<6) {
		d.in = in[1+in[0]:]
		return
	}
	n, special := d.length()
	if !special {
		d.skipRaw(n)
		return
	}
	switch n | 0xc0 {
	case encoded8:
		d.skip(1)
	case encoded16:
		d.skip(2)
	case encoded32:
		d.skip(4)
	case encodedLZF:
		from := d.Length()
		d.Length()
		d.skipRaw(from)
	default:
		d.fail(corrupt("a text of an unknown encoding"))
	}
}

// skipRaw passes over the bytes of a text.
func (d *Decoder) skipRaw(n uint64) {
	if n > keyspace.TextMax {
		d.fail(corrupt("a text longer than can be kept"))
	}
	if d.err == nil {
		d.skip(n)
	}
}

// skipLengths passes over n lengths.
func (d *Decoder) skipLengths(n int) {
	for range n {
		d.Length()
	}
}

// framed is how the end of a value is found that is a count and so many
// elements, each some texts and then so many bytes.
func framed(texts int, bytes uint64) func(*Decoder) {
	return func(d *Decoder) {
		for n := d.Length(); n > 0 && d.err == nil; n-- {
			for range texts {
				d.skipText()
			}
			if bytes > 0 && d.err == nil {
				d.skip(bytes)
			}
		}
	}
}

func frameText(d *Decoder) { d.skipText() }

func frameDigitsScored(d *Decoder) {
	for n := d.Length(); n > 0 && d.err == nil; n-- {
		d.skipText()
		if size := d.Byte(); size < digitsNaN && d.err == nil {
			d.skip(uint64(size))
		}
	}
}

func frameListpacks(d *Decoder) {
	for n := d.Length(); n > 0 && d.err == nil; n-- {
		d.Length()
		d.skipText()
	}
}

func frameTimedOld(d *Decoder) {
	for n := d.Length(); n > 0 && d.err == nil; n-- {
		d.Length()
		d.skipText()
		d.skipText()
	}
}

func frameTimed(d *Decoder) {
	d.millis()
	frameTimedOld(d)
}

func frameListpackTimed(d *Decoder) {
	d.millis()
	d.skipText()
}

// frameStream is how the end of a stream is found: see Decoder.Stream.
func frameStream(f Form) func(*Decoder) {
	head, group, consumer := 3, 2, uint64(8)
	if f != Stream {
		head, group = 8, 3
	}
	if f == Stream3 {
		consumer = 16
	}
	return func(d *Decoder) {
		for n := d.Length(); n > 0 && d.err == nil; n-- {
			d.skipText()
			d.skipText()
		}
		d.skipLengths(head)
		for n := d.Length(); n > 0 && d.err == nil; n-- {
			d.skipText()
			d.skipLengths(group)
			for m := d.Length(); m > 0 && d.err == nil; m-- {
				d.skip(idBytes + 8)
				d.Length()
			}
			d.skipConsumers(consumer)
		}
	}
}

// skipConsumers passes over the consumers of a group, which have so many bytes
// of times.
func (d *Decoder) skipConsumers(times uint64) {
	for n := d.Length(); n > 0 && d.err == nil; n-- {
		d.skipText()
		d.skip(times)
		ids := d.Length()
		if ids > math.MaxInt64/idBytes {
			d.fail(corrupt("more deliveries than there can be"))
			return
		}
		d.skip(ids * idBytes)
	}
}
