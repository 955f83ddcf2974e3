package str

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

// timeUnit is an option of SET and GETEX that says when the key ends.
type timeUnit struct {
	word       string
	millis     int64 // in one of it
	sinceEpoch bool  // it tells a time, not a length of time
}

var timeUnits = [...]timeUnit{{"EX", 1000, false}, {"PX", 1, false}, {"EXAT", 1000, true}, {"PXAT", 1, true}}

// deadlineDigits is the longest deadline, in decimal.
const deadlineDigits = 19

// ending is such an option as it was given. Its number is looked at when the
// rest of the command is known to be right, as Redis does.
type ending struct {
	unit   *timeUnit // nil: none was given
	number []byte
}

// read reads one of the options. Once one was given it may be repeated, but
// not be followed by another.
func (e *ending) read(a *command.Args) (found bool) {
	for i := range timeUnits {
		unit := &timeUnits[i]
		if (e.unit == nil || e.unit == unit) && a.OptionWith(unit.word, 1) {
			e.unit, e.number = unit, a.Bytes()
			return true
		}
	}
	return false
}

// deadline is when the key ends, Unix milliseconds, or what without says if no
// option was given.
func (e *ending) deadline(tx *keyspace.Tx, a *command.Args, without int64) int64 {
	if e.unit == nil || a.Bad() {
		return without
	}
	return tx.DeadlineOf(a, e.number, e.unit.millis, e.unit.sinceEpoch)
}
