package stream

import (
	"bytes"
	"math"
	"strconv"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// ID is that of an entry: Unix milliseconds, and a number within them.
type ID struct{ Time, Seq uint64 }

// maxID is the last ID there can be.
var maxID = ID{math.MaxUint64, math.MaxUint64}

var errID = resp.Error("ERR Invalid stream ID specified as stream command argument")

// compare is negative if a is before b, 0 if they are the same.
func (a ID) compare(b ID) int {
	switch {
	case a.less(b):
		return -1
	case a == b:
		return 0
	}
	return 1
}

// less reports whether a is before b.
func (a ID) less(b ID) bool { return a.Time < b.Time || a.Time == b.Time && a.Seq < b.Seq }

// next is the ID after a; ok is false for the last one there can be.
func (a ID) next() (after ID, ok bool) {
	switch {
	case a.Seq < math.MaxUint64:
		return ID{a.Time, a.Seq + 1}, true
	case a.Time < math.MaxUint64:
		return ID{a.Time + 1, 0}, true
	}
	return ID{}, false
}

// prev is the ID before a; ok is false for the first one.
func (a ID) prev() (before ID, ok bool) {
	switch {
	case a.Seq > 0:
		return ID{a.Time, a.Seq - 1}, true
	case a.Time > 0:
		return ID{a.Time - 1, math.MaxUint64}, true
	}
	return ID{}, false
}

// append appends the ID's text.
func (a ID) append(dst []byte) []byte {
	dst = append(strconv.AppendUint(dst, a.Time, 10), '-')
	return strconv.AppendUint(dst, a.Seq, 10)
}

// idBytesMax is the longest text of an ID, in bytes.
const idBytesMax = 2*20 + 1

// numberDigits is the longest number of 64 bits, in decimal with its sign.
const numberDigits = 20

// String is the ID as commands have it.
func (a ID) String() string { return string(a.append(make([]byte, 0, idBytesMax))) }

func (a ID) reply() resp.Reply { return resp.BulkString(a.String()) }

// idWordMax is the longest word that is read as an ID, in bytes.
const idWordMax = 127

// parseID reads time-sequence, or a time alone, to which the sequence missing
// belongs. Of what is wrong with it Redis overlooks what strtoull does; so do we.
func parseID(word []byte, missing uint64) (id ID, ok bool) {
	if len(word) > idWordMax {
		return ID{}, false
	}
	word = untilZero(word)
	at := bytes.IndexByte(word, '-')
	if at < 0 {
		id.Time, ok = parseNumber(word)
		id.Seq = missing
		return id, ok
	}
	if id.Time, ok = parseNumber(word[:at]); !ok {
		return ID{}, false
	}
	id.Seq, ok = parseNumber(word[at+1:])
	return id, ok
}

// untilZero is the word up to its first zero byte, which is all that C sees.
func untilZero(word []byte) []byte {
	if end := bytes.IndexByte(word, 0); end >= 0 {
		return word[:end]
	}
	return word
}

// parseNumber reads what string2ull of Redis reads: digits, and what strtoull
// takes beside them.
func parseNumber(b []byte) (n uint64, ok bool) {
	if len(b) == 0 || len(b) > digitsSafe {
		return parseOddNumber(b)
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return parseOddNumber(b)
		}
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

// digitsSafe is how many digits never are more than 64 bits.
const digitsSafe = 19

func parseOddNumber(b []byte) (n uint64, ok bool) {
	if n, ok := command.ParseInt(b); ok {
		return uint64(n), n >= 0
	}
	b = bytes.TrimLeft(b, " \t\n\v\f\r")
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		b = b[1:]
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	if negative {
		n = -n
	}
	return n, err == nil
}

// readID reads an ID; one that is no bound of a range.
func readID(a *command.Args) ID { return readIDOr(a, 0) }

func readIDOr(a *command.Args, missing uint64) ID {
	id, ok := parseID(a.Bytes(), missing)
	if !ok {
		a.Fail(errID)
	}
	return id
}

// isWord reports whether a word is the one of a single byte, up to its first
// zero byte, as Redis compares.
func isWord(word []byte, c byte) bool {
	return len(word) > 0 && word[0] == c && (len(word) == 1 || word[1] == 0)
}

// readBound reads an end of a range: an ID, - or +, or ( and an ID. excluded
// tells of the last of these.
func readBound(a *command.Args, missing uint64) (id ID, excluded bool) {
	word := a.Bytes()
	switch {
	case a.Bad():
		return ID{}, false
	case len(word) > 1 && word[0] == '(':
		word, excluded = word[1:], true
	case isWord(word, '-'):
		return ID{}, false
	case isWord(word, '+'):
		return maxID, false
	}
	id, ok := parseID(word, missing)
	if !ok {
		a.Fail(errID)
	}
	return id, excluded
}

// interval is the IDs from first to last.
type interval struct{ first, last ID }

var (
	errIntervalStart = resp.Error("ERR invalid start ID for the interval")
	errIntervalEnd   = resp.Error("ERR invalid end ID for the interval")
)

// readFirst and readLast read the bounds of an interval.
func (r *interval) readFirst(a *command.Args) {
	id, excluded := readBound(a, 0)
	if excluded && !a.Bad() {
		var ok bool
		if id, ok = id.next(); !ok {
			a.Fail(errIntervalStart)
		}
	}
	r.first = id
}

func (r *interval) readLast(a *command.Args) {
	id, excluded := readBound(a, math.MaxUint64)
	if excluded && !a.Bad() {
		var ok bool
		if id, ok = id.prev(); !ok {
			a.Fail(errIntervalEnd)
		}
	}
	r.last = id
}
