package keyspace

import (
	"iter"

	"github.com/troupedb/troupe/resp"
)

// Element is one element of a value of any type: what a kind doesn't have
// is zero.
type Element struct {
	// Text is a list's element, a set's or sorted set's member, a hash's field,
	// or a String's whole text. It lies in the slab or in the turn's buffer.
	Text []byte
	// Value is what a hash's field holds.
	Value []byte
	// Score is that of a sorted set's member.
	Score float64
	// Deadline is when a hash's field ends, Unix milliseconds; 0 for never.
	Deadline int64
}

// Kind is a type of value as commands use it that treat every type alike,
// element by element: DUMP and RESTORE, SORT, digests, snapshots. A family
// declares its own beside its commands.
type Kind struct {
	Type Type
	// Each calls visit for every element of a value until it returns false: a
	// list's in order, a sorted set's by rising score, others' in the order in
	// which they are kept. visit changes nothing.
	Each func(tx *Tx, v Value, visit func(Element) bool)
	// Len is the number of a value's elements.
	Len func(v Value) int
	// Find looks for the element of a text; nil where that takes longer than
	// O(log n) in a large value.
	Find func(tx *Tx, v Value, text []byte) (e Element, found bool)
	// Put makes key a value of these elements, whatever it held before, in the
	// form that its size calls for. deadline and event are as for Tx.PutText.
	// What can't be a value (a member twice, a score that is no number, an
	// element too long) is an error reply, and changes nothing; of no elements
	// becomes no key. The elements' bytes are not those of the keyspace.
	Put func(tx *Tx, key []byte, elements iter.Seq[Element], deadline int64, event string) (mistake resp.Reply)
	// Parts and PutParts are Each and Put for values that are more than their
	// elements: streams. Nil for other types.
	Parts    func(tx *Tx, v Value) *StreamParts
	PutParts func(tx *Tx, key []byte, p *StreamParts, deadline int64, event string) (mistake resp.Reply)
	// Freeze keeps a value of the Object form as it is now for a save, whatever
	// becomes of it, and counts in kept the bytes that this takes beside the
	// value. A value is not frozen twice at a time. Nil for types whose values are
	// saved in one go.
	Freeze func(v Value, kept *int64) Frozen
	// Expire removes fields of a value that are past their deadline at the time
	// now, at least one and with about so much effort (one for each small field),
	// tells so, and returns the effort that it took. It says by Tx.ExpireFields
	// when the next one ends. Nil for types whose elements have no deadlines.
	Expire func(tx *Tx, v Value, now int64, effort int) (took int)
}

// Kinds are those that are known, by their types; nil for others.
type Kinds [Stream + 1]*Kind

// Kind is that of a type: nil for one of no family that is there, and for
// None.
func (tx *Tx) Kind(t Type) *Kind { return tx.Settings.Kinds[t] }
