package rdb

import "github.com/troupedb/troupe/keyspace"

// lastDeadline is the latest that Redis takes for a field of a hash, Unix
// milliseconds.
const lastDeadline = 1<<48 - 2

// readText reads a string, whose one element is its text.
func readText(d *Decoder, yield visitor) {
	if text := d.Text(); d.err == nil {
		yield(keyspace.Element{Text: text})
	}
}

// counted reads a value that is a count and so many elements.
func counted(one func(*Decoder) keyspace.Element) func(*Decoder, visitor) {
	return func(d *Decoder, yield visitor) {
		n := d.Length()
		if n == 0 {
			d.fail(ErrEmpty)
		}
		for ; n > 0 && d.err == nil; n-- {
			if e := one(d); d.err == nil && !yield(e) {
				return
			}
		}
	}
}

func readMember(d *Decoder) keyspace.Element { return keyspace.Element{Text: d.Text()} }

func readScored(d *Decoder) keyspace.Element {
	return keyspace.Element{Text: d.Text(), Score: d.score()}
}

func readDigitsScored(d *Decoder) keyspace.Element {
	return keyspace.Element{Text: d.Text(), Score: d.digitsScore()}
}

func readField(d *Decoder) keyspace.Element {
	return keyspace.Element{Text: d.Text(), Value: d.Text()}
}

// readTimedField reads a field behind its deadline. That is counted from the
// earliest, which is 1; if earliest is 0, from the epoch.
func readTimedField(earliest uint64) func(*Decoder) keyspace.Element {
	return func(d *Decoder) keyspace.Element {
		deadline := d.Length()
		if deadline > lastDeadline {
			d.fail(corrupt("a deadline too late"))
		}
		if deadline > 0 && earliest > 0 {
			deadline += earliest - 1
		}
		if deadline > lastDeadline {
			d.fail(corrupt("a deadline too late"))
		}
		return keyspace.Element{Deadline: int64(deadline), Text: d.Text(), Value: d.Text()}
	}
}

// readTimed reads a hash with deadlines.
func readTimed(d *Decoder, yield visitor) {
	earliest := d.millis()
	if earliest > lastDeadline+1 { // which stands for none
		d.fail(corrupt("a deadline too late"))
	}
	counted(readTimedField(earliest))(d, yield)
}

// readListpackTimed reads a listpack of triples behind the earliest deadline,
// which they tell themselves.
func readListpackTimed(d *Decoder, yield visitor) {
	d.millis()
	packed(eachInListpack, triples)(d, yield)
}

// The containers of a list's blocks.
const (
	containerPlain  = 1 // one element
	containerPacked = 2 // a listpack
)

// readZiplists reads a list that is a count and so many ziplists.
func readZiplists(d *Decoder, yield visitor) {
	readBlocks(d, yield, func() (elements int, going bool) {
		return d.walk(d.block(), eachInZiplist, singles(), yield)
	})
}

// readListpacks reads a list that is a count and so many blocks.
func readListpacks(d *Decoder, yield visitor) {
	readBlocks(d, yield, func() (elements int, going bool) {
		switch d.Length() {
		case containerPacked:
			return d.walk(d.block(), eachInListpack, singles(), yield)
		case containerPlain:
			text := d.block()
			return 1, d.err == nil && yield(keyspace.Element{Text: text})
		}
		d.fail(corrupt("a block of a list of no known kind"))
		return 0, false
	})
}

// readBlocks reads a count and so many blocks, some of which may be empty.
func readBlocks(d *Decoder, yield visitor, one func() (elements int, going bool)) {
	total := 0
	for n := d.Length(); n > 0; n-- {
		elements, going := one()
		if !going {
			return
		}
		total += elements
	}
	if total == 0 {
		d.fail(ErrEmpty)
	}
}

// block reads the text of a block, which has some bytes.
func (d *Decoder) block() []byte {
	text := d.Text()
	if d.err == nil && len(text) == 0 {
		d.fail(corrupt("a block of a list without bytes"))
	}
	return text
}
