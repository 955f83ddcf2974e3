package rdb

import "github.com/troupedb/troupe/keyspace"

// entry is one of the entries that packed bytes hold: a text, or a number.
type entry struct {
	text     []byte
	number   int64
	isNumber bool
}

// packing walks through packed bytes: it calls visit for each entry until that
// returns false. An error says that the bytes are no such thing.
type packing func(b []byte, visit func(entry) bool) error

// group is how entries make elements: so many each.
type group struct {
	size    int
	element func(d *Decoder, parts *[groupMax]entry) keyspace.Element
}

const groupMax = 3

// packed reads a value that is one text of packed bytes.
func packed(each packing, grouping func() group) func(*Decoder, visitor) {
	return func(d *Decoder, yield visitor) {
		elements, going := d.walk(d.Text(), each, grouping(), yield)
		if going && elements == 0 {
			d.fail(ErrEmpty)
		}
	}
}

// walk gives the elements in packed bytes to yield, and counts them. going is
// false if yield wants no more, or at a mistake.
func (d *Decoder) walk(b []byte, each packing, g group, yield visitor) (elements int, going bool) {
	if d.err != nil {
		return 0, false
	}
	var parts [groupMax]entry
	have, stopped := 0, false
	err := each(b, func(e entry) bool {
		parts[have] = e
		if have++; have < g.size {
			return true
		}
		have = 0
		element := g.element(d, &parts)
		if d.err != nil {
			return false
		}
		elements++
		stopped = !yield(element)
		return !stopped
	})
	switch {
	case err != nil:
		d.fail(err)
	case have > 0 && d.err == nil:
		d.fail(corrupt("the last element is not complete"))
	}
	return elements, !stopped && d.err == nil
}

// textOf is an entry as a text.
func (d *Decoder) textOf(e *entry) []byte {
	if e.isNumber {
		return d.digits(e.number)
	}
	return e.text
}

// singles: each entry is an element's text.
func singles() group {
	return group{1, func(d *Decoder, parts *[groupMax]entry) keyspace.Element {
		return keyspace.Element{Text: d.textOf(&parts[0])}
	}}
}

// pairs: a field and its value.
func pairs() group {
	return group{2, func(d *Decoder, parts *[groupMax]entry) keyspace.Element {
		return keyspace.Element{Text: d.textOf(&parts[0]), Value: d.textOf(&parts[1])}
	}}
}

// scored: a member and its score.
func scored() group {
	return group{2, func(d *Decoder, parts *[groupMax]entry) keyspace.Element {
		e := keyspace.Element{Text: d.textOf(&parts[0]), Score: float64(parts[1].number)}
		if !parts[1].isNumber {
			e.Score = d.scoreOf(parts[1].text)
		}
		return e
	}}
}

// triples: a field, its value and its deadline, 0 for none. They are in the
// order of their deadlines, those without one last.
func triples() group {
	before, endless := int64(0), false
	return group{3, func(d *Decoder, parts *[groupMax]entry) keyspace.Element {
		deadline := parts[2].number
		switch {
		case !parts[2].isNumber || deadline < 0 || deadline > lastDeadline:
			d.fail(corrupt("a deadline that is no time"))
		case deadline > 0 && (endless || deadline < before):
			d.fail(corrupt("deadlines out of order"))
		}
		before, endless = deadline, deadline == 0
		return keyspace.Element{Text: d.textOf(&parts[0]), Value: d.textOf(&parts[1]), Deadline: deadline}
	}}
}
