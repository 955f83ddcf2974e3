package hash

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// The words that commands on fields' deadlines share, and the answers to
// mistakes in them.
var (
	errNoFields      = resp.Error("ERR Mandatory argument FIELDS is missing or not at the right position")
	errFieldCount    = resp.Error("ERR Number of fields must be a positive integer")
	errFieldsGreater = resp.Error("ERR Parameter `numFields` should be greater than 0")
	errFieldsMatch   = resp.Error("ERR The `numfields` parameter must match the number of arguments")
	errExpireTime    = resp.Error("ERR invalid expire time, must be >= 0")
)

// readFields reads FIELDS, a number, and so many fields, to the end. mistake is
// the answer to a number that is none.
func readFields(a *command.Args, mistake resp.Reply) [][]byte {
	if !a.Option("FIELDS") {
		a.Fail(errNoFields)
	}
	n := a.IntIn(1, math.MaxInt64, mistake)
	if n != int64(a.Len()) {
		a.Fail(errFieldsMatch)
	}
	return a.Rest()
}

// latest is the latest time, in milliseconds of Unix time, at which a field may
// end: in the year 4199, as in Redis.
const latest = 1<<46 - 1

// readDeadline reads when fields are to end: so many units, of so many
// milliseconds, after base. It may be in the past.
func readDeadline(a *command.Args, millis, base int64) int64 {
	n := a.Int()
	switch {
	case a.Bad():
	case n < 0:
		a.Fail(errExpireTime)
	case n > latest/millis || n*millis > latest-base:
		a.Fail(resp.ErrExpireTime(a.Meta().Name))
	default:
		return n*millis + base
	}
	return 0
}

// timeOption reads EX, PX, EXAT or PXAT with its time, if the next word is one
// of these.
func timeOption(tx *keyspace.Tx, a *command.Args) (deadline int64, found bool) {
	switch {
	case a.Option("EX"):
		return readDeadline(a, 1000, tx.Now()), true
	case a.Option("PX"):
		return readDeadline(a, 1, tx.Now()), true
	case a.Option("EXAT"):
		return readDeadline(a, 1000, 0), true
	case a.Option("PXAT"):
		return readDeadline(a, 1, 0), true
	}
	return 0, false
}
