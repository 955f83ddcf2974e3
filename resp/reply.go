// Package resp holds the words of the conversation: replies as values, the
// texts of the errors, and their encodings for RESP2, RESP3 and transcripts.
//
// A handler returns a Reply and never sees a connection. A Reply may point
// into memory of the shard that made it, so it is encoded (or cloned) before
// the shard's turn goes on; see Clone.
package resp

import (
	"math"
	"strings"
	"unsafe"
)

// Kind says what a Reply is. The zero Kind is None, so a forgotten reply
// shows up as a missing one instead of as a plausible value.
type Kind uint8

// The kinds of reply. Where RESP2 has no such type, the comment says what
// stands for it there.
const (
	None      Kind = iota // nothing is sent (SUBSCRIBE answers by pushes)
	Null                  // the null bulk string
	NullArray             // the null array; RESP3 has one null for both
	Status                // a simple string such as +OK
	Failure               // an error, its code first: "ERR syntax error"
	Number                // a 64-bit integer
	Text                  // a bulk string, binary safe
	Decimal               // a double; RESP2: a bulk string
	Truth                 // a boolean; RESP2: the integer 1 or 0
	BigNumber             // RESP2: a bulk string
	Verbatim              // text with a three-letter format; RESP2: a bulk string
	List                  // an array
	Unordered             // a set; RESP2: an array
	Pairs                 // a map, items in the order key, value, key, value; RESP2: a flat array
	Out                   // a push; RESP2: an array
	Couples               // an array of arrays of two, items in a row; RESP2: a flat array
)

// Reply is one reply, a value. Make it with the functions of this package.
type Reply struct {
	kind  Kind
	n     int64  // Number, Truth; bits of a Decimal; the items of a Bulks; 1 of a Named
	text  string // the text; "txt:" and the text for Verbatim; the encoding of a Bulks
	items []Reply
}

// The replies without parameters.
var (
	OK        = Simple("OK")
	Queued    = Simple("QUEUED")
	Pong      = Simple("PONG")
	Nil       = Reply{kind: Null}
	NilArray  = Reply{kind: NullArray}
	Nothing   = Reply{}
	Zero      = Int(0)
	One       = Int(1)
	Empty     = Reply{kind: Text}
	EmptyList = Reply{kind: List}
)

// Simple is a status line; s must not hold CR or LF.
func Simple(s string) Reply { return Reply{kind: Status, text: s} }

// Int is an integer.
func Int(n int64) Reply { return Reply{kind: Number, n: n} }

// Flag is the integer 1 for true and 0 for false, Redis's usual yes and no.
func Flag(yes bool) Reply {
	if yes {
		return One
	}
	return Zero
}

// Bulk is a bulk string that shares b's memory.
func Bulk(b []byte) Reply { return Reply{kind: Text, text: alias(b)} }

// BulkString is a bulk string.
func BulkString(s string) Reply { return Reply{kind: Text, text: s} }

// Double is a floating-point number.
func Double(f float64) Reply { return Reply{kind: Decimal, n: int64(math.Float64bits(f))} }

// Plain is a Double that is written without an exponent, with no more than 17
// digits after the point, as Redis writes coordinates.
func Plain(f float64) Reply {
	r := Double(f)
	r.text = plainMark
	return r
}

// plainMark tells a Plain from a Double.
const plainMark = "plain"

// Bool is a boolean.
func Bool(b bool) Reply {
	if b {
		return Reply{kind: Truth, n: 1}
	}
	return Reply{kind: Truth}
}

// Big is a number of any size, in decimal.
func Big(digits string) Reply { return Reply{kind: BigNumber, text: digits} }

// VerbatimText is human-readable text of the format "txt" or "mkd".
func VerbatimText(format, s string) Reply { return Reply{kind: Verbatim, text: format + ":" + s} }

// Array is an array of items.
func Array(items ...Reply) Reply { return Reply{kind: List, items: items} }

// Set is a collection without order.
func Set(items ...Reply) Reply { return Reply{kind: Unordered, items: items} }

// Map is a map; items alternate between keys and values.
func Map(items ...Reply) Reply { return Reply{kind: Pairs, items: items} }

// Named is a Map that RESP2 sees as an array of arrays of two: streams with
// their entries.
func Named(items ...Reply) Reply { return Reply{kind: Pairs, n: 1, items: items} }

// named reports whether the reply is a Named.
func (r *Reply) named() bool { return r.kind == Pairs && r.n == 1 }

// Twos is an array of arrays of two, which RESP2 sees as one flat array:
// fields with values, members with scores. items are those of all the twos.
func Twos(items ...Reply) Reply { return Reply{kind: Couples, items: items} }

// Push is an out-of-band message.
func Push(items ...Reply) Reply { return Reply{kind: Out, items: items} }

// Strings is an array of bulk strings.
func Strings(ss ...string) Reply {
	items := make([]Reply, len(ss))
	for i, s := range ss {
		items[i] = BulkString(s)
	}
	return Array(items...)
}

// Kind tells what the reply is.
func (r Reply) Kind() Kind { return r.kind }

// IsError reports whether the reply is an error.
func (r Reply) IsError() bool { return r.kind == Failure }

// IsNull reports whether the reply is a null of either shape.
func (r Reply) IsNull() bool { return r.kind == Null || r.kind == NullArray }

// Int is the value of a Number or Truth.
func (r Reply) Int() int64 { return r.n }

// Float is the value of a Decimal.
func (r Reply) Float() float64 { return math.Float64frombits(uint64(r.n)) }

// Str is the text of a Status, Failure, Text, BigNumber or Verbatim (there
// without the format). It may share memory with the shard: see the package.
func (r Reply) Str() string {
	if r.kind == Verbatim && len(r.text) >= 4 {
		return r.text[4:]
	}
	return r.text
}

// Format is the three-letter format of a Verbatim.
func (r Reply) Format() string {
	if r.kind == Verbatim && len(r.text) >= 4 {
		return r.text[:3]
	}
	return ""
}

// Items are the elements of a List, Unordered, Pairs, Couples or Out.
func (r Reply) Items() []Reply {
	if r.bulked() {
		return r.unbulked()
	}
	return r.items
}

// Room is how many bytes are enough for the reply, in RESP2 and RESP3.
func (r *Reply) Room() int {
	if len(r.items) == 0 {
		return len(r.text) + roomBeside
	}
	return r.roomOfItems()
}

// roomBeside is what is written of any reply beside its text: a Number with
// its sign, a Decimal with its length.
const roomBeside = 48

func (r *Reply) roomOfItems() int {
	room := roomBeside
	for i := range r.items {
		room += r.items[i].Room()
	}
	return room
}

// Clone copies the reply and all it points to, so that it may leave the turn
// that made it.
func (r Reply) Clone() Reply {
	c := Reply{kind: r.kind, n: r.n, text: strings.Clone(r.text)}
	if r.items != nil {
		c.items = make([]Reply, len(r.items))
		for i := range r.items {
			c.items[i] = r.items[i].Clone()
		}
	}
	return c
}

// alias views b as a string without copying. The string is only as constant
// as b is.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
